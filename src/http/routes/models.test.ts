import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createTestClock, startService } from '../../../test/service.js'

const config = `
upstreams:
  house: { kind: openai, baseUrl: http://127.0.0.1:9/v1 }
models:
  - id: acme/chat-5.1
    type: text
    name: Acme Chat 5.1
    engine: { upstream: house, model: acme/chat }
    size: M
    privacy: private
    contextTokens: 200000
    maxCompletionTokens: 32000
    capabilities: { supportsFunctionCalling: true, optimizedForCode: true }
    pricing: { input: "1.50", cache_input: "0.30", output: "4.80" }
    traits: [default]
    aliases: [gpt-4o]
    created: 2026-01-01
  - id: acme-old
    type: text
    name: Acme Old
    engine: { upstream: house, model: acme/old }
    size: S
    privacy: anonymized
    contextTokens: 8000
    maxCompletionTokens: 2000
    pricing: { input: "0", output: "0" }
    deprecation: { date: 2026-12-01, message: "moves to acme/chat-5.1", replacement: acme/chat-5.1 }
`
const clock = createTestClock()
const service = await startService({ after }, { config, clock })

test('GET /models lists text models unless another type is asked for', async () => {
  const { status, body } = await service.get('/models')
  assert.equal(status, 200)
  assert.deepEqual([body.object, body.type], ['list', 'text'])
  assert.ok(body.data.every(({ type }: { type: string }) => type === 'text'))
  assert.equal(body.data[0].id, 'acme/chat-5.1', "the operator's own come first")
})

test('there is something of every type on a bare machine, and each filter selects its own', async () => {
  const types = ['asr', 'embedding', 'image', 'music', 'text', 'tts', 'upscale', 'inpaint', 'video']
  for (const type of types) {
    const { body } = await service.get(`/models?type=${type}`)
    assert.equal(body.type, type)
    assert.ok(body.data.length > 0, type)
    assert.ok(body.data.every((model: { type: string }) => model.type === type))
  }
  const all = (await service.get('/models?type=all')).body.data
  assert.deepEqual(new Set(all.map(({ type }: { type: string }) => type)), new Set(types))
  const code = (await service.get('/models?type=code')).body.data
  assert.deepEqual(
    code.map(({ id }: { id: string }) => id),
    ['acme/chat-5.1'],
  )
})

test('an unknown type is 400 and names the field', async () => {
  const { status, body } = await service.get('/models?type=smell')
  assert.deepEqual([status, body.issues[0].path], [400, ['type']])
  assert.equal((await service.get('/models/traits?type=all')).status, 400)
})

test('a record has our fields and those that other readers look for', async () => {
  const { body } = await service.get('/models/acme/chat-5.1')
  assert.deepEqual(
    [body.id, body.object, body.owned_by, body.created, body.context_length, body.name],
    ['acme/chat-5.1', 'model', 'svc', 1767225600, 200000, 'Acme Chat 5.1'],
  )
  assert.deepEqual(body.pricing, { prompt: '0.0000015', completion: '0.0000048' })
  assert.deepEqual(body.model_spec.pricing, {
    input: { usd: 1.5, diem: 1.5 },
    cache_input: { usd: 0.3, diem: 0.3 },
    output: { usd: 4.8, diem: 4.8 },
  })
  assert.deepEqual(body.model_spec.traits, ['default'])
})

test('traits and aliases of configured models beat the built-in ones', async () => {
  const traits = await service.get('/models/traits')
  assert.deepEqual([traits.body.object, traits.body.type, traits.body.data.default], ['list', 'text', 'acme/chat-5.1'])
  const mapping = await service.get('/models/compatibility_mapping?type=text')
  assert.equal(mapping.body.data['gpt-4o'], 'acme/chat-5.1')
  assert.equal((await service.get('/models/gpt-4o')).body.id, 'acme/chat-5.1')
  assert.equal((await service.get('/models/default')).body.id, 'acme/chat-5.1')
})

test('an unknown model is 404', async () => {
  for (const id of ['nope', 'a/b/c', '%00', '__proto__', 'constructor']) {
    const { status, body } = await service.get(`/models/${id}`)
    assert.deepEqual([status, body.code], [404, 'MODEL_NOT_FOUND'], id)
  }
})

test('a deprecated model carries the warning, and once retired it is gone and names its replacement', async () => {
  const { headers } = await service.get('/models/acme-old')
  assert.equal(headers['x-svc-model-deprecation-warning'], 'moves to acme/chat-5.1')
  assert.match(String(headers['x-svc-model-deprecation-date']), /^2026-12-01/)
  const ids = async () => (await service.get('/models')).body.data.map(({ id }: { id: string }) => id)
  assert.ok((await ids()).includes('acme-old'))

  clock.set(Date.UTC(2026, 11, 1))
  assert.ok(!(await ids()).includes('acme-old'), 'left out from the very moment')
  const { status, body } = await service.get('/models/acme-old')
  assert.equal(status, 410)
  assert.match(body.error, /'acme-old' was retired on 2026-12-01.*use 'acme\/chat-5\.1' instead/)
})

test('GET /image/styles lists names', async () => {
  const { body } = await service.get('/image/styles')
  assert.equal(body.object, 'list')
  assert.ok(body.data.includes('Anime'))
})
