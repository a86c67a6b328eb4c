import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '#contract/errors.js'
import { createCatalog } from './catalog.js'
import { parseConfig } from './config/config-file.js'
import { rateOf, sharedRateOf } from './limits.js'

const parse = (text: string) => parseConfig(text, { file: 'tessera.yaml', env: {} })

const text = (id: string, more = '') =>
  `  - { id: ${id}, type: text, contextTokens: 1000, engine: { upstream: house }, pricing: { input: "1.50", output: "4.80" }${more && `, ${more}`} }\n`
const house = 'upstreams: { house: { kind: openai, baseUrl: "http://127.0.0.1:8000" } }\nmodels:\n'

/** A catalog with a clock that the test can set. The built-in part is small here, so that a test shows all of it. */
const offer = (models: string, { sections = '', engines = ['llama'] } = {}) => {
  const clock = { ms: Date.UTC(2026, 0, 1), nowMs: () => clock.ms }
  const builtin = {
    models: parse(`models:
  - { id: tiny, type: text, contextTokens: 2048, engine: { embedded: llama }, pricing: { input: "1", output: "1" }, traits: [default, fastest], aliases: [gpt-small, gpt-large] }
  - { id: painter, type: image, engine: { embedded: composer }, pricing: { generation: "1" }, traits: [default] }
`).models,
    styles: ['Anime'],
    contentWords: { child: ['child'], lewd: ['lewd'] },
    contentPolicies: {
      minors: { says: 'that', rules: [{ all: ['child', 'lewd'] }] },
      sexual: { says: 'this', rules: [{ all: ['lewd'] }] },
    },
    systemPrompt: 'Be kind.',
    limits:
      parse('limits: { tiers: { paid: { M: { rpm: 50, tpm: 750000 } } }, errorBudget: { failed: 20 } }').limits ?? {},
  }
  const config = parse(sections + house + (models || '  []\n'))
  return { clock, catalog: createCatalog({ config, builtin, clock, engines: new Set(engines), createdDefault: 1000 }) }
}

const failure = (run: () => unknown): string => {
  try {
    run()
  } catch (error) {
    assert.ok(error instanceof Failure, String(error))
    return `${error.status} ${error.code} ${error.message}`
  }
  return 'nothing'
}

test('models of the operator come first, in the order of the file; filters select', () => {
  const { catalog } = offer(text('b') + text('a', 'capabilities: { optimizedForCode: true }'))
  assert.deepEqual(
    catalog.list('text').map(({ id }) => id),
    ['b', 'a', 'tiny'],
  )
  assert.deepEqual(
    catalog.list('code').map(({ id }) => id),
    ['a'],
  )
  assert.deepEqual(
    catalog.list('image').map(({ id }) => id),
    ['painter'],
  )
  assert.deepEqual(
    catalog.list('all').map(({ id }) => id),
    ['b', 'a', 'tiny', 'painter'],
  )
  assert.deepEqual(catalog.list('video'), [])
})

test('a trait, an alias or an id of the operator beats the built-in one', () => {
  const { catalog } = offer(text('mine', 'traits: [default], aliases: [gpt-large]'))
  assert.deepEqual(catalog.traits('text'), { default: 'mine', fastest: 'tiny' })
  assert.deepEqual(catalog.traits('image'), { default: 'painter' })
  assert.deepEqual(catalog.compatibilityMapping('text'), { 'gpt-large': 'mine', 'gpt-small': 'tiny' })
  assert.deepEqual(catalog.record('tiny').model_spec.traits, ['fastest'])

  const replaced = offer(text('tiny')).catalog
  assert.equal(replaced.list('text').length, 1)
  assert.equal(replaced.use('tiny').model.contextTokens, 1000)
})

test('a name of the operator hides what is built in under it', () => {
  const byAlias = offer(text('mine', 'aliases: [tiny]')).catalog
  assert.equal(byAlias.use('tiny').model.id, 'mine')
  const byId = offer(text('gpt-small')).catalog
  assert.equal(byId.use('gpt-small').model.id, 'gpt-small')
  assert.deepEqual(byId.compatibilityMapping('text'), { 'gpt-large': 'tiny' })
})

test('builtinModels: false hides all of them', () => {
  assert.deepEqual(offer(text('mine'), { sections: 'builtinModels: false\n' }).catalog.list('all').length, 1)
})

test('a name is a model id, else a trait, else an alias', () => {
  const { catalog } = offer(text('fastest') + text('other', 'aliases: [default]'))
  assert.equal(catalog.use('fastest').model.id, 'fastest')
  assert.equal(catalog.use('default').model.id, 'tiny')
  assert.equal(catalog.use('default', 'image').model.id, 'painter')
  assert.equal(catalog.use('gpt-small', 'text').model.id, 'tiny')
})

test('an unknown name and a wrong type are refused in words', () => {
  const { catalog } = offer(text('mine'))
  assert.equal(
    failure(() => catalog.use('nope')),
    "404 MODEL_NOT_FOUND There is no model 'nope'; GET /models lists them",
  )
  assert.equal(
    failure(() => catalog.record('nope')),
    "404 MODEL_NOT_FOUND There is no model 'nope'; GET /models lists them",
  )
  assert.equal(
    failure(() => catalog.use('mine', 'image')),
    "400 INVALID_MODEL The model 'mine' is of type text; this request needs one of type image",
  )
  for (const name of ['__proto__', 'constructor', 'toString', '', 'text default']) {
    assert.match(
      failure(() => catalog.use(name)),
      /^404/,
      name,
    )
  }
})

test('a model whose engine is not in this build is offline, and bindings that cannot be used are left out', () => {
  const { catalog } = offer(
    '  - { id: both, type: text, contextTokens: 10, engines: [{ embedded: missing }, { upstream: house, weight: 3 }], pricing: { input: "0", output: "0" } }\n',
  )
  assert.equal(catalog.record('tiny').model_spec.offline, false)
  assert.equal(catalog.record('painter').model_spec.offline, true)
  assert.equal(catalog.use('painter').model.offline, true)
  assert.deepEqual(catalog.use('both').model.bindings, [
    { kind: 'upstream', upstream: 'house', model: 'both', isModelNamed: false, weight: 3 },
  ])
})

test('a deprecated model carries its warning from startsAt on', () => {
  const { catalog, clock } = offer(
    text('old', 'deprecation: { date: 2026-03-01, startsAt: 2026-02-01, message: moves to new, replacement: new }') +
      text('new'),
  )
  assert.deepEqual(catalog.use('old').headers, {})
  assert.equal(catalog.nextChangeMs(), Date.UTC(2026, 1, 1))
  clock.ms = Date.UTC(2026, 1, 1)
  assert.deepEqual(catalog.use('old').headers, {
    'x-svc-model-deprecation-warning': 'moves to new',
    'x-svc-model-deprecation-date': '2026-03-01',
    'x-svc-deprecated': 'true',
    'x-svc-deprecated-replacement': 'new',
  })
  assert.deepEqual(catalog.use('new').headers, {})
  assert.equal(catalog.nextChangeMs(), Date.UTC(2026, 2, 1))
  assert.deepEqual(catalog.record('old').model_spec.deprecation, {
    autoRemap: false,
    date: '2026-03-01T00:00:00.000Z',
    removesAt: '2026-03-01T00:00:00.000Z',
    startsAt: '2026-02-01T00:00:00.000Z',
    replacementModelId: 'new',
  })
})

test('a deprecation without a message says the date and the replacement', () => {
  const { catalog } = offer(text('old', 'deprecation: { date: 2026-03-01, replacement: new }') + text('new'))
  const warning = catalog.use('old').headers['x-svc-model-deprecation-warning']
  assert.equal(warning, "The model 'old' is removed on 2026-03-01; use 'new' instead")
})

test('a retired model is gone from every list and refused, naming its replacement', () => {
  const { catalog, clock } = offer(
    text('old', 'traits: [default], aliases: [gpt-x], deprecation: { date: 2026-03-01, replacement: new }') +
      text('new'),
  )
  clock.ms = Date.UTC(2026, 2, 1) - 1
  assert.equal(catalog.use('old').model.id, 'old')
  clock.ms = Date.UTC(2026, 2, 1)
  const said = "410 MODEL_RETIRED The model 'old' was retired on 2026-03-01; use 'new' instead"
  for (const name of ['old', 'gpt-x', 'default'])
    assert.equal(
      failure(() => catalog.use(name)),
      said,
    )
  assert.equal(
    failure(() => catalog.record('old')),
    said,
  )
  assert.deepEqual(
    catalog.list('text').map(({ id }) => id),
    ['new', 'tiny'],
  )
  assert.deepEqual(catalog.traits('text'), { fastest: 'tiny' })
  assert.ok(!('gpt-x' in catalog.compatibilityMapping('text')))
  assert.equal(catalog.nextChangeMs(), Number.POSITIVE_INFINITY)
})

test('with autoRemap a retired model becomes its replacement, over several steps, and still warns', () => {
  const { catalog, clock } = offer(
    text('one', 'deprecation: { date: 2026-03-01, replacement: two, autoRemap: true }') +
      text('two', 'deprecation: { date: 2026-04-01, replacement: three, autoRemap: true }') +
      text('three'),
  )
  clock.ms = Date.UTC(2026, 2, 2)
  assert.equal(catalog.use('one').model.id, 'two')
  clock.ms = Date.UTC(2026, 3, 2)
  assert.equal(catalog.use('one').model.id, 'three')
  assert.equal(catalog.use('one').headers['x-svc-deprecated-replacement'], 'two')
})

test('models that replace each other do not send a request in circles', () => {
  const { catalog, clock } = offer(
    text('one', 'deprecation: { date: 2026-03-01, replacement: two, autoRemap: true }') +
      text('two', 'deprecation: { date: 2026-03-01, replacement: one, autoRemap: true }'),
  )
  clock.ms = Date.UTC(2026, 2, 2)
  assert.match(
    failure(() => catalog.use('one')),
    /^410 MODEL_RETIRED The model 'one'/,
  )
})

test('the limits of the operator are laid over ours, number by number; a new tier starts from paid', () => {
  const sections =
    'limits: { tiers: { paid: { M: { rpm: 7 } }, gold: { L: { rpm: 9 } } }, errorBudget: { unsupported: 3 } }\n'
  const limits = offer('', { sections }).catalog.limits()
  assert.deepEqual(limits.tiers.paid?.M, { rpm: 7, tpm: 750_000 })
  assert.deepEqual([limits.tiers.gold?.M, limits.tiers.gold?.L], [{ rpm: 50, tpm: 750_000 }, { rpm: 9 }])
  assert.deepEqual(limits.errorBudget, { windowSeconds: 30, failed: 20, unsupported: 3 })
})

test('limits of a model go before those of its group, and those of an account before those of its tier', () => {
  const accountId = '00000000-0000-4000-8000-000000000001'
  const sections = `
limits:
  tiers: { paid: { M: { rpm: 1, tpm: 9 }, models: { model: { rpd: 4 } } } }
  accounts: { ${accountId}: { M: { rpm: 2, rpd: 2 }, account: { tpm: 6 }, models: { other: { rpm: 7 } } } }
  global: { rpm: 8 }
`
  const limits = offer('', { sections }).catalog.limits()
  const model = { id: 'model', limitGroup: 'M', limits: { rpm: 3 } } as const
  const someone = { tier: 'paid', accountId: 'someone' }
  const special = { tier: 'paid', accountId }
  assert.deepEqual(rateOf(limits, someone, model), { rpm: 3, rpd: 4, tpm: 9 })
  assert.deepEqual(rateOf(limits, special, { ...model, limits: {} }), { rpm: 2, rpd: 4, tpm: 9 })
  assert.deepEqual(rateOf(limits, special, { ...model, id: 'other' }), { rpm: 7, rpd: 2, tpm: 9 })
  assert.deepEqual(
    [sharedRateOf(limits, someone, 'account'), sharedRateOf(limits, special, 'account')],
    [{}, { tpm: 6 }],
  )
  assert.deepEqual(limits.global, { rpm: 8 })
  // A tier that has left the file is treated as the usual one.
  assert.deepEqual(rateOf(limits, { ...someone, tier: 'gone' }, model), { rpm: 3, rpd: 4, tpm: 9 })
})

test('styles of the operator replace ours', () => {
  assert.deepEqual(offer('').catalog.styles(), ['Anime'])
  assert.deepEqual(offer('', { sections: 'styles: [Ink]\n' }).catalog.styles(), ['Ink'])
})
