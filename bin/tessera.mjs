#!/usr/bin/env node
import module from 'node:module'
import { buildIfNeeded } from '../scripts/build.mjs'

// Newer versions of Node keep compiled code between starts.
module.enableCompileCache?.()

await buildIfNeeded()
const { run } = await import('../dist/src/cli/tessera.js')
await run(process.argv)
