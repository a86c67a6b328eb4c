// Runs every test: builds, checks, starts one PostgreSQL for the whole suite, and ends with "N passed, M failed".
// Arguments select test files by a part of their path: npm test -- api-keys
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import { buildIfNeeded } from './build.mjs'

const root = resolve(fileURLToPath(import.meta.url), '../..')
process.chdir(root)
await buildIfNeeded()
const wanted = process.argv.slice(2)
let failed = 0
let passed = 0

if (wanted.length === 0) {
  // All but the types, which the build has checked.
  const { status } = spawnSync(process.execPath, ['scripts/check.mjs', 'style', 'imports'], { stdio: 'inherit' })
  if (status === 0) passed++
  else failed++
}

const files = readdirSync('dist', { recursive: true })
  .filter((name) => name.endsWith('.test.js') && (wanted.length === 0 || wanted.some((part) => name.includes(part))))
  .map((name) => join(root, 'dist', name))
  // Backwards: test/ comes before src/, so that no whole service is still busy when everything else has ended.
  .sort()
  .reverse()

const { startTestDatabase } = await import('../dist/test/database.js')
const folder = mkdtempSync(join(tmpdir(), 'tessera-test-'))
const database = await startTestDatabase(folder)
process.env.TESSERA_TEST_DATABASE = JSON.stringify(database.connection)

// One more than there are cores, for there is always one that waits.
const stream = run({ files, concurrency: availableParallelism() + 1 })
stream.on('test:pass', ({ details, skip }) => {
  if (details.type !== 'suite' && skip === undefined) passed++
})
stream.on('test:fail', ({ details }) => {
  if (details.type !== 'suite') failed++
})
stream.compose(spec).pipe(process.stdout)
await new Promise((done) => stream.on('end', done))

await database.stop()
rmSync(folder, { recursive: true, force: true })
// After the reporter has written its own summary.
setTimeout(() => {
  console.log(`${passed} passed, ${failed} failed`)
  process.exit(failed > 0 || passed === 0 ? 1 : 0)
}, 100)
