import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { base64, formOf, startImageService } from '../image-service.js'
import { colorOf, factsOf, plain, scenery } from '../pictures.js'

/** docs/specification.md, POST /image/multi-edit. */
const { post, costOf } = await startImageService({ after })
const photo = await scenery().png().toBuffer()
const logo = await plain(300, 300, { r: 250, g: 240, b: 0 }).png().toBuffer()
const [image, layer] = [base64(photo), base64(logo)]
const place = { prompt: 'put the second image in the bottom right corner' }
const corner = { left: 0.93, top: 0.9, width: 0.04, height: 0.05 }

const isYellow = async (bytes: Uint8Array) => {
  const [red = 0, green = 0, blue = 0] = await colorOf(bytes, corner)
  return red > 200 && green > 190 && blue < 90
}

test('a layer lands where the prompt says, from files, base64 and data URLs alike', async () => {
  const ways = [
    formOf({ images: [photo, logo], ...place }),
    formOf({ 'images[]': [photo, logo], ...place }),
    { images: [image, layer], ...place },
    { images: [`data:image/png;base64,${image}`, layer], ...place },
  ]
  for (const body of ways) {
    const { status, bytes, type, json, headers } = await post('/image/multi-edit', body)
    assert.deepEqual([status, type], [200, 'image/png'], JSON.stringify(json))
    assert.equal(headers.get('x-svc-model-id'), 'picture-editor')
    assert.ok(await isYellow(bytes))
  }
  assert.ok(!(await isYellow(photo)))
})

test('one image is enough, and each further one has its price', async () => {
  const price = async (count: number) => {
    const images = [image, ...Array.from({ length: count - 1 }, () => layer)]
    const body = { images, prompt: 'arrange them in a grid', modelId: 'layers-edit' }
    const one = { images, prompt: 'make it sepia' }
    const { result, usd } = await costOf(() => post('/image/multi-edit', count === 1 ? one : body))
    assert.equal(result.status, 200, JSON.stringify(result.json))
    return usd
  }
  assert.equal(await price(1), 2_000_000n)
  assert.equal(await price(2), 2_500_000n)
  assert.equal(await price(4), 3_500_000n)
})

test('the second image is a mask for the model that fills: white is filled, black stays as it is', async () => {
  const white = await plain(190, 190, '#ffffff').png().toBuffer()
  const holes = await plain(512, 384, '#000000')
    .composite([{ input: white, left: 33, top: 97 }])
    .png()
    .toBuffer()
  const body = { images: [image, base64(holes)], prompt: 'remove what is under the mask', modelId: 'mask-fill-edit' }
  const { status, bytes, json } = await post('/image/multi-edit', body)
  assert.equal(status, 200, JSON.stringify(json))
  const [red = 0, , blue = 0] = await colorOf(bytes, { left: 0.2, top: 0.42, width: 0.1, height: 0.05 })
  assert.ok(red < 190 && blue > 60, 'the red disc is gone')
  const box = await colorOf(bytes, { left: 0.73, top: 0.48, width: 0.04, height: 0.04 })
  assert.ok((box[2] ?? 0) > 180 && (box[0] ?? 255) < 60, 'the blue box is as it was')
})

const refused: [string, object, number, RegExp][] = [
  ['no images', { ...place }, 400, /images is required/],
  ['an empty list', { images: [], ...place }, 400, /images must have at least 1/],
  [
    'too many images',
    { images: [image, image, image, image, image], ...place },
    400,
    /images must have at most 4 items/,
  ],
  ['an image that is not one', { images: [image, 'nope!'], ...place }, 400, /images\.1 must be base64/],
  ['an image that is a number', { images: [image, 7], ...place }, 400, /images\.1 must be string/],
  ['a small one among them', { images: [image, 'small'], ...place }, 400, /images\.1 is a picture of 100 x 100/],
  ['an unknown model', { images: [image], ...place, modelId: 'nope' }, 400, /modelId must be one of picture-editor/],
  ['a model for one picture', { images: [image], ...place, modelId: 'restore-edit' }, 400, /modelId must be one of/],
  ['the same by its other name', { images: [image], ...place, model: 'restore-edit' }, 400, /takes one image/],
  ['a private address', { images: [image, 'http://10.0.0.1/a.png'], ...place }, 400, /The URL in images\.1/],
]
const small = base64(await plain(100, 100).png().toBuffer())
for (const [what, body, status, message] of refused)
  test(`${what}: ${status}, and nothing is charged`, async () => {
    const sent = JSON.parse(JSON.stringify(body).replace('"small"', JSON.stringify(small)))
    const { result, usd } = await costOf(() => post('/image/multi-edit', sent))
    assert.equal(result.status, status, JSON.stringify(result.json))
    assert.match(result.json.error, message)
    assert.equal(usd, 0n)
  })

test('in a form, images are files only', async () => {
  const { status, json } = await post('/image/multi-edit', formOf({ images: image, ...place }))
  assert.deepEqual([status, json.code], [400, 'INVALID_REQUEST'])
  assert.match(json.error, /images\.0 must be a file in a form/)
})

test('the shape follows the first image unless one is asked for', async () => {
  const tall = base64(await plain(300, 600).png().toBuffer())
  const auto = await factsOf((await post('/image/multi-edit', { images: [tall, layer], ...place })).bytes)
  assert.deepEqual([auto.width, auto.height], [724, 1448])
  const wide = await factsOf(
    (await post('/image/multi-edit', { images: [tall, layer], ...place, aspect_ratio: '16:9' })).bytes,
  )
  assert.deepEqual([wide.width, wide.height], [1368, 768])
})
