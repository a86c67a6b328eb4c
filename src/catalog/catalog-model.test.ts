import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import { Model, type ModelType } from '#contract/models.js'
import { buildModel, type CatalogModelOfType } from './catalog-model.js'
import { parseConfig } from './config/config-file.js'

const isModel = new Ajv({ strict: false }).compile(Model)

/** A model of the given type, as the config file writes it on one line. */
const build = <T extends ModelType>(type: T, fields: string): CatalogModelOfType<T> => {
  const text = `upstreams: { house: { kind: openai, baseUrl: "http://127.0.0.1" } }
models: [{ id: it, type: ${type}, engine: { upstream: house }, ${fields} }]`
  const [entry] = parseConfig(text, { file: 'tessera.yaml', env: {} }).models
  assert.ok(entry)
  return buildModel({
    entry,
    traits: [],
    engines: new Set(),
    createdDefault: 1000,
    contentPolicies: [],
  }) as CatalogModelOfType<T>
}

const textFields = 'contextTokens: 1000, pricing: { input: "1.50", output: { usd: "0.000000001", diem: "2" } }'

test('prices are exact inside and numbers in the record', () => {
  const { prices, record } = build('text', textFields)
  assert.deepEqual(prices.input, { usdNanos: 1_500_000_000n, diemNanos: 1_500_000_000n })
  assert.deepEqual(prices.output, { usdNanos: 1n, diemNanos: 2_000_000_000n })
  assert.deepEqual(record.pricing, { prompt: '0.0000015', completion: '0.000000000000001' })
  assert.deepEqual(record.model_spec.pricing.input, { usd: 1.5, diem: 1.5 })
  assert.deepEqual(record.model_spec.pricing.output, { usd: 1e-9, diem: 2 })
})

test('a text model is readable for clients of OpenAI and OpenRouter', () => {
  const { record } = build('text', `name: It, created: 2026-01-01, ${textFields}`)
  assert.deepEqual([record.name, record.context_length, record.created], ['It', 1000, Date.UTC(2026, 0, 1) / 1000])
  assert.equal(build('text', textFields).record.created, 1000)
})

test('tee and e2ee models are shown as private, with the capability', () => {
  const shown = (privacy: string) => {
    const { record, capabilities } = build('text', `privacy: ${privacy}, ${textFields}`)
    return [record.model_spec.privacy, capabilities.supportsTeeAttestation, capabilities.supportsE2EE]
  }
  assert.deepEqual(shown('tee'), ['private', true, false])
  assert.deepEqual(shown('e2ee'), ['private', true, true])
  assert.deepEqual(shown('private'), ['private', false, false])
  assert.deepEqual(shown('anonymized'), ['anonymized', false, false])
})

// Every shape of price and every detail of the public record, to the contract and into our own words.
const shapes = {
  'text with extended prices': [
    'text',
    `contextTokens: 9, created: 2026-01-01, uncensored: true, beta: true,
      regionRestrictions: [DE],
      pricing: { input: "1", output: "2", cache_write: "3", extended: { context_token_threshold: 5, input: "2", output: "4", cache_input: "1" } },
      constraints: { repetition_penalty: { default: 1.1 } },
      capabilities: { supportsReasoningEffort: true, reasoningEffortOptions: [low, max], defaultReasoningEffort: low, supportsVideoInput: true, maxVideos: 1, quantization: fp8 }`,
    { extended: { contextTokenThreshold: 5 }, cacheWrite: {} },
  ],
  'image by resolution and quality': [
    'image',
    `supportsStyleReferences: true,
      constraints: { resolutions: [1K, 2K], qualities: [low, high], maxStyleReferences: 2 },
      pricing: { resolutions: { 1K: "1" }, quality: { 2K: { low: "1", high: "2" } }, upscale: { 2x: "1", 4x: "2" } }`,
    { quality: { '2K': { low: {} } }, upscale: { '4x': {} } },
  ],
  'edit with input images': [
    'inpaint',
    `capabilities: { maxInputImages: 5 },
      pricing: { inpaint: "0.26", inputImages: { included: 1, additional: "0.009" } }`,
    { inputImages: { included: 1, additional: {} } },
  ],
  'upscale without a generation price': [
    'upscale',
    `pricing: { upscale: { 2x: "0.02", 4x: "0.08" } }`,
    { generation: {} },
  ],
  'embedding without an output price': [
    'embedding',
    `embeddingDimensions: 8,
      pricing: { input: "1" }`,
    { output: {} },
  ],
  'speech with cloning': [
    'tts',
    `voices: [a],
      voice_cloning: { mode: zero_shot, accepted_formats: [wav], min_sample_seconds: 5, retention_days: 7 }, supportsPromptParam: true,
      pricing: { input: "15" }`,
    { input: {} },
  ],
  transcription: ['asr', 'pricing: { per_audio_second: "0.0001" }', { perAudioSecond: {} }],
  'music per job': ['music', 'pricing: { generation: "1" }', { generation: {} }],
  'music per length': [
    'music',
    `duration_options: [30, 60],
      pricing: { durations: { 30: { usd: "0.10", min_seconds: 1, max_seconds: 30 } } }`,
    { durations: { 30: { minSeconds: 1, maxSeconds: 30 } } },
  ],
  'music per second': ['music', 'pricing: { per_second: "0.01" }', { perSecond: {} }],
  'music per characters': ['music', 'pricing: { per_thousand_characters: "0.1" }', { perThousandCharacters: {} }],
  video: [
    'video',
    `constraints: { aspect_ratios: [], resolutions: [720p], durations: [5s], model_type: image-to-video, audio: true, audio_configurable: true },
      pricing: { per_second: "0.05", resolutions: { 720p: "0.04" } }`,
    { perSecond: {}, resolutions: { '720p': {} } },
  ],
} as const

const assertHolds = (actual: unknown, expected: object): void => {
  for (const [name, value] of Object.entries(expected)) {
    const found = (actual as Record<string, unknown>)[name]
    assert.notEqual(found, undefined, name)
    if (typeof value === 'object') assertHolds(found, value)
    else assert.equal(found, value, name)
  }
}

for (const [what, [type, fields, prices]] of Object.entries(shapes)) {
  test(`the record fits the contract, and prices are exact: ${what}`, () => {
    const model = build<ModelType>(type, fields)
    assert.ok(isModel(model.record), JSON.stringify(isModel.errors))
    assertHolds(model.prices, prices)
    assert.equal('pricing' in model.record.model_spec, type !== 'video')
  })
}

test('the number of input images of an edit model stands in both places', () => {
  for (const [fields, count, combines] of [
    ['capabilities: { maxInputImages: 5 }', 5, true],
    ['constraints: { maxInputImages: 2 }', 2, true],
    ['constraints: { combineImages: true }', 3, true],
    ['name: Plain', 1, false],
  ] as const) {
    const { capabilities, constraints } = build('inpaint', `pricing: { inpaint: "1" }, ${fields}`)
    const { maxInputImages, combineImages } = constraints
    assert.deepEqual([capabilities.maxInputImages, maxInputImages, combineImages], [count, count, combines], fields)
  }
})

test('rate-limit groups follow size, then type; video and music are not limited', () => {
  assert.equal(build('text', `size: L, ${textFields}`).limitGroup, 'L')
  assert.equal(build('text', textFields).limitGroup, 'M')
  assert.equal(build('embedding', 'pricing: { input: "0" }').limitGroup, 'XS')
  assert.equal(build('image', 'pricing: { generation: "0" }').limitGroup, 'image')
  assert.equal(build('image', 'size: L, pricing: { generation: "0" }').limitGroup, 'L')
  assert.equal(build('asr', 'pricing: { per_audio_second: "0" }').limitGroup, 'audio')
  assert.equal(build('music', 'pricing: { generation: "0" }').limitGroup, null)
})

test('what the catalog hands out cannot be changed', () => {
  const { record, prices } = build('text', textFields)
  assert.throws(() => Object.assign(record.model_spec, { privacy: 'private' }), TypeError)
  assert.throws(() => Object.assign(prices.input, { usdNanos: 0n }), TypeError)
})
