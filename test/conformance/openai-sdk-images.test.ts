import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import OpenAI, { toFile } from 'openai'
import { startImageService } from '../image-service.js'
import { colorOf, factsOf, plain, scenery } from '../pictures.js'
import { thrown } from '../text-service.js'

const service = await startImageService({ after })
const client = new OpenAI({ baseURL: service.baseURL, apiKey: service.rich.key, maxRetries: 0 })
const bytesOf = (answer: OpenAI.Images.ImagesResponse) => Buffer.from(answer.data?.[0]?.b64_json ?? '', 'base64')

test('images.generate works with the names of OpenAI, and answers in base64', async () => {
  for (const model of ['gpt-image-1', 'dall-e-3', 'some-model-of-tomorrow']) {
    const { result, usd } = await service.costOf(() =>
      client.images.generate({ model, prompt: 'a lighthouse by the sea', size: '1536x1024' }),
    )
    assert.ok(Math.abs(result.created - Date.now() / 1000) < 60)
    const { format, width, height } = await factsOf(bytesOf(result))
    assert.deepEqual([format, width, height], ['png', 1536, 1024])
    assert.equal(usd, 1_000_000n)
  }
})

test('images.generate gives a data URL, another format and a transparent background', async () => {
  const byUrl = await client.images.generate({ prompt: 'a tree', response_format: 'url', size: '256x256' })
  assert.match(byUrl.data?.[0]?.url ?? '', /^data:image\/png;base64,/)
  const clear = await client.images.generate({
    ...{ prompt: 'a tree', background: 'transparent', output_format: 'webp', size: '512x512' as const },
  })
  const { format, hasAlpha } = await factsOf(bytesOf(clear))
  assert.deepEqual([format, hasAlpha], ['webp', true])
})

test('images.generate is refused in words: too many, a size that is none, transparent JPEG', async () => {
  const told = async (body: object) => {
    const error = await thrown(client.images.generate({ prompt: 'a tree', ...body }))
    return `${error.status} ${error.message}`
  }
  assert.match(await told({ n: 2 }), /^400 .*n must be at most 1/)
  assert.match(await told({ size: '100x100' }), /^400 .*size must be one of auto/)
  assert.match(
    await told({ background: 'transparent', output_format: 'jpeg' }),
    /^400 .*output_format must be png or webp/,
  )
})

test('images.edit takes a file, and several', async () => {
  const photo = await scenery().png().toBuffer()
  const file = () => toFile(photo, 'photo.png', { type: 'image/png' })
  const one = await client.images.edit({ model: 'gpt-image-1', image: await file(), prompt: 'make it sepia' })
  const [red = 0, , blue = 0] = await colorOf(bytesOf(one))
  assert.ok(red > blue + 15)
  const sized = await client.images.edit({ image: await file(), prompt: 'flip it', size: '1024x1024' })
  const { width, height } = await factsOf(bytesOf(sized))
  assert.deepEqual([width, height], [1024, 1024])
  const logo = await toFile(await plain(300, 300, '#f8f000').png().toBuffer(), 'logo.png', { type: 'image/png' })
  const two = await client.images.edit({
    image: [await file(), logo],
    prompt: 'put the second image in the bottom right corner',
  })
  const corner = await colorOf(bytesOf(two), { left: 0.93, top: 0.9, width: 0.04, height: 0.05 })
  assert.ok((corner[0] ?? 0) > 200 && (corner[2] ?? 255) < 90)
})

test('images.edit fills where the mask is transparent', async () => {
  const photo = await toFile(await scenery().png().toBuffer(), 'photo.png', { type: 'image/png' })
  const hole = await plain(190, 190, '#ffffff').png().toBuffer()
  const mask = await plain(512, 384, { r: 0, g: 0, b: 0, alpha: 1 })
    .composite([{ input: hole, left: 33, top: 97, blend: 'dest-out' }])
    .png()
    .toBuffer()
  const filled = await client.images.edit({
    model: 'mask-fill-edit',
    image: photo,
    mask: await toFile(mask, 'mask.png', { type: 'image/png' }),
    prompt: 'remove the ball',
  })
  const [red = 255, , blue = 0] = await colorOf(bytesOf(filled), { left: 0.2, top: 0.42, width: 0.1, height: 0.05 })
  assert.ok(red < 190 && blue > 60, 'the red disc is gone')
})

test('images.edit tells what it cannot do, and charges nothing', async () => {
  const image = await toFile(await scenery().png().toBuffer(), 'photo.png', { type: 'image/png' })
  const { result, usd } = await service.costOf(() => thrown(client.images.edit({ image, prompt: 'add a dragon' })))
  assert.equal(result.status, 400)
  assert.equal(usd, 0n)
})
