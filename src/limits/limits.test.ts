import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBuiltin } from '#catalog/builtin.js'
import { createCatalog } from '#catalog/catalog.js'
import { parseConfig } from '#catalog/config/config-file.js'
import { createTestClock } from '../../test/service.js'
import { createLimits } from './limits.js'

const clock = createTestClock()
const catalogOf = (text: string) =>
  createCatalog({
    config: parseConfig(`builtinModels: false\nupstreams: { u: { kind: openai, baseUrl: "http://x" } }\n${text}`, {
      file: 'tessera.yaml',
      env: {},
    }),
    builtin: readBuiltin(),
    clock,
    engines: new Set(),
    createdDefault: 0,
  })
const model = (id: string, type: string, fields: string) =>
  `  - { id: ${id}, type: ${type}, engine: { upstream: u }, ${fields} }\n`
const models = `models:
${model('small', 'text', 'size: S, contextTokens: 100, pricing: { input: "0", output: "0" }')}${model('embed', 'embedding', 'pricing: { input: "0" }')}${model('paint', 'image', 'pricing: { generation: "0" }')}${model('speak', 'tts', 'pricing: { input: "0" }')}${model('sing', 'music', 'pricing: { generation: "0" }, limits: { rpm: 1 }')}${model('film', 'video', 'constraints: { aspect_ratios: [], resolutions: [], durations: [], model_type: text-to-video, audio: false, audio_configurable: false }, pricing: { generation: "0" }')}`

const key = { accountId: 'account', keyId: 'key', tier: 'paid' }
const wallet = { accountId: 'wallet', keyId: null, tier: 'paid' }

test('models are limited by their size or type; music and video are not', () => {
  const offer = catalogOf(models)
  const limits = createLimits({ catalog: () => offer, clock })
  const rates = Object.fromEntries(limits.list(key).flatMap(({ modelId, rate }) => (modelId ? [[modelId, rate]] : [])))
  assert.deepEqual(rates, {
    small: { rpm: 75, tpm: 750_000 },
    embed: { rpm: 500, tpm: 1_000_000 },
    paint: { rpm: 20 },
    speak: { rpm: 60 },
    sing: {},
    film: {},
  })
  assert.deepEqual([limits.countOf(key, 'sing', 0), limits.countOf(key, 'film', 0)], [undefined, undefined])
  assert.equal(limits.countOf(key, 'a model that is not there', 0), undefined)
})

test('a wallet is counted by itself, as a key is', () => {
  const offer = catalogOf(`${models}limits: { tiers: { paid: { account: { rpm: 9 } } }, global: { rpm: 99 } }\n`)
  const limits = createLimits({ catalog: () => offer, clock })
  const subjects = (who: typeof key | typeof wallet) =>
    limits.countOf(who, 'small', 0)?.windows.map(({ limit, subject }) => [limit.scope, subject])
  assert.deepEqual(subjects(key), [
    ['api_key', 'key small'],
    ['user', 'account'],
    ['global', 'everybody'],
  ])
  assert.deepEqual(subjects(wallet), [
    ['api_key', 'wallet small'],
    ['user', 'wallet'],
    ['global', 'everybody'],
  ])
})

test('a config file that is changed counts from the next request on', () => {
  let offer = catalogOf(models)
  const limits = createLimits({ catalog: () => offer, clock })
  const most = () => limits.countOf(key, 'small', 0)?.windows[0]?.limit.requestsMax
  assert.equal(most(), 75)
  offer = catalogOf(`${models}limits: { tiers: { paid: { S: { rpm: 7 } } } }\n`)
  assert.equal(most(), 7)
})

test('an account with limits of its own follows its tier as well', () => {
  const accountId = '00000000-0000-4000-8000-000000000001'
  const offer = catalogOf(`${models}limits: { accounts: { ${accountId}: { S: { tpm: 5 } } } }\n`)
  const limits = createLimits({ catalog: () => offer, clock })
  const most = (tier: string) => {
    const { requestsMax, tokensMax } =
      limits.countOf({ accountId, keyId: 'key', tier }, 'small', 0)?.windows[0]?.limit ?? {}
    return [requestsMax, tokensMax]
  }
  assert.deepEqual(
    [most('paid'), most('partner'), most('paid')],
    [
      [75, 5],
      [150, 5],
      [75, 5],
    ],
  )
})

test('names that every object has are names like others', () => {
  const offer = catalogOf(`${models}limits: { tiers: { constructor: { L: { rpm: 1 } } } }\n`)
  const limits = createLimits({ catalog: () => offer, clock })
  const most = (tier: string) => limits.countOf({ ...key, tier }, 'small', 0)?.windows[0]?.limit.requestsMax
  assert.deepEqual([most('constructor'), most('toString'), most('__proto__')], [75, 75, 75])
})
