#!/usr/bin/env node
import { buildIfNeeded } from '../scripts/build.mjs'

await buildIfNeeded()
const { run } = await import('../dist/src/cli/tessera.js')
await run(process.argv)
