import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkBuiltin } from './builtin.js'
import { createCatalog } from './catalog.js'
import { ConfigError, emptyConfig, parseConfig } from './config/config-file.js'
import { parsePattern, patternProblem } from './word-pattern.js'

const builtin = checkBuiltin()
const read = (text: string) => parseConfig(text, { file: 'tessera.yaml', env: {}, builtin })
const catalogOf = (config: ReturnType<typeof read>) =>
  createCatalog({ config, builtin, clock: { nowMs: () => 0 }, engines: new Set(), createdDefault: 0 })

const refusal = (text: string): string[] => {
  try {
    read(text)
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error))
    return error.problems.map(({ line, path, reason }) => `${line}: ${path}: ${reason}`)
  }
  return []
}

const image = (id: string, more = '') =>
  `  - { id: ${id}, type: image, engine: { embedded: x }, pricing: { generation: "1" }${more} }\n`
const names = (catalog: ReturnType<typeof catalogOf>, id: string) =>
  catalog.model(id)?.contentPolicies.map(({ name }) => name)

test('every model has the policy on minors, and those that its entry names', () => {
  const catalog = catalogOf(
    read(`models:\n${image('a')}${image('b', ', contentPolicies: [violence, minors, sexual]')}`),
  )
  assert.deepEqual(names(catalog, 'a'), ['minors'])
  assert.deepEqual(names(catalog, 'b'), ['minors', 'violence', 'sexual'])
  for (const { id } of catalogOf(emptyConfig).list('all')) assert.ok(names(catalog, id)?.includes('minors'), id)
  assert.ok(!JSON.stringify(catalog.record('b')).includes('violence'))
})

test('a policy of the operator stands beside ours, or takes the place of one with its name', () => {
  const config = read(`
contentWords: { brands: [acme, globex corp*], gore: [tomato] }
contentPolicies:
  logos: { says: logos of others, rules: [{ all: [brands] }] }
  violence: { says: tomatoes, rules: [{ all: [gore], unless: [fiction] }] }
models:
${image('a', ', contentPolicies: [logos, violence, sexual]')}`)
  const policies = catalogOf(config).model('a')?.contentPolicies ?? []
  assert.deepEqual(
    policies.map(({ says }) => says),
    ['sexual content about minors', 'logos of others', 'tomatoes', 'explicit sexual imagery'],
  )
  // Their policies see their lists and ours; ours see only ours.
  assert.deepEqual(policies[2]?.words.gore, ['tomato'])
  assert.deepEqual(policies[3]?.words.gore, builtin.contentWords.gore)
  assert.equal(policies[0]?.words, policies[3]?.words)
})

const badFiles: [string, string, string[]][] = [
  [
    'a model with an unknown policy',
    `models:\n${image('a')}${image('b', ', contentPolicies: [sexual, violense]')}`,
    ["3: models[1].contentPolicies[1]: there is no content policy 'violense'; did you mean 'violence'?"],
  ],
  [
    'the policy that stays as it is',
    'contentWords: { x: [y] }\ncontentPolicies:\n  minors: { says: z, rules: [{ all: [x] }] }',
    ['3: contentPolicies.minors: applies to every model as it is; give a policy of yours another name'],
  ],
  [
    'lists that are not there',
    `contentWords: { x: [y, z <nowhere-at-all>] }
contentPolicies:
  p:
    says: z
    rules:
      - { all: [x, nudityy], unless: [fictoin] }
    harmless: [harmlesSexual]
    negations: [negatd]`,
    [
      `1: contentWords.x[1]: there is no list of words 'nowhere-at-all'; there are: ${[...Object.keys(builtin.contentWords), 'x'].join(', ')}`,
      "6: contentPolicies.p.rules[0].all[1]: there is no list of words 'nudityy'; did you mean 'nudity'?",
      "6: contentPolicies.p.rules[0].unless[0]: there is no list of words 'fictoin'; did you mean 'fiction'?",
      "7: contentPolicies.p.harmless[0]: there is no list of words 'harmlesSexual'; did you mean 'harmlessSexual'?",
      "8: contentPolicies.p.negations[0]: there is no list of words 'negatd'; did you mean 'negated'?",
    ],
  ],
  [
    'lists that lead back to themselves',
    'contentWords:\n  a: [x <b>]\n  b: [y <c>]\n  c: [z <a>, w <c>]',
    [
      '2: contentWords.a[0]: <b> leads back to the list itself',
      '3: contentWords.b[0]: <c> leads back to the list itself',
      '4: contentWords.c[0]: <a> leads back to the list itself',
      '4: contentWords.c[1]: <c> leads back to the list itself',
    ],
  ],
  [
    'patterns that cannot be read',
    'contentWords:\n  a:\n    - bare-chested\n    - ab*\n    - 17..1\n    - <b\n    - x,y\n    - <a>*',
    [
      "3: contentWords.a[0]: 'bare-chested': write it in words apart; 'bare chested' finds 'bare-chested', too",
      "4: contentWords.a[1]: 'ab*' finds too much: give at least 3 letters before the '*'",
      "5: contentWords.a[2]: '17..1' is not a range of at most 200 numbers, such as 1..17",
      "6: contentWords.a[3]: '<b' is not a list: write '<its-name>', or '<its-name>*' for any number of it",
      "7: contentWords.a[4]: 'x,y' is not a word, such as nude, nude|naked or porn*",
      "8: contentWords.a[5]: cannot begin with '<a>*', which may be nothing",
    ],
  ],
  [
    'fields that do not fit',
    'contentPolicies:\n  p: { rules: [], say: x }\n  q: { says: x, rules: [{ all: [], near: 0 }] }\ncontentWords: { 1: [x], a: [] }',
    [
      '2: contentPolicies.p.rules: must not be empty',
      "2: contentPolicies.p.say: unknown key, did you mean 'says'?",
      '2: contentPolicies.p.says: is missing',
      '3: contentPolicies.q.rules[0].all: must not be empty',
      '3: contentPolicies.q.rules[0].near: must be >= 1',
      "4: contentWords.1: must be a name that starts with a letter and is made of letters, digits, '_' and '-'",
      '4: contentWords.a: must not be empty',
    ],
  ],
]

for (const [what, text, said] of badFiles) {
  test(`refused, with line, field and reason: ${what}`, () => assert.deepEqual(refusal(text).sort(), [...said].sort()))
}

test('patterns are words, beginnings, choices, numbers and lists', () => {
  assert.deepEqual(parsePattern('nude|bare*  3..5yo <who> <filler>*'), [
    { kind: 'words', words: ['nude', 'bare*'] },
    { kind: 'words', words: ['3yo', '4yo', '5yo'] },
    { kind: 'list', list: 'who', isRepeated: false },
    { kind: 'list', list: 'filler', isRepeated: true },
  ])
  for (const good of ['été', '1girl', '18', 'a b', '<a> b', 'x <a>*'])
    assert.equal(patternProblem(good), undefined, good)
})
