import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { installFolder } from '../../src/config.js'

const { problemsIn, checkImports } = await import(
  pathToFileURL(join(installFolder, 'scripts', 'check-imports.mjs')).href
)

test('an import that points back up the line is named', () => {
  assert.deepEqual(problemsIn('store/sql.ts', "import { fail } from '#contract/errors.js'"), [
    "store/sql.ts: store must not import contract ('#contract/errors.js')",
  ])
  assert.equal(problemsIn('http/a.ts', "import type { Sql } from '#store/sql.js'").length, 1)
  assert.equal(problemsIn('guard/a.ts', "const x = await import('../http/server.js')").length, 1)
  assert.equal(problemsIn('plumbing/a.ts', "export * from '../app.js'").length, 1)
})

test('imports down the line, inside a folder, and of packages are fine', () => {
  const text =
    "import { a } from '#contract/a.js'\nimport { b } from './b.js'\nimport { c } from '../c.js'\nimport 'node:fs'"
  assert.deepEqual(problemsIn('http/routes/a.ts', text), [])
})

test('the repository respects its borders', () => assert.deepEqual(checkImports(installFolder), []))
