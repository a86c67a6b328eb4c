// Imports point down the line, never back up (ARCHITECTURE.md). Names every one that does not, and fails.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Folder -> folders it may import. What is not listed (app, main, service, cli, tests) may import everything. */
export const borders = {
  contract: [],
  plumbing: [],
  store: ['plumbing'],
  accounts: ['contract', 'store', 'plumbing'],
  catalog: ['contract', 'store', 'plumbing'],
  limits: ['contract', 'store', 'plumbing', 'accounts', 'catalog'],
  ledger: ['contract', 'store', 'plumbing', 'accounts', 'catalog', 'limits'],
  payments: ['contract', 'store', 'plumbing', 'accounts', 'catalog', 'ledger'],
  engines: ['contract', 'plumbing'],
  capabilities: ['contract', 'accounts', 'catalog', 'limits', 'ledger', 'store', 'plumbing', 'engines'],
  guard: ['contract', 'accounts', 'ledger', 'store', 'plumbing'],
  http: ['contract', 'guard', 'capabilities', 'accounts', 'catalog', 'limits', 'ledger', 'payments', 'plumbing'],
}

const importLine = /(?:from|import)\s*\(?\s*'([^']+)'/g

/** Problems in one file, given where it lies under src/ and its text. */
export const problemsIn = (path, text) => {
  const parts = path.split(sep)
  const folder = parts.length > 1 ? parts[0] : ''
  const allowed = borders[folder]
  const problems = []
  for (const [, target] of text.matchAll(importLine)) {
    const own = target.startsWith('#') ? target.slice(1).split('/')[0] : undefined
    if (own !== undefined && own === folder) problems.push(`${path}: write '${target}' as a relative import`)
    if (own !== undefined && own !== folder && allowed && !allowed.includes(own))
      problems.push(`${path}: ${folder} must not import ${own} ('${target}')`)
    if (target.startsWith('.') && folder !== '') {
      const reached = resolve('/', dirname(path), target).slice(1).split(sep)
      const leaves = reached.length < 2 || reached[0] !== folder
      // Tests and the parts that see everything may reach the roots of src/ by path.
      if (leaves && allowed) problems.push(`${path}: '${target}' leaves ${folder}; import it as '#folder/...'`)
    }
  }
  return problems
}

export const checkImports = (root) => {
  const src = join(root, 'src')
  return readdirSync(src, { recursive: true })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .flatMap((name) => problemsIn(relative(src, join(src, name)), readFileSync(join(src, name), 'utf8')))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problems = checkImports(resolve(dirname(fileURLToPath(import.meta.url)), '..'))
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exit(1)
  console.log('Imports respect the borders.')
}
