import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { neverStops } from '#plumbing/stop-signal.js'
import { EngineError } from '../engine-error.js'
import { createPixels } from './pixels.js'
import { sharp } from './sharp.js'

const pixels = createPixels()
after(() => pixels.close())

const plain = (width: number, height: number, background = '#c02020') =>
  sharp({ create: { width, height, channels: 3, background } })
const input = async (bytes: Buffer) => ({ bytes, ...((await pixels.inspect(bytes)) ?? { width: 0, height: 0 }) })

test('the size of a picture is the one a viewer sees', async () => {
  const sideways = await plain(300, 200).jpeg().withMetadata({ orientation: 8 }).toBuffer()
  assert.deepEqual(await pixels.inspect(sideways), { width: 200, height: 300 })
  assert.deepEqual(await pixels.inspect(await plain(30, 20).gif().toBuffer()), { width: 30, height: 20 })
})

test('what is no picture, or one that could hold more than pixels, is not known', async () => {
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="300" height="300"/>')
  for (const bytes of [Buffer.from('hello'), Buffer.alloc(0), svg, Buffer.from('%PDF-1.7 ...')])
    assert.equal(await pixels.inspect(bytes), undefined)
})

test('a picture is made ready for any backend: upright, sRGB, 8 bits, without notes', async () => {
  const odd = await plain(300, 200)
    .toColourspace('cmyk')
    .jpeg()
    .withMetadata({ orientation: 6 })
    .withExifMerge({ IFD0: { Copyright: 'SECRET' } })
    .toBuffer()
  const { bytes, width, height } = await pixels.normalise(await input(odd), neverStops)
  const facts = await sharp(bytes).metadata()
  assert.deepEqual([width, height, facts.width, facts.height], [200, 300, 200, 300])
  assert.deepEqual([facts.format, facts.space, facts.orientation, facts.exif], ['jpeg', 'srgb', undefined, undefined])
  const deep = await plain(64, 64).toColourspace('rgb16').png().toBuffer()
  const eight = await sharp((await pixels.normalise(await input(deep), neverStops)).bytes).metadata()
  assert.deepEqual([eight.format, eight.depth], ['png', 'uchar'])
})

test('a picture that is cut off is told as unreadable', async () => {
  const noise = await sharp({
    create: {
      width: 400,
      height: 400,
      channels: 3,
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
      background: '#000',
    },
  })
    .png()
    .toBuffer()
  const cut = await input(noise.subarray(0, noise.length / 2))
  await assert.rejects(
    pixels.normalise(cut, neverStops),
    (error) => error instanceof EngineError && error.trouble === 'unreadable' && /cut off/.test(error.said ?? ''),
  )
})

test('a picture is finished: another format, blurred beyond recognition, with a note', async () => {
  const halves = await plain(400, 400, '#ffffff')
    .composite([{ input: await plain(20, 20, '#000000').png().toBuffer() }])
    .png()
    .toBuffer()
  const finish = (order: object) =>
    pixels.finish({ bytes: new Uint8Array(halves), format: 'png' }, { format: 'webp', ...order }, neverStops)
  const same = await finish({})
  assert.deepEqual([same.format, (await sharp(same.bytes).metadata()).format], ['webp', 'webp'])
  const blurred = await finish({ isBlurred: true, format: 'png' })
  const { width, height } = await sharp(blurred.bytes).metadata()
  assert.deepEqual([width, height], [400, 400])
  const { channels } = await sharp(blurred.bytes).stats()
  assert.ok((channels[0]?.min ?? 0) > 120, 'the black spot has dissolved')
  const noted = await finish({ note: 'seed 5', format: 'jpeg' })
  assert.ok(Buffer.from(noted.bytes).includes('seed 5'))
  await assert.rejects(
    pixels.finish({ bytes: new Uint8Array(9), format: 'png' }, { format: 'webp' }, neverStops),
    (error) => error instanceof EngineError && error.trouble === 'broken',
  )
})

test('a picture is known as a whole: light or dark, flat or not, colourful or not', async () => {
  const dark = await pixels.measure(await input(await plain(200, 200, '#101010').png().toBuffer()), neverStops)
  const red = await pixels.measure(await input(await plain(200, 200, '#ff0000').png().toBuffer()), neverStops)
  assert.ok(dark.lightness < 0.1 && dark.saturation < 0.05 && dark.contrast < 0.01)
  assert.ok(red.saturation > 0.95)
})

test('a small copy is small', async () => {
  const { bytes } = await pixels.thumbnail(await input(await plain(1000, 500).png().toBuffer()), 200, neverStops)
  const { width, height, format } = await sharp(bytes).metadata()
  assert.deepEqual([width, height, format], [200, 100, 'jpeg'])
})
