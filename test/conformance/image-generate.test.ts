import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { base64, formOf, startImageService } from '../image-service.js'
import { colorOf, difference, factsOf, plain, scenery } from '../pictures.js'

const service = await startImageService({ after })
const { post, costOf } = service
const prompt = 'a red car on a road in the mountains at sunset'
const ask = (body: object) => post('/image/generate', { model: 'scene-composer', prompt, ...body })
/** Half the usual sides: for what does not depend on them. */
const half = { width: 512, height: 512 }
const picturesOf = (json: { images: string[] }) => json.images.map((image) => Buffer.from(image, 'base64'))

test('words become a picture, in JSON as base64', async () => {
  const { result, usd } = await costOf(() => ask({ seed: 7 }))
  const { status, json, type } = result
  assert.equal(status, 200, JSON.stringify(json))
  assert.match(type, /^application\/json/)
  assert.match(json.id, /^generate-image-[0-9a-f]{32}$/)
  assert.equal(json.id, `generate-image-${result.headers.get('x-request-id')}`)
  for (const name of ['inferenceDuration', 'inferencePreprocessingTime', 'inferenceQueueTime', 'total'])
    assert.ok(json.timing[name] >= 0, name)
  assert.equal(json.request.prompt, prompt)
  const [picture] = picturesOf(json)
  assert.deepEqual(await factsOf(picture as Buffer), {
    ...{ format: 'webp', width: 1024, height: 1024, hasAlpha: false, hasExif: false },
  })
  assert.equal(usd, 1_000_000n)
  assert.equal(result.headers.get('x-svc-is-blurred'), 'false')
})

test('the same seed gives the same bytes, another seed and other variants other pictures', async () => {
  const [one, again, other] = await Promise.all(
    [{ seed: 5 }, { seed: 5 }, { seed: -5 }].map((body) => ask({ ...body, ...half })),
  )
  assert.deepEqual(one?.json.images, again?.json.images)
  assert.ok((await difference(picturesOf(one?.json)[0] as Buffer, picturesOf(other?.json)[0] as Buffer)) > 2)
  const { result, usd } = await costOf(() => ask({ variants: 3, seed: 5, ...half }))
  const pictures = picturesOf(result.json)
  assert.equal(pictures.length, 3)
  assert.ok((await difference(pictures[0] as Buffer, pictures[1] as Buffer)) > 2)
  assert.ok((await difference(pictures[1] as Buffer, pictures[2] as Buffer)) > 2)
  assert.equal(usd, 3_000_000n)
})

test('sizes, shapes and formats are what was asked for', async () => {
  const facts = async (body: object) => {
    const { bytes, type, status } = await ask({ return_binary: true, ...body })
    assert.equal(status, 200, Buffer.from(bytes).toString().slice(0, 300))
    const { width, height, format } = await factsOf(bytes)
    assert.equal(type, `image/${format}`)
    return [width, height, format]
  }
  assert.deepEqual(await facts({ width: 1280, height: 64, format: 'png' }), [1280, 64, 'png'])
  assert.deepEqual(await facts({ width: 8, height: 8, format: 'jpeg' }), [8, 8, 'jpeg'])
  assert.deepEqual(await facts({ aspect_ratio: '16:9' }), [1368, 768, 'webp'])
  assert.deepEqual(await facts({ aspect_ratio: '9:16', resolution: '2K' }), [1536, 2728, 'webp'])
})

test('what the prompt names is in the picture: colours, time of day, transparency by the negative prompt', async () => {
  const mean = async (words: string) => {
    const { bytes } = await post('/image/generate', {
      ...{ model: 'default', prompt: words, seed: 3, return_binary: true, format: 'png', width: 512, height: 512 },
    })
    return colorOf(bytes)
  }
  const light = ([red = 0, green = 0, blue = 0]: number[]) => red + green + blue
  assert.ok(light(await mean('a snowy field on a bright day')) > light(await mean('a dark forest at night')) + 100)
  const [red = 0, , blue = 0] = await mean('the deep blue ocean under a clear sky')
  assert.ok(blue > red + 20)
})

test('every style preset is listed and makes a picture of its own', async () => {
  const { body } = await service.get('/image/styles')
  assert.equal(body.object, 'list')
  const small = { width: 256, height: 256, seed: 1, return_binary: true, format: 'png' }
  const normal = await ask(small)
  for (const style_preset of ['Watercolor', 'Pixel Art', 'line art', 'Film Noir']) {
    const styled = await ask({ ...small, style_preset })
    assert.equal(styled.status, 200, style_preset)
    assert.ok((await difference(normal.bytes, styled.bytes)) > 4, style_preset)
  }
})

const refused: [string, object, RegExp][] = [
  ['no prompt', { prompt: undefined }, /prompt is required/],
  ['a long prompt', { prompt: 'a'.repeat(7501) }, /prompt must be at most 7500/],
  ['a width that does not fit', { width: 1001 }, /width must be a multiple of 8/],
  ['a width beyond 1280', { width: 1288 }, /width must be at most 1280/],
  ['several variants as one file', { variants: 2, return_binary: true }, /variants must be 1 with return_binary/],
  ['five variants', { variants: 5 }, /variants must be at most 4/],
  ['too many steps', { steps: 51 }, /steps must be at most 50/],
  ['a seed that is too large', { seed: 1_000_000_000 }, /seed must be at most 999999999/],
  ['an unknown style', { style_preset: 'Nope' }, /style_preset must be a name of GET \/image\/styles/],
  ['an unknown shape', { aspect_ratio: '5:1' }, /aspect_ratio must be one of 1:1/],
  ['a resolution that is not offered', { resolution: '16K' }, /resolution must be one of 1K, 2K, 4K/],
  ['web search', { enable_web_search: true }, /enable_web_search cannot be used/],
  ['cfg_scale beyond 20', { cfg_scale: 21 }, /cfg_scale must be at most 20/],
  [
    'references that are no pictures',
    { style_references: [{ image: 'x' }] },
    /style_references\.0\.image must be base64/,
  ],
]
for (const [what, body, message] of refused)
  test(`${what}: 400, and nothing is charged`, async () => {
    const { result, usd } = await costOf(() => ask(body))
    assert.equal(result.status, 400, JSON.stringify(result.json).slice(0, 200))
    assert.match(result.json.error, message)
    assert.equal(usd, 0n)
  })

test('a negative prompt cannot ask for what a prompt may not', async () => {
  const child = { prompt: 'a 12 year old girl at the pool' }
  const { result, usd } = await costOf(() => ask({ ...child, negative_prompt: 'clothes, swimsuit' }))
  assert.deepEqual([result.status, result.json.code, usd], [422, 'CONTENT_POLICY_VIOLATION', 0n])
  assert.equal((await ask({ ...child, negative_prompt: 'nudity, blurry', width: 64, height: 64 })).status, 200)
})

test('the prompt and the seed go into the file if wanted', async () => {
  const { bytes } = await ask({ embed_exif_metadata: true, return_binary: true, format: 'jpeg', seed: 42, ...half })
  assert.ok(Buffer.from(bytes).includes('"seed":42'))
  assert.ok(Buffer.from(bytes).includes('scene-composer'))
})

test('a better prompt is told, used and paid for once', async () => {
  const { result, usd } = await costOf(() =>
    ask({ prompt: 'a cat', enhance_prompt: true, variants: 2, seed: 1, ...half }),
  )
  const better = decodeURIComponent(result.headers.get('x-svc-enhanced-prompt') ?? '')
  assert.match(better, /^a cat, ./)
  assert.equal(usd, 42_000_000n)
  const same = await ask({ prompt: better, variants: 2, seed: 1, ...half })
  assert.deepEqual(same.json.images, result.json.images)
})

test('an image is enlarged two or four times, at its price, and not beyond what is possible', async () => {
  const image = base64(await scenery(320, 240).png().toBuffer())
  const twice = await costOf(() => post('/image/upscale', { image }))
  assert.equal(twice.result.status, 200, JSON.stringify(twice.result.json))
  assert.deepEqual(await factsOf(twice.result.bytes), {
    ...{ format: 'png', width: 640, height: 480, hasAlpha: false, hasExif: false },
  })
  assert.equal(twice.usd, 2_000_000n)
  const four = await costOf(() =>
    post('/image/upscale', formOf({ image: Buffer.from(image, 'base64'), scale: '4', creativity: '0' })),
  )
  assert.deepEqual([(await factsOf(four.result.bytes)).width, four.usd], [1280, 4_000_000n])
  const large = base64(await plain(2100, 2000).png().toBuffer())
  const beyond = await post('/image/upscale', { image: large, scale: 2 })
  assert.deepEqual([beyond.status, beyond.json.code], [422, 'IMAGE_TOO_LARGE'])
  for (const scale of [1, 3, 5, 2.5])
    assert.match((await post('/image/upscale', { image, scale })).json.error, /scale must be 2 or 4/)
  const huge = base64(await plain(4097, 4096).png().toBuffer())
  const tooLarge = await post('/image/upscale', { image: huge })
  assert.deepEqual([tooLarge.status, tooLarge.json.code], [422, 'IMAGE_TOO_LARGE'])
})

test('a background is removed: PNG with the subject opaque and the rest transparent', async () => {
  const subject = await plain(160, 200, '#d01818').png().toBuffer()
  const image = base64(
    await plain(400, 400, '#f4f4f0')
      .composite([{ input: subject }])
      .png()
      .toBuffer(),
  )
  const { result, usd } = await costOf(() => post('/image/background-remove', { image }))
  assert.equal(result.status, 200, JSON.stringify(result.json))
  const { width, height, format, hasAlpha } = await factsOf(result.bytes)
  assert.deepEqual([width, height, format, hasAlpha], [400, 400, 'png', true])
  const inside = await colorOf(result.bytes, { left: 0.45, top: 0.45, width: 0.1, height: 0.1 })
  const outside = await colorOf(result.bytes, { left: 0.02, top: 0.02, width: 0.1, height: 0.1 })
  assert.ok((inside[3] ?? 0) > 240 && (outside[3] ?? 255) < 15)
  assert.equal(usd, 4_000_000n)
})

test('background removal takes exactly one picture and no model', async () => {
  const image = base64(await scenery().png().toBuffer())
  const told = async (body: object) => {
    const { status, json } = await post('/image/background-remove', body)
    return `${status} ${json.error}`
  }
  assert.match(await told({}), /^400 .*image or image_url must be given/)
  assert.match(await told({ image, image_url: 'https://example.com/a.png' }), /^400 .*not both/)
  assert.match(await told({ image, model: 'background-edit' }), /^400 .*model cannot be chosen/)
  assert.match(await told({ image_url: 'http://192.168.1.1/a.png' }), /^400 The URL in image_url/)
  assert.match(await told({ image_url: 'ftp://example.com/a.png' }), /^400 .*image_url must begin with/)
})
