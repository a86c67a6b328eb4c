// Writes openapi.json from the schemas of the routes. Its version moves only when the interface does.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { buildIfNeeded } from './build.mjs'

await buildIfNeeded()
const { describeApi } = await import('../dist/src/service/describe-api.js')
const path = fileURLToPath(new URL('../openapi.json', import.meta.url))
const fresh = await describeApi()
const committed = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
const isSame = committed && JSON.stringify({ ...fresh, info: committed.info }) === JSON.stringify(committed)
if (isSame) console.log('openapi.json is up to date.')
else {
  writeFileSync(path, `${JSON.stringify(fresh, null, 2)}\n`)
  console.log(`openapi.json written, version ${fresh.info.version}.`)
}
process.exit()
