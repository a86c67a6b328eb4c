import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkBuiltin } from '#catalog/builtin.js'
import { createCatalog } from '#catalog/catalog.js'
import { parseConfig } from '#catalog/config/config-file.js'
import { Failure } from '#contract/errors.js'
import { checkPrompt } from './check-prompt.js'

const builtin = checkBuiltin()
const config = parseConfig(
  `
contentWords:
  brand: [acme, globex, umbrella corp*, 7..9up, niño]
  sign: [logo|label, trade mark]
  colour: [red|green]
  bottle: [<colour> bottle, bottle <colour>* <colour>]
  fine: [acme acres]
  not: [no, without <colour>*]
contentPolicies:
  logos:
    says: logos of other companies
    rules:
      - { all: [brand, sign], near: 3 }
      - { all: [bottle], unless: [brand], evenNegated: true }
    harmless: [fine]
    negations: [not]
models:
  - { id: careful, type: image, engine: { embedded: x }, pricing: { generation: "1" }, contentPolicies: [logos] }
`,
  { file: 'tessera.yaml', env: {}, builtin },
)
const catalog = createCatalog({ config, builtin, clock: { nowMs: () => 0 }, engines: new Set(), createdDefault: 0 })
const { model } = catalog.use('careful', 'image')

const said = (...prompts: string[]): string => {
  try {
    checkPrompt(model, prompts)
    return ''
  } catch (error) {
    assert.ok(error instanceof Failure, String(error))
    return `${error.status} ${error.message}`
  }
}
const refused =
  "422 This breaks the content policy of the model 'careful', which does not make logos of other companies; nothing is charged"

// Each: what it shows, prompts that are refused, prompts that pass.
const cases: [string, string[], string[]][] = [
  ['a rule needs all of its lists', ['the acme logo', 'LOGO: Acme'], ['the acme', 'a logo', '']],
  ['near counts words, over sentences', ['A logo. By the acme'], ['A logo. It was made by acme']],
  ['plurals', ['acme labels'], ['acme labelled']],
  ['beginnings', ['umbrella corporation logo', 'umbrella corp logo'], ['umbrella logo', 'umbrella cor logo']],
  ['ranges', ['7up logo', '9up logo'], ['6up logo', '17up logo']],
  ['phrases do not reach over commas', ['acme trade mark', 'acme trade-mark'], ['acme trade, mark']],
  ['diacritics do not matter', ['nino logo', 'NIÑO logo'], []],
  ['what is harmless does not count', ['acme acres and the acme logo'], ['the logo of acme acres']],
  ['what is negated does not count', ['no hat but an acme logo'], ['acme without logo', 'no acme logo']],
  ['a negation may have words between', [], ['acme without red logo']],
  ['lists in lists', ['red bottle', 'bottle red', 'bottle red green red'], ['bottle', 'a bottle in red']],
  ['unless looks at the whole prompt', ['green bottle'], ['green bottle. It is by globex']],
  ['evenNegated', ['no red bottle'], []],
]
for (const [what, bad, good] of cases) {
  test(`a policy of the operator: ${what}`, () => {
    for (const prompt of bad) assert.equal(said(prompt), refused, prompt)
    for (const prompt of good) assert.equal(said(prompt), '', prompt)
  })
}

test('the policy on minors is there, too, and goes first', () => {
  assert.match(said('a naked child with an acme logo'), /sexual content about minors/)
})
