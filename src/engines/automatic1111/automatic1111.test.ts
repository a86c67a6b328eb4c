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
  sendJson,
  silence,
} from '../upstream/fixtures/picture-server.js'
import { startWebUi } from './fixtures/webui-server.js'

const path = '/sdapi/v1/txt2img'

test('a prompt becomes as many pictures as were asked for, in the ordered size', async (test) => {
  const { generate, to } = await startWebUi(test)
  const pictures = await generate({
    ...{ count: 2, width: 61, height: 30, negativePrompt: 'rain', guidance: 4, style: 'Anime', loraStrength: 50 },
    ...{ quality: 'high', isWatermarkHidden: true },
  })
  assert.deepEqual(await Promise.all(pictures.map(({ bytes }) => look(bytes))), [
    { size: [61, 30], pixel: [255, 0, 0, 255] },
    { size: [61, 30], pixel: [0, 0, 255, 255] },
  ])
  const { force_task_id, ...body } = to(path)[0]?.json ?? {}
  assert.match(String(force_task_id), /^task\(tessera-/)
  assert.deepEqual(body, {
    ...{ prompt: 'a fox, Anime style', negative_prompt: 'rain', seed: 7, steps: 30, cfg_scale: 4 },
    ...{ width: 64, height: 32, batch_size: 1, n_iter: 2, send_images: true, save_images: false },
    ...{ override_settings: { sd_model_checkpoint: 'photon' }, override_settings_restore_afterwards: false },
  })
})

test('steps are what a caller says, and otherwise a matter of quality', async (test) => {
  const { generate, to } = await startWebUi(test)
  await generate({ steps: 5, quality: 'high' })
  await generate({ quality: 'low' })
  await generate()
  assert.deepEqual(
    to(path).map(({ json }) => json.steps),
    [5, 12, 20],
  )
})

test('a checkpoint that the server does not have is not drawn with another one', async (test) => {
  const { generate, edit, received } = await startWebUi(test)
  const missing = { trouble: 'unavailable', message: "the upstream has no checkpoint 'flux'" }
  await assert.rejects(generate({ model: 'flux' }), missing)
  await assert.rejects(edit({ model: 'flux' }), missing)
  assert.deepEqual(new Set(received.map((request) => request.path)), new Set(['/sdapi/v1/sd-models']))
  for (const model of ['photon', 'photon.safetensors', 'ec41bd2a82', 'photon']) await generate({ model })
  assert.equal(received.filter((request) => request.path === path).length, 4)
  assert.equal(
    received.filter((request) => request.path === '/sdapi/v1/sd-models').length,
    5,
    'found ones are remembered',
  )
})

test('a model without a name is whatever the server has loaded, and a server without a list is believed', async (test) => {
  const { generate, createEngine, routes, to } = await startWebUi(test)
  await generate({ model: 'our-own-name' }, createEngine({}, { usesLoaded: true }))
  delete routes['GET /sdapi/v1/sd-models']
  await generate({ model: 'flux' })
  assert.deepEqual(
    to(path).map(({ json }) => json.override_settings),
    [{}, { sd_model_checkpoint: 'flux' }],
  )
})

test('a grid before the pictures is passed over', async (test) => {
  const { generate, routes, answer } = await startWebUi(test)
  const images = [await drawPng(128, 32), await drawPng(64, 32, blue), await drawPng(64, 32, blue)]
  routes[`POST ${path}`] = (_, response) => answer(response, images, 1)
  for (const { bytes } of await generate({ count: 2 })) assert.deepEqual((await look(bytes)).pixel, [0, 0, 255, 255])
})

test('an edit starts from the image', async (test) => {
  const { edit, to } = await startWebUi(test)
  const picture = await edit({ width: 61, height: 31 })
  assert.deepEqual(await look(picture.bytes), { size: [61, 31], pixel: [255, 0, 0, 255] })
  const { init_images, mask, denoising_strength, width, prompt } = to('/sdapi/v1/img2img')[0]?.json ?? {}
  assert.match(String((init_images as string[])[0]), /^data:image\/png;base64,iVBOR/)
  assert.deepEqual([mask, denoising_strength, width, prompt], [undefined, 0.75, 64, 'in snow'])
})

test('an edit with a mask changes what is transparent in it, whatever its size, and nothing else', async (test) => {
  const { edit } = await startWebUi(test)
  for (const mask of [await halfMask(64, 32), await halfMask(32, 16)]) {
    const { bytes } = await edit({ mask })
    assert.deepEqual((await look(bytes, 4, 16)).pixel, [0, 0, 255, 255])
    assert.deepEqual((await look(bytes, 60, 16)).pixel, [255, 0, 0, 255])
  }
})

test('a mask that is opaque or broken is the fault of the caller', async (test) => {
  const { edit, to } = await startWebUi(test)
  await assert.rejects(edit({ mask: await input(64, 32) }), { trouble: 'refused', said: /transparent nowhere/ })
  const { bytes, ...size } = await halfMask(64, 32)
  const cut = { bytes: bytes.subarray(0, 60), ...size }
  await assert.rejects(edit({ mask: cut }), { trouble: 'unreadable', said: 'mask cannot be read' })
  assert.equal(to('/sdapi/v1/img2img').length, 0)
})

test('what it cannot do is said and not passed over', async (test) => {
  const { edit, generate, image } = await startWebUi(test)
  await assert.rejects(edit({ images: [image, image] }), { trouble: 'unsupported', said: 'more than one image' })
  await assert.rejects(generate({ styleReferences: [{ image, strength: 1 }] }), {
    trouble: 'unsupported',
    said: 'style references',
  })
})

test('a picture grows to the ordered size with the upscaler that the model names', async (test) => {
  const { upscale, to } = await startWebUi(test)
  const { bytes } = await upscale()
  assert.deepEqual(await look(bytes), { size: [128, 64], pixel: Object.values({ ...red, alpha: 255 }) })
  const { image: _, ...body } = to('/sdapi/v1/extra-single-image')[0]?.json ?? {}
  assert.deepEqual(body, {
    ...{ resize_mode: 1, upscaling_resize_w: 128, upscaling_resize_h: 64, upscaling_crop: true },
    upscaler_1: 'R-ESRGAN 4x+',
  })
})

for (const [name, fault, trouble] of faults)
  test(`a server that ${name} is ${trouble}`, async (test) => {
    const { generate, edit, upscale, routes } = await startWebUi(test)
    for (const work of ['txt2img', 'img2img', 'extra-single-image']) routes[`POST /sdapi/v1/${work}`] = fault
    for (const work of [generate, edit, upscale])
      await assert.rejects(async () => work(), { name: 'EngineError', trouble })
  })

test('pictures that are none, or too few, are broken', async (test) => {
  const { generate, routes } = await startWebUi(test)
  for (const images of [[], ['R0lGODlh'], [null], 'x']) {
    routes[`POST ${path}`] = sendJson({ images, info: '{}' })
    await assert.rejects(generate(), { trouble: 'broken' })
  }
  routes[`POST ${path}`] = flood
  await assert.rejects(generate(), { trouble: 'broken', message: /larger than/ })
})

test('a caller who leaves stops the task, but only when it is the one that runs', async (test) => {
  const { generate, hold, request, to, routes, finished } = await startWebUi(test)
  const release = hold()
  const others = generate({ prompt: 'of somebody else' })
  const running = await request(path)
  const leaving = new AbortController()
  const left = assert.rejects(generate({ prompt: 'left', signal: leaving.signal }), { name: 'AbortError' })
  const looks: unknown[] = []
  const progress = routes['POST /internal/progress']
  let seenQueued = () => {}
  const queued = new Promise<void>((resolve) => {
    seenQueued = resolve
  })
  routes['POST /internal/progress'] = (asked, response) => {
    looks.push(asked.json.id_task)
    if (looks.length === 3) seenQueued()
    return progress?.(asked, response)
  }
  while (to(path).length < 2) await new Promise((resolve) => setImmediate(resolve))
  leaving.abort()
  await left
  await queued
  assert.equal(to('/sdapi/v1/interrupt').length, 0, 'somebody else is drawing')

  hold()
  release()
  assert.equal((await others).length, 1)
  await request('/sdapi/v1/interrupt')
  const mine = to(path)[1]?.json.force_task_id
  assert.deepEqual(new Set(looks), new Set([mine]))
  while (finished.length < 2) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(finished, [running.json.force_task_id, mine])
})

test('a task that takes too long is stopped as well', async (test) => {
  const { generate, createEngine, hold, request } = await startWebUi(test)
  hold()
  await assert.rejects(async () => generate({}, createEngine({ totalMs: 500 })), { trouble: 'timeout' })
  await request('/sdapi/v1/interrupt')
})

test('a server that does not say what it is doing is not interrupted', async (test) => {
  const { generate, routes, request, to } = await startWebUi(test)
  routes[`POST ${path}`] = silence
  delete routes['POST /internal/progress']
  const leaving = new AbortController()
  const left = assert.rejects(generate({ signal: leaving.signal }), { name: 'AbortError' })
  const asked = await request(path)
  leaving.abort()
  await left
  await asked.left
  await request('/internal/progress')
  assert.equal(to('/sdapi/v1/interrupt').length, 0)
})
