import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  blue,
  drawPng,
  faults,
  flood,
  halfMask,
  input,
  look,
  red,
  sendBytes,
  sendJson,
  silence,
  withNote,
} from '../upstream/fixtures/picture-server.js'
import { startImagesServer } from './fixtures/images-server.js'

const path = '/v1/images/generations'
const route = `POST ${path}`
const colour = ({ r, g, b }: typeof red) => [r, g, b, 255]

test('pictures are asked for with what servers of this kind know, and come in order', async (test) => {
  const { generate, received } = await startImagesServer(test)
  const pictures = await generate({
    ...{ count: 2, negativePrompt: 'rain', steps: 9, guidance: 3.5, quality: 'high', style: 'Watercolor' },
    ...{ isTransparent: true, format: 'jpeg' },
  })
  const seen = await Promise.all(pictures.map(({ bytes }) => look(bytes)))
  assert.deepEqual(seen, [
    { size: [64, 32], pixel: colour(red) },
    { size: [64, 32], pixel: colour(blue) },
  ])
  const [{ json, headers } = assert.fail()] = received
  assert.equal(headers.authorization, 'Bearer sk-own')
  assert.deepEqual(json, {
    ...{ model: 'painter', prompt: 'a fox, Watercolor style', n: 2, size: '64x32', quality: 'high', seed: 7 },
    ...{ response_format: 'b64_json', output_format: 'png', background: 'transparent' },
    ...{ negative_prompt: 'rain', num_inference_steps: 9, guidance_scale: 3.5 },
  })
})

test('OpenAI itself is sent nothing that it refuses, and what it cannot do is said', async (test) => {
  const { original, generateCall, received } = await startImagesServer(test)
  await original.generate?.(generateCall({ model: 'gpt-image-1', negativePrompt: 'rain', quality: 'low' }))
  await original.generate?.(generateCall({ model: 'dall-e-3', quality: 'high' }))
  await original.generate?.(generateCall({ model: 'dall-e-2', quality: 'high' }))
  assert.deepEqual(
    received.map(({ json }) => json),
    [
      {
        ...{ model: 'gpt-image-1', prompt: 'a fox\n\nAvoid: rain', n: 1, size: '64x32', quality: 'low' },
        ...{ response_format: 'b64_json', output_format: 'png' },
      },
      {
        ...{ model: 'dall-e-3', prompt: 'a fox', n: 1, size: '64x32', quality: 'hd' },
        ...{ response_format: 'b64_json', output_format: 'png' },
      },
      {
        ...{ model: 'dall-e-2', prompt: 'a fox', n: 1, size: '64x32' },
        ...{ response_format: 'b64_json', output_format: 'png' },
      },
    ],
  )
  await assert.rejects(async () => original.generate?.(generateCall({ steps: 5 })), {
    trouble: 'unsupported',
    said: 'a number of steps',
  })
  await assert.rejects(async () => original.generate?.(generateCall({ guidance: 5 })), { trouble: 'unsupported' })
})

test('a field that only says how to hand over is left out for a model that refuses it, from then on', async (test) => {
  const { generate, edit, received } = await startImagesServer(test, { shy: ['response_format', 'output_format'] })
  const sent = () =>
    received.splice(0).map(({ json, form }) => 'response_format' in json || form?.has('response_format') === true)
  await generate({ model: 'shy' })
  assert.deepEqual(sent(), [true, false, false], 'each of the two is refused once')
  await generate({ model: 'shy' })
  await edit({ model: 'shy' })
  assert.deepEqual(sent(), [false, false])
  await generate({ model: 'other' })
  assert.deepEqual(sent(), [true])
})

test('a server that makes one picture at a time is asked until there are enough, with other seeds', async (test) => {
  const { generate, received, routes } = await startImagesServer(test, { single: ['n'] })
  assert.equal((await generate({ model: 'single', count: 2, seed: 2 ** 31 - 1 })).length, 2)
  const sent = () => received.splice(0).map(({ json }) => [json.n, json.seed])
  assert.deepEqual(sent(), [
    [2, 2 ** 31 - 1],
    [undefined, 2 ** 31 - 1],
    [undefined, 0],
  ])
  routes[route] = sendJson({ data: [{ b64_json: (await drawPng(64, 32)).toString('base64') }] })
  assert.equal((await generate({ count: 3 })).length, 3)
  assert.deepEqual(sent(), [
    [3, 7],
    [2, 8],
    [1, 9],
  ])
})

test('a field that a caller asked for is not left out, and neither is one that the prompt is about', async (test) => {
  const { generate, routes, received } = await startImagesServer(test, { plain: ['num_inference_steps'] })
  await assert.rejects(generate({ model: 'plain', steps: 9 }), { trouble: 'refused' })
  routes[route] = sendJson(
    { error: { message: 'Your request was rejected: the seed of evil', code: 'moderation_blocked' } },
    400,
  )
  await assert.rejects(generate(), {
    trouble: 'refused',
    said: 'Your request was rejected: the seed of evil',
    message: 'the upstream refused the request (400)',
  })
  assert.equal(received.length, 2)
})

test('a server of FastAPI that allows no other fields is understood too', async (test) => {
  const { generate, routes, to } = await startImagesServer(test)
  const usual = routes[route]
  routes[route] = (request, response) =>
    'seed' in request.json
      ? sendJson({ detail: [{ loc: ['body', 'seed'], msg: 'Extra inputs are not permitted' }] }, 422)(request, response)
      : usual?.(request, response)
  assert.equal((await generate()).length, 1)
  assert.equal(to(path).length, 2)
})

test('a picture may come as a data URL, or lie at an address of the same server', async (test) => {
  const { generate, routes, origin } = await startImagesServer(test)
  const png = await drawPng(64, 32, blue)
  routes['GET /files/1.png'] = sendBytes(png, 'application/octet-stream')
  for (const url of [`data:image/png;base64,${png.toString('base64')}`, '/files/1.png', `${origin}/files/1.png?a=1`]) {
    routes[route] = sendJson({ data: [{ url, b64_json: null }] })
    const [picture = assert.fail()] = await generate()
    assert.deepEqual((await look(picture.bytes)).pixel, colour(blue), url)
  }
})

test('an address of another server is never fetched', async (test) => {
  const other = await startImagesServer(test)
  const { generate, routes } = await startImagesServer(test)
  const host = new URL(other.origin).host
  for (const url of [`${other.origin}/x.png`, `//${host}/x.png`, 'file:///etc/passwd', 'http://[', 'gopher://x/']) {
    routes[route] = sendJson({ data: [{ url }] })
    await assert.rejects(generate(), { trouble: 'broken', message: /not its own/ })
  }
  assert.equal(other.received.length, 0)
})

test('an edit is a form with the images, the mask and no size unless the shape was asked for', async (test) => {
  const { edit, image, received } = await startImagesServer(test)
  const mask = await halfMask(48, 32)
  await edit({ mask, quality: 'low' })
  const second = await input(8, 8, blue)
  const picture = await edit({ images: [image, second], hasFixedShape: true, width: 40, height: 24 })
  assert.deepEqual((await look(picture.bytes)).size, [40, 24])

  const [{ form: one } = assert.fail(), { form: two } = assert.fail()] = received
  const sent = one?.get('image')
  assert.ok(sent instanceof File)
  assert.deepEqual([sent.name, sent.type], ['image-1.png', 'image/png'])
  assert.deepEqual(Buffer.from(await sent.arrayBuffer()), image.bytes)
  assert.deepEqual(Buffer.from(await (one?.get('mask') as File).arrayBuffer()), mask.bytes)
  const fields = ['model', 'prompt', 'n', 'size', 'quality', 'response_format', 'seed']
  assert.deepEqual(
    fields.map((name) => one?.get(name)),
    ['painter', 'in snow', '1', null, 'low', 'b64_json', '7'],
  )
  assert.deepEqual([two?.getAll('image[]').length, two?.get('size')], [2, '40x24'])
})

test('a picture of another size is brought to the one that was ordered', async (test) => {
  const { generate, routes } = await startImagesServer(test)
  routes[route] = sendJson({ data: [{ b64_json: (await drawPng(512, 512, blue)).toString('base64') }] })
  const [picture = assert.fail()] = await generate({ width: 100, height: 40, format: 'webp' })
  assert.deepEqual(await look(picture.bytes, 99, 39), { size: [100, 40], pixel: [0, 0, 255, 255] })
})

test('what a server wrote beside the pixels does not reach callers', async (test) => {
  const { generate, routes } = await startImagesServer(test)
  const png = withNote(await drawPng(64, 32, blue), 'the secret workflow')
  assert.ok(png.includes('secret'))
  routes[route] = sendJson({ data: [{ b64_json: png.toString('base64') }] })
  const [{ bytes } = assert.fail()] = await generate()
  assert.ok(!Buffer.from(bytes).includes('secret'))
  assert.deepEqual(await look(bytes), { size: [64, 32], pixel: [0, 0, 255, 255] })
})

const wrong: [name: string, data: unknown][] = [
  ['no pictures', []],
  ['no picture in an item', [{}]],
  ['an item that is null', [null]],
  ['a picture that is none', [{ b64_json: Buffer.from('GIF89a').toString('base64') }]],
  ['a picture that only begins', [{ b64_json: Buffer.from('\x89PNG\r\n\x1a\n', 'latin1').toString('base64') }]],
  ['a number for a picture', [{ b64_json: 5 }]],
]
for (const [name, data] of wrong)
  test(`an answer with ${name} is broken`, async (test) => {
    const { generate, routes } = await startImagesServer(test)
    routes[route] = sendJson({ data })
    await assert.rejects(generate(), { name: 'EngineError', trouble: 'broken' })
  })

for (const [name, fault, trouble] of faults)
  test(`a server that ${name} is ${trouble}`, async (test) => {
    const { generate, edit, routes } = await startImagesServer(test)
    routes[route] = fault
    routes['POST /v1/images/edits'] = fault
    await assert.rejects(generate(), { name: 'EngineError', trouble })
    await assert.rejects(edit(), { name: 'EngineError', trouble })
  })

test('an error in a good answer is an error', async (test) => {
  const { generate, routes } = await startImagesServer(test)
  routes[route] = sendJson({ error: { message: 'content_policy', type: 'invalid_request_error', code: 400 } })
  await assert.rejects(generate(), { trouble: 'refused', said: 'content_policy' })
})

test('an answer that never ends is not read to its end', async (test) => {
  const { generate, routes, request } = await startImagesServer(test)
  routes[route] = flood
  await assert.rejects(generate(), { trouble: 'broken', message: /larger than 104857600 bytes/ })
  await (await request(path)).left
})

test('a server that says nothing is late, and a caller who leaves takes the request along', async (test) => {
  const { createEngine, generateCall, generate, routes, request } = await startImagesServer(test)
  routes[route] = silence
  await assert.rejects(async () => createEngine({ totalMs: 30 }).generate?.(generateCall()), { trouble: 'timeout' })
  const leaving = new AbortController()
  const left = assert.rejects(generate({ signal: leaving.signal }), { name: 'AbortError' })
  const asked = await request(path)
  leaving.abort()
  await left
  await asked.left
})
