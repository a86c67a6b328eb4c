// Everything that can be said about the code without running it: types, style, import borders. Arguments select some.
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = resolve(fileURLToPath(import.meta.url), '../..')
const steps = [
  ['types', ['node_modules/typescript/bin/tsc', '-p', '.', '--noEmit']],
  ['style', ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.']],
  ['imports', ['scripts/check-imports.mjs']],
]
const wanted = process.argv.slice(2)
const failed = steps.filter(([name, args]) => {
  if (wanted.length > 0 && !wanted.includes(name)) return false
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) console.error(`check: ${name} failed`)
  return status !== 0
})
process.exit(failed.length > 0 ? 1 : 0)
