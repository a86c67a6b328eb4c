import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { halfMask, input, look } from '../upstream/fixtures/picture-server.js'
import { startComfyUi } from './fixtures/comfyui-server.js'
import { usualGenerate } from './usual-workflows.js'
import type { Workflow } from './workflow.js'

const model = 'own'
const red = [255, 0, 0, 255]
const green = [0, 255, 0, 255]
const blue = [0, 0, 255, 255]

/** A server whose model `own` has these workflows. */
const startWith = async (
  test: TestContext,
  workflows: { generate?: Workflow; edit?: Workflow; upscale?: Workflow },
) => {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-workflow-'))
  test.after(() => rmSync(folder, { recursive: true }))
  const files = Object.entries(workflows).map(([work, workflow]) => {
    const path = join(folder, `${work}.json`)
    writeFileSync(path, JSON.stringify(workflow))
    return [work, path]
  })
  return { folder, ...(await startComfyUi(test, { [model]: Object.fromEntries(files) })) }
}
const sentWorkflow = (json: Record<string, unknown> | undefined) => json?.prompt as Workflow
const changed = (change: (workflow: Workflow) => void): Workflow => {
  const workflow = structuredClone(usualGenerate)
  change(workflow)
  return workflow
}
const own = changed(({ checkpoint, empty, sampler }) => {
  Object.assign(checkpoint?.inputs ?? {}, { ckpt_name: 'photon.safetensors' })
  Object.assign(empty?.inputs ?? {}, { batch_size: 1 })
  Object.assign(sampler?.inputs ?? {}, { steps: '{{steps=8}}', cfg: 1 })
})

test('a model is a checkpoint unless it has a workflow, and makes as many pictures as ordered', async (test) => {
  const { generate, to, web } = await startComfyUi(test)
  const pictures = await generate({
    ...{ count: 2, width: 61, height: 30, negativePrompt: 'rain', steps: 9, guidance: 4, style: 'Anime' },
  })
  assert.deepEqual(await Promise.all(pictures.map(({ bytes }) => look(bytes))), [
    { size: [61, 30], pixel: red },
    { size: [61, 30], pixel: blue },
  ])
  const { checkpoint, positive, negative, empty, sampler } = sentWorkflow(to('/prompt')[0]?.json)
  assert.equal(checkpoint?.inputs.ckpt_name, 'photon.safetensors')
  assert.deepEqual([positive?.inputs.text, negative?.inputs.text], ['a fox, Anime style', 'rain'])
  assert.deepEqual(empty?.inputs, { width: 64, height: 32, batch_size: 2 })
  const { seed, steps, cfg } = sampler?.inputs ?? {}
  assert.deepEqual([seed, steps, cfg], [7, 9, 4])
  assert.deepEqual([web.opened[0]?.['x-token'], web.opened[0]?.origin], ['own', undefined])
})

test('the workflow does not reach callers inside the picture', async (test) => {
  const { generate, files } = await startComfyUi(test)
  const [{ bytes } = assert.fail()] = await generate()
  assert.ok([...files.values()].some((file) => file.includes('CheckpointLoaderSimple')))
  assert.ok(!Buffer.from(bytes).includes('CheckpointLoaderSimple'))
})

test('an edit starts from the image; what is uploaded does not stay', async (test) => {
  const { edit, to } = await startComfyUi(test)
  const { bytes } = await edit({ width: 61, height: 31 })
  assert.deepEqual(await look(bytes), { size: [61, 31], pixel: green })
  const form = to('/upload/image')[0]?.form
  assert.equal(form?.get('type'), 'temp')
  assert.match((form?.get('image') as File).name, /^tessera-.+\.png$/)
  const { image, sampler } = sentWorkflow(to('/prompt')[0]?.json)
  assert.match(String(image?.inputs.image), /^tessera-.+\.png \[temp\]$/)
  assert.equal(sampler?.inputs.denoise, 0.75)
})

test('an edit with a mask changes what is transparent in it and nothing else, also when the shape changes', async (test) => {
  const { edit } = await startComfyUi(test)
  const mask = await halfMask(64, 32)
  const { bytes } = await edit({ mask })
  assert.deepEqual((await look(bytes, 4, 16)).pixel, blue)
  assert.deepEqual((await look(bytes, 60, 16)).pixel, red)
  const square = await edit({ mask, width: 32, height: 32, hasFixedShape: true })
  assert.deepEqual(await look(square.bytes, 2, 16), { size: [32, 32], pixel: blue })
  assert.deepEqual((await look(square.bytes, 30, 16)).pixel, red)
  await assert.rejects(async () => edit({ mask: await input(64, 32) }), {
    trouble: 'refused',
    said: /transparent nowhere/,
  })
})

test('a picture grows to the ordered size with an upscale model', async (test) => {
  const { upscale } = await startComfyUi(test)
  assert.deepEqual(await look((await upscale()).bytes), { size: [128, 64], pixel: red })
})

test('a workflow of the operator is filled in, and run once for each picture when it has no place for a count', async (test) => {
  const { generate, to } = await startWith(test, { generate: own })
  const pictures = await generate({ model, count: 3, seed: 2 ** 31 - 2 })
  assert.equal(pictures.length, 3)
  const sent = to('/prompt').map(({ json }) => sentWorkflow(json).sampler?.inputs)
  assert.deepEqual(
    sent.map((inputs) => [inputs?.seed, inputs?.steps, inputs?.cfg]),
    [
      [2 ** 31 - 2, 8, 1],
      [2 ** 31 - 1, 8, 1],
      [0, 8, 1],
    ],
  )
  await generate({ model, steps: 30 })
  assert.equal(sentWorkflow(to('/prompt')[3]?.json).sampler?.inputs.steps, 30)
})

test('every placeholder that a workflow may have gets its value', async (test) => {
  const everywhere =
    '{{prompt}} {{negative_prompt}} {{width}} {{height}} {{seed}} {{steps}} {{cfg}} {{count}} {{lora_strength}}'
  const withText = (text: string): Workflow => ({
    image: { class_type: 'LoadImage', inputs: { image: '{{image}}' } },
    text: { class_type: 'CLIPTextEncode', inputs: { text } },
    result: { class_type: 'PreviewImage', inputs: { images: ['image', 0] } },
  })
  const edit = withText(`${everywhere} {{model}} {{image}} {{image2}} {{image3}} {{mask}}`)
  const upscale = withText(`${everywhere} {{model}} {{image}} {{creativity}}`)
  const server = await startWith(test, { edit, upscale })
  const { image } = server
  await server.edit({ model, images: [image, image, image], mask: await halfMask(64, 32), quality: 'low' })
  await server.upscale({ model })
  const [edited, upscaled] = server.to('/prompt').map(({ json }) => String(sentWorkflow(json).text?.inputs.text))
  assert.match(edited ?? '', /^in snow {2}64 32 7 12 7 1 1 own( tessera-\S+ \[temp\]){4}$/)
  assert.match(upscaled ?? '', /^ {2}128 64 0 20 7 1 1 own tessera-\S+ \[temp\] 0.01$/)
})

test('what was saved is the result, not the previews on the way', async (test) => {
  const workflow = changed((nodes) => {
    Object.assign(nodes, {
      ...{ small: { class_type: 'EmptyLatentImage', inputs: { width: 8, height: 8, batch_size: 1 } } },
      ...{ early: { class_type: 'VAEDecode', inputs: { samples: ['small', 0], vae: ['checkpoint', 2] } } },
      ...{ a: { class_type: 'PreviewImage', inputs: { images: ['early', 0] } } },
      ...{ z: { class_type: 'SaveImage', inputs: { images: ['decoded', 0] } } },
    })
    Object.assign(nodes.checkpoint?.inputs ?? {}, { ckpt_name: 'photon.safetensors' })
  })
  const { generate, to } = await startWith(test, { generate: workflow })
  await generate({ model })
  assert.equal(to('/view')[0]?.query.get('type'), 'output')
})

test('a workflow without a place for a wish is not used for it', async (test) => {
  const edit: Workflow = {
    image: { class_type: 'LoadImage', inputs: { image: '{{image}}' } },
    result: { class_type: 'PreviewImage', inputs: { images: ['image', 0] } },
  }
  const server = await startWith(test, { generate: own, edit })
  const { image } = server
  const says = (said: string) => ({ trouble: 'unsupported', said })
  await assert.rejects(async () => server.generate({ model, guidance: 3 }), says('a guidance scale'))
  await assert.rejects(async () => server.edit({ model, mask: await halfMask(64, 32) }), says('a mask'))
  await assert.rejects(async () => server.edit({ model, images: [image, image] }), says('more than one image'))
  await assert.rejects(async () => server.edit({ images: [image, image] }), says('more than one image'))
  await assert.rejects(
    async () => server.generate({ styleReferences: [{ image, strength: 1 }] }),
    says('style references'),
  )
  assert.equal(server.to('/prompt').length, 0)
  const kept = await server.edit({ model, width: 61, height: 31 })
  assert.deepEqual((await look(kept.bytes)).size, [64, 32], 'an edit may choose its shape')
})

test('a workflow that wants a second image is not run without one', async (test) => {
  const edit: Workflow = {
    first: { class_type: 'LoadImage', inputs: { image: '{{image}}' } },
    second: { class_type: 'LoadImage', inputs: { image: '{{image2}}' } },
    result: { class_type: 'PreviewImage', inputs: { images: ['second', 0] } },
  }
  const server = await startWith(test, { edit })
  await assert.rejects(async () => server.edit({ model }), { trouble: 'refused', said: 'image2 is missing' })
  const { bytes } = await server.edit({
    model,
    images: [server.image, await input(16, 16, { r: 0, g: 0, b: 255, alpha: 1 })],
  })
  assert.deepEqual(await look(bytes), { size: [16, 16], pixel: blue })
})

test('without a WebSocket the history is asked again and again', async (test) => {
  const { generate, createEngine, web, to, hold } = await startComfyUi(test)
  web.refuse()
  const release = hold()
  const drawing = generate({}, createEngine({ pollMs: 5 }))
  while (to('/queue').length < 2) await new Promise((resolve) => setImmediate(resolve))
  release()
  assert.equal((await drawing).length, 1)
})

test('a WebSocket that breaks in the middle is not needed any more', async (test) => {
  const { generate, createEngine, web, hold, request } = await startComfyUi(test)
  const release = hold()
  const drawing = generate({}, createEngine({ pollMs: 5 }))
  await request('/prompt')
  while (web.sockets.size === 0) await new Promise((resolve) => setImmediate(resolve))
  web.cut()
  release()
  assert.equal((await drawing).length, 1)
})
