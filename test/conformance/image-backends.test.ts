import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { startWebUi } from '../../src/engines/automatic1111/fixtures/webui-server.js'
import { startComfyUi } from '../../src/engines/comfyui/fixtures/comfyui-server.js'
import { startImagesServer } from '../../src/engines/openai/fixtures/images-server.js'
import { faults, silence } from '../../src/engines/upstream/fixtures/picture-server.js'
import { script, startFakeUpstream } from '../fakes/upstream.js'
import { base64, startImageService } from '../image-service.js'
import { factsOf, scenery } from '../pictures.js'
import { until } from '../text-service.js'

/** The operator's own backends behind our endpoints, from the config file to the bill. */
const context = { after } as unknown as TestContext
const cloud = await startImagesServer(context)
const webUi = await startWebUi(context)
const comfy = await startComfyUi(context)
const house = await startFakeUpstream(context as never)
const image = base64(await scenery(800, 600).jpeg().withMetadata({ orientation: 6 }).toBuffer())

const ratios = '["1:1", "3:2", "2:3", "16:9"]'
const config = `
upstreams:
  cloud: { kind: openai, baseUrl: "${cloud.origin}/v1", apiKey: sk-own, timeoutMs: 5000 }
  web: { kind: automatic1111, baseUrl: "${webUi.origin}" }
  comfy: { kind: comfyui, baseUrl: "${comfy.origin}" }
  house: { kind: openai, baseUrl: "${house.baseUrl}" }
models:
  - { id: writer, type: text, engine: { upstream: house }, contextTokens: 4000, pricing: { input: "1", output: "2" }, traits: [default] }
  - { id: cloud-image, type: image, engine: { upstream: cloud, model: painter }, traits: [default],
      constraints: { aspectRatios: ${ratios}, resolutions: [1K, 2K], qualities: [low, high], defaultQuality: high },
      pricing: { quality: { 1K: { low: "0.01", high: "0.04" }, 2K: { low: "0.02", high: "0.08" } } } }
  - { id: web-image, type: image, engine: { upstream: web }, pricing: { generation: "0.01" } }
  - { id: comfy-image, type: image, engine: { upstream: comfy, model: photon.safetensors }, pricing: { generation: "0.01" } }
  - { id: cloud-edit, type: inpaint, engine: { upstream: cloud, model: painter }, capabilities: { maxInputImages: 3 },
      constraints: { aspectRatios: ${ratios}, combineImages: true }, pricing: { inpaint: "0.05", inputImages: { included: 1, additional: "0.01" } } }
  - { id: web-edit, type: inpaint, engine: { upstream: web }, constraints: { aspectRatios: ${ratios} }, pricing: { inpaint: "0.02" } }
  - { id: comfy-edit, type: inpaint, engine: { upstream: comfy, model: photon.safetensors }, constraints: { aspectRatios: ${ratios} }, pricing: { inpaint: "0.02" } }
  - { id: web-upscale, type: upscale, engine: { upstream: web, model: R-ESRGAN }, pricing: { upscale: { 2x: "0.02", 4x: "0.08" } }, traits: [default] }
`
const logLines: string[] = []
const service = await startImageService({ after }, { config, logLines })
const { post, costOf } = service
const generate = (model: string, body: object = {}) =>
  post('/image/generate', { model, prompt: 'a fox in the snow', return_binary: true, format: 'png', ...body })

test('each kind of backend draws, and the answer has the size and format that was asked for', async () => {
  for (const [model, router] of Object.entries({
    'cloud-image': 'cloud',
    'web-image': 'web',
    'comfy-image': 'comfy',
  })) {
    const { result, usd } = await costOf(() => generate(model, { width: 520, height: 264, format: 'webp' }))
    assert.equal(result.status, 200, `${model}: ${JSON.stringify(result.json)}`)
    const { width, height, format } = await factsOf(result.bytes)
    assert.deepEqual([width, height, format], [520, 264, 'webp'])
    assert.equal(result.headers.get('x-svc-model-router'), router)
    assert.equal(usd, model === 'cloud-image' ? 40_000_000n : 10_000_000n)
  }
})

test('each kind of backend edits; a sideways photograph arrives upright and in a shape that the model has', async () => {
  for (const model of ['cloud-edit', 'web-edit', 'comfy-edit']) {
    const answer = await post('/image/edit', { model, image, prompt: 'make it winter' })
    assert.equal(answer.status, 200, `${model}: ${JSON.stringify(answer.json)}`)
    const { width, height, format } = await factsOf(answer.bytes)
    assert.deepEqual([width, height, format], [840, 1256, 'png'], model)
  }
  const { form } = cloud.to('/v1/images/edits').at(-1) ?? {}
  assert.equal(form?.get('size'), '840x1256')
  const sent = Buffer.from(await (form?.get('image') as Blob).arrayBuffer())
  const facts = await factsOf(sent)
  assert.deepEqual([facts.width, facts.height, facts.hasExif], [600, 800, false])
})

test('the default models are those of the operator', async () => {
  assert.equal((await post('/images/generations', { prompt: 'a fox' })).headers.get('x-svc-model-id'), 'cloud-image')
  assert.equal((await post('/image/edit', { image, prompt: 'snow' })).headers.get('x-svc-model-id'), 'cloud-edit')
})

test('prices by quality, tier and further input images', async () => {
  const price = async (work: () => ReturnType<typeof post>) => {
    const { result, usd } = await costOf(work)
    assert.equal(result.status, 200, JSON.stringify(result.json))
    return usd
  }
  assert.equal(await price(() => generate('cloud-image', { quality: 'low' })), 10_000_000n)
  assert.equal(await price(() => generate('cloud-image', { resolution: '2K', quality: 'low' })), 20_000_000n)
  assert.equal(await price(() => generate('cloud-image', { variants: 2, return_binary: false })), 80_000_000n)
  const several = { modelId: 'cloud-edit', images: [image, image, image], prompt: 'combine' }
  assert.equal(await price(() => post('/image/multi-edit', several)), 70_000_000n)
  const refusal = await generate('cloud-image', { quality: 'medium' })
  assert.match(refusal.json.error, /quality must be one of low, high/)
})

test('an upscaler of the operator enlarges', async () => {
  const answer = await post('/image/upscale', { image, scale: 2 })
  const { width, height, format } = await factsOf(answer.bytes)
  assert.deepEqual([width, height, format], [1200, 1600, 'png'])
})

for (const [name, route] of faults)
  test(`a backend that ${name}: a clear answer, and nothing is charged`, async (test) => {
    const usual = cloud.routes['POST /v1/images/generations']
    test.after(() => {
      cloud.routes['POST /v1/images/generations'] = usual as never
    })
    cloud.routes['POST /v1/images/generations'] = route
    const { result, usd } = await costOf(() => generate('cloud-image'))
    assert.ok([400, 429, 500, 503].includes(result.status), `${result.status}`)
    assert.doesNotMatch(JSON.stringify(result.json), /CUDA|username|127\.0\.0\.1/)
    assert.equal(usd, 0n)
    // Others should not wait until the breaker closes again.
    await until(async () => ((await generate('web-image')).status === 200 ? true : undefined))
  })

test('who leaves pays nothing, and the backend is let go', async () => {
  const fresh = await startImageService({ after }, { config })
  cloud.routes['POST /v1/images/generations'] = silence
  const before = cloud.to('/v1/images/generations').length
  const leaving = new AbortController()
  const left = fetch(`${fresh.baseURL}/image/generate`, {
    method: 'POST',
    headers: { authorization: `Bearer ${fresh.rich.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'cloud-image', prompt: 'a fox' }),
    signal: leaving.signal,
  }).catch(() => 'left')
  const asked = await until(async () => cloud.to('/v1/images/generations')[before])
  leaving.abort()
  assert.equal(await left, 'left')
  await asked.left
  await until(async () => {
    const [open] = await fresh.sql`select 1 from ledger_hold where account_id = ${fresh.rich.accountId}`
    return open === undefined ? true : undefined
  })
  assert.equal((await fresh.rich.balances()).usd, 100_000_000_000n)
})

test('a connected text model rewrites prompts, sees no picture if it cannot, and is not needed', async () => {
  const words = ['Prompt: ', '"A red fox in deep snow at dawn, soft light"']
  house.next(script.answer({ words }))
  const { result, usd } = await costOf(() => generate('web-image', { enhance_prompt: true }))
  assert.equal(result.status, 200, JSON.stringify(result.json))
  assert.equal(
    decodeURIComponent(result.headers.get('x-svc-enhanced-prompt') ?? ''),
    'A red fox in deep snow at dawn, soft light',
  )
  assert.equal(usd, 50_000_000n)
  assert.match(webUi.to('/sdapi/v1/txt2img').at(-1)?.json.prompt as string, /^A red fox in deep snow/)
  house.next(script.fail(400), script.answer({ words: ['  '] }))
  for (const _ of [1, 2]) {
    const failed = await costOf(() => generate('web-image', { enhance_prompt: true }))
    assert.deepEqual([failed.result.status, failed.result.headers.get('x-svc-enhanced-prompt')], [200, null])
    assert.equal(failed.usd, 10_000_000n)
  }
})

test('nothing of prompts and pictures reaches the log', () => {
  const log = logLines.join('\n')
  for (const secret of ['fox', 'winter', 'iVBOR', '/9j/', 'sk-own']) assert.ok(!log.includes(secret), secret)
})
