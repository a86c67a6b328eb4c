// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} here is a variable of the config file
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError } from './config-problems.js'
import { emptyConfig, parseConfig } from './parse-config.js'

const builtin = (...ids: string[]) => ({ models: ids.map((id) => ({ id })), contentWords: {}, contentPolicies: {} })

const read = (text: string, env = {}, builtinIds: string[] = []) =>
  parseConfig(text, { file: 'tessera.yaml', env, builtin: builtin(...builtinIds) })

/** What is said about a file, one string per problem, without the name of the file. */
const refusal = (text: string, env = {}, builtinIds: string[] = []): string[] => {
  try {
    read(text, env, builtinIds)
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error))
    return error.problems.map(({ line, path, reason }) => `${line}: ${path && `${path}: `}${reason}`)
  }
  return []
}

const house = 'upstreams: { house: { kind: openai, baseUrl: "http://127.0.0.1:8000/v1" } }\nmodels:\n'
/** A valid text model on lines 3 to 7; what is given comes after it, or replaces the line of the same field. */
const textModel = (fields: Record<string, string> = {}, id = 'acme-chat') => {
  const all = {
    type: 'text',
    engine: '{ upstream: house }',
    contextTokens: '1000',
    pricing: '{ input: "1", output: "2" }',
    ...fields,
  }
  return [`  - id: ${id}`, ...Object.entries(all).map(([name, value]) => `    ${name}: ${value}`), ''].join('\n')
}

test('an empty file, or one whose sections are all commented out, is a valid config', () => {
  for (const text of ['', '# nothing\n', '---\n', 'models:\n#  - id: later\nlimits:\n', '{}']) {
    assert.deepEqual(read(text), emptyConfig, JSON.stringify(text))
  }
})

test('a valid file is returned with its defaults filled in', () => {
  const config = read(house + textModel({ traits: '[default]' }))
  assert.equal(config.upstreams.house?.timeoutMs, 600_000)
  const [model] = config.models
  assert.equal(model?.privacy, 'anonymized')
  assert.deepEqual([model?.traits, model?.aliases, model?.offline], [['default'], [], false])
})

test('variables come from the environment given, anywhere in a string; $${ is a literal ${', () => {
  const config = read('styles: ["${A}", "x-${A}-${B}", "$${A}", "$5"]', { A: 'one', B: 'two' })
  assert.deepEqual(config.styles, ['one', 'x-one-two', '${A}', '$5'])
})

test('a variable cannot smuggle structure into the file', () => {
  assert.deepEqual(read('styles: ["${A}"]', { A: 'x\nmodels: []' }).styles, ['x\nmodels: []'])
})

// Each: what is wrong, the file, and exactly what is said.
const badFiles: [string, string, string[]][] = [
  [
    'broken YAML',
    'models: [',
    ['1: not valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ]'],
  ],
  ['a repeated key', 'models: []\nmodels: []', ['2: not valid YAML: Map keys must be unique']],
  ['an unknown anchor', 'styles: []\nmodels: *x', ["2: not valid YAML: there is no anchor '&x' above"]],
  [
    'two documents',
    'models: []\n---\nmodels: []',
    ["2: not valid YAML: a second document begins here; remove the '---'"],
  ],
  ['not a map', '- models', ['1: must be a map, not a list']],
  ['a misspelled section', 'upstream: {}', ["1: upstream: unknown key, did you mean 'upstreams'?"]],
  ['an unknown section', 'colours: {}', ['1: colours: unknown key']],
  [
    'other spellings of a known key',
    'upstreams:\n  house:\n    kind: openai\n    base_url: http://x\n',
    ['2: upstreams.house.baseUrl: is missing', "4: upstreams.house.base_url: unknown key, did you mean 'baseUrl'?"],
  ],
  [
    'an upstream of no known kind, at no URL',
    'upstreams:\n  house: { kind: magic,\n    baseUrl: localhost }',
    [
      '2: upstreams.house.kind: must be one of openai, anthropic, automatic1111, comfyui',
      '3: upstreams.house.baseUrl: must be a URL that starts with http:// or https://',
    ],
  ],
  [
    'variables that are not set, not closed, not names',
    'styles:\n  - "${NOPE}"\n  - "${NOPE"\n  - "${a b}"',
    [
      '2: styles[0]: the environment variable NOPE is not set',
      "3: styles[1]: a variable is opened but not closed with '}'; write '$${' for a literal '${'",
      "4: styles[2]: 'a b' is not a variable name; write '$${' for a literal '${'",
    ],
  ],
  [
    'a secret without its variable, reported once',
    'x402:\n  evm:\n    rpcUrl: http://x\n    payTo: "0x2222222222222222222222222222222222222222"\n    feeWalletKey: "${FEE}"',
    ['5: x402.evm.feeWalletKey: the environment variable FEE is not set'],
  ],
  [
    'top-ups that nobody could pay',
    `x402:
  evm: { rpcUrl: http://x, payTo: "0x2222222222222222222222222222222222222222", feeWalletKey: "${'1'.repeat(64)}" }
  minimumTopUpUsd: "20"
  maximumTopUpUsd: "9"`,
    [
      '1: x402.suggestedTopUpUsd: is 10, less than minimumTopUpUsd, which is 20',
      '4: x402.maximumTopUpUsd: is 9, less than suggestedTopUpUsd, which is 10',
    ],
  ],
  [
    'a top-up of nothing',
    `x402:
  evm: { rpcUrl: http://x, payTo: "0x2222222222222222222222222222222222222222", feeWalletKey: "${'1'.repeat(64)}" }
  minimumTopUpUsd: "0"`,
    ['3: x402.minimumTopUpUsd: must be more than 0'],
  ],
  ['a model that is no map', 'models:\n  - acme', ['2: models[0]: must be a map']],
  [
    'a model without a type',
    'models:\n  - id: acme',
    ['2: models[0].type: is missing; it is one of asr, embedding, image, music, text, tts, upscale, inpaint, video'],
  ],
  [
    'a model of an unknown type',
    'models:\n  - id: acme\n    type: chat',
    ['3: models[0].type: must be one of asr, embedding, image, music, text, tts, upscale, inpaint, video'],
  ],
  ['a field of another type of model', house + textModel({ voices: '[anna]' }), ['8: models[0].voices: unknown key']],
  [
    'an id with a colon',
    house + textModel({}, '"acme:chat"'),
    ["3: models[0].id: must be made of letters, digits, '.', '_', '/' and '-' (a ':' would start a suffix)"],
  ],
  [
    'prices that are numbers, negative, too fine, or no decimals',
    house +
      textModel({
        pricing: '\n      input: 1.5\n      output: "-1"\n      cache_input: "0.0000000001"\n      cache_write: "1e3"',
      }),
    [
      '8: models[0].pricing.input: must be in quotes, as "1.5": a price is an exact decimal string',
      '9: models[0].pricing.output: must not be negative',
      '10: models[0].pricing.cache_input: must not have more than 9 decimals',
      '11: models[0].pricing.cache_write: must be a price: "1.50", or { usd: "1.50", diem: "1.40" }',
    ],
  ],
  [
    'a price that is missing',
    house + textModel({ pricing: '{ input: "1" }' }),
    ['7: models[0].pricing.output: is missing'],
  ],
  [
    'an unknown upstream, found although a price is wrong too',
    house + textModel({ engine: '{ upstream: hose }', pricing: '{ input: "1", output: free }' }),
    [
      "5: models[0].engine.upstream: there is no upstream 'hose'; there are: house",
      '7: models[0].pricing.output: must be a price: "1.50", or { usd: "1.50", diem: "1.40" }',
    ],
  ],
  [
    'no engine, both kinds of engine, an empty engine',
    `models:\n  - { id: a, type: asr, pricing: { per_audio_second: "1" } }
  - { id: b, type: asr, engine: { embedded: x }, engines: [{ embedded: x }], pricing: { per_audio_second: "1" } }
  - { id: c, type: asr, engine: { model: x }, pricing: { per_audio_second: "1" } }`,
    [
      '2: models[0].engine: is missing; say which upstream serves this model',
      "3: models[1].engines: cannot stand beside 'engine'; keep one of the two",
      "4: models[2].engine: needs either 'upstream' or 'embedded'",
    ],
  ],
  [
    'a completion longer than the context',
    house + textModel({ maxCompletionTokens: '1001' }),
    ['8: models[0].maxCompletionTokens: is larger than contextTokens (1000)'],
  ],
  [
    'capabilities without their flag',
    house + textModel({ capabilities: '{ maxImages: 3, defaultReasoningEffort: low }' }),
    [
      '8: models[0].capabilities.defaultReasoningEffort: needs supportsReasoningEffort: true',
      '8: models[0].capabilities.maxImages: needs supportsMultipleImages: true',
    ],
  ],
  [
    'ids, traits and aliases that repeat',
    house +
      textModel({ traits: '[default]', aliases: '[gpt]' }, 'a') +
      textModel({ traits: '[default]', aliases: '[gpt, a]' }, 'b') +
      textModel({}, 'a'),
    [
      "15: models[1].traits[0]: the text trait 'default' is already held by 'a'",
      "16: models[1].aliases[0]: the alias 'gpt' is already held by 'a'",
      "16: models[1].aliases[1]: 'a' is the id of a model",
      "17: models[2].id: there is already a model 'a'",
    ],
  ],
  [
    'a deprecation that leads nowhere',
    house +
      textModel({ deprecation: '{ date: 2027-02-30 }' }, 'a') +
      textModel({ deprecation: '{ date: 2027-01-31, replacement: gone }' }, 'b') +
      textModel({ deprecation: '{ date: 2027-01-31, replacement: c }' }, 'c') +
      textModel({ deprecation: '{ date: 2027-01-31, startsAt: 2027-02-01, autoRemap: true, message: "schön" }' }, 'd'),
    [
      '8: models[0].deprecation.date: must be a day such as 2027-01-31 or a UTC time such as 2027-01-31T12:00:00Z',
      "14: models[1].deprecation.replacement: there is no model 'gone'",
      '20: models[2].deprecation.replacement: a model cannot replace itself',
      '26: models[3].deprecation.message: must be one line of plain ASCII, because it is sent in a header',
    ],
  ],
  [
    'an embedding model of another size than XS',
    'models:\n  - { id: e, type: embedding, size: M, engine: { embedded: x }, pricing: { input: "1" } }',
    ['2: models[0].size: must be XS'],
  ],
  [
    'prices that do not cover what is offered',
    `models:
  - { id: i, type: image, engine: { embedded: x }, constraints: { resolutions: [1K, 2K] }, pricing: { resolutions: { 1K: "1" } } }
  - { id: m, type: music, engine: { embedded: x }, pricing: { generation: "1", per_second: "1" } }
  - { id: n, type: music, engine: { embedded: x }, pricing: {} }`,
    [
      '2: models[0].pricing: has no price for the resolution 2K',
      '3: models[1].pricing: must have only one of generation, durations, per_second, per_thousand_characters',
      '4: models[2].pricing: needs one of generation, durations, per_second, per_thousand_characters',
    ],
  ],
  [
    'a default that is not among the choices',
    'models:\n  - { id: t, type: tts, engine: { embedded: x }, pricing: { input: "1" }, supported_formats: [wav], default_format: mp3 }',
    ['2: models[0].default_format: is not one of supported_formats: wav'],
  ],
  [
    'payments without anybody who pays the fees',
    `x402:
  evm: { rpcUrl: http://x, payTo: "0x2222222222222222222222222222222222222222" }`,
    ["2: x402.evm.feeWalletKey: is missing; it pays the chain's fees, unless 'facilitatorUrl' names somebody who does"],
  ],
  [
    'the other sections',
    `limits: { tiers: { paid: { XL: {}, S: { rpm: 0 } } }, accounts: { me: { M: { rpm: 1 } } }, global: { rps: 1, tpm: 1.0e+21 } }
rpc: { networks: { Base: { family: evm, upstreams: [] } } }
x402: {}
search: { provider: google, apiKey: x }
staking: { rpcUrl: http://x, contract: "0x12" }`,
    [
      '1: limits.tiers.paid.XL: unknown key',
      '1: limits.tiers.paid.S.rpm: must be >= 1',
      '1: limits.accounts.me: must be the id of an account, as tessera accounts list shows it',
      "1: limits.global.rps: unknown key, did you mean 'rpm'?",
      '1: limits.global.tpm: must be <= 1000000000000000',
      '2: rpc.networks.Base: must be a network name such as base-mainnet',
      '2: rpc.networks.Base.upstreams: must not be empty',
      "3: x402: needs 'evm', 'solana' or both",
      '4: search.engineId: is missing; the provider google needs it',
      "5: staking.contract: must be an address: '0x' and 40 hex digits",
    ],
  ],
]

for (const [what, text, said] of badFiles) {
  test(`refused, with line, field and reason: ${what}`, () => assert.deepEqual(refusal(text).sort(), [...said].sort()))
}

test('one problem is one line; several are a list in the order of the file', () => {
  assert.throws(() => read('colours: {}'), { message: 'tessera.yaml:1: colours: unknown key' })
  assert.throws(() => read('b: 1\na: 2'), {
    message: 'tessera.yaml has 2 problems:\n  tessera.yaml:1: b: unknown key\n  tessera.yaml:2: a: unknown key',
    hint: "Correct the file; 'npx tessera check' reads it without starting the service",
  })
})

test('a refused secret is not repeated in the reason', () => {
  const key = 'secret-but-malformed'
  const text = `x402: { evm: { rpcUrl: http://x, payTo: "0x12", feeWalletKey: "\${FEE}" } }`
  assert.ok(!refusal(text, { FEE: key }).join().includes(key))
})

test('a replacement may be a built-in model, unless those are switched off', () => {
  const text = house + textModel({ deprecation: '{ date: 2027-01-31, replacement: tessera-tiny }' })
  assert.deepEqual(refusal(text, {}, ['tessera-tiny']), [])
  assert.equal(refusal(`builtinModels: false\n${text}`, {}, ['tessera-tiny']).length, 1)
})
