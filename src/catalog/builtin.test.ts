import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { Model, ModelList, modelTypes } from '#contract/models.js'
import { checkBuiltin } from './builtin.js'
import { createCatalog } from './catalog.js'
import { emptyConfig, readConfigFile } from './config/config-file.js'

const ajv = new Ajv({ strict: false, allErrors: true })
ajv.addSchema(Model)
const isModelList = ajv.compile(ModelList)

const builtin = checkBuiltin()
const engines = new Set(builtin.models.map(({ engine }) => engine?.embedded ?? ''))
const needs = { builtin, clock: { nowMs: () => Date.UTC(2026, 5, 1) }, createdDefault: 1_780_000_000, engines }

const assertListFits = (data: unknown) =>
  assert.ok(isModelList({ object: 'list', type: 'all', data }), JSON.stringify(isModelList.errors, null, 1))

test('every built-in record fits the contract', () => {
  assertListFits(createCatalog({ ...needs, config: emptyConfig }).list('all'))
})

test('every record of the example config fits the contract', () => {
  const path = fileURLToPath(new URL('../../../tessera.example.yaml', import.meta.url))
  assertListFits(
    createCatalog({ ...needs, config: readConfigFile(path, { HOUSE_KEY: 'x', CLOUD_KEY: 'y' }, builtin) }).list('all'),
  )
})

test('a bare service offers a default model of every type', () => {
  const catalog = createCatalog({ ...needs, config: emptyConfig })
  for (const type of modelTypes) {
    assert.equal(catalog.use('default', type).model.type, type)
    assert.ok(catalog.list(type).length >= 1, type)
  }
})

test('the built-in engines are the ones that this service is built for', () => {
  const names = 'composer editor embedder flite llama moonshine soundfont storyboard upscaler'
  assert.equal([...engines].sort().join(' '), names)
})

const amountsIn = (prices: object): bigint[] =>
  Object.values(prices).flatMap((value) => (typeof value === 'bigint' ? [value] : amountsIn(value)))

test('no built-in model is free, and each says what it is', () => {
  const catalog = createCatalog({ ...needs, config: emptyConfig })
  for (const { model } of modelTypes.map((type) => catalog.use('default', type))) {
    assert.ok(
      amountsIn(model.prices).some((nanos) => nanos > 0n),
      model.id,
    )
    assert.ok(model.record.model_spec.description, model.id)
  }
})

test('the names of well-known services lead to built-in models', () => {
  const catalog = createCatalog({ ...needs, config: emptyConfig })
  const names = {
    'gpt-4o-mini': 'text',
    'text-embedding-3-small': 'embedding',
    'dall-e-3': 'image',
    'tts-1': 'tts',
    'whisper-1': 'asr',
  } as const
  for (const [name, type] of Object.entries(names)) assert.equal(catalog.use(name, type).model.type, type)
})

test('styles and limits are data too', () => {
  const catalog = createCatalog({ ...needs, config: emptyConfig })
  for (const name of ['3D Model', 'Analog Film', 'Anime', 'Cinematic', 'Comic Book', 'Digital Art']) {
    assert.ok(catalog.styles().includes(name), name)
  }
  assert.deepEqual(catalog.limits().tiers.paid?.XS, { rpm: 500, tpm: 1_000_000 })
  assert.deepEqual(catalog.limits().errorBudget, { windowSeconds: 30, failed: 20, unsupported: 20 })
})
