import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { EngineError } from '../engine-error.js'
import { openPicture, type Sharp, sharp } from '../pixels/sharp.js'
import { packageFolder } from '../tensors/packages.js'
import { cutTile, detailIn, putTile, tilesOf } from './tiles.js'
import { createUpscaler } from './upscaler.js'

const never = new AbortController().signal
const trouble = (kind: string, said?: RegExp) => (error: unknown) =>
  error instanceof EngineError && error.trouble === kind && (said?.test(error.said ?? '') ?? true)

const shared = createUpscaler()
after(() => shared.close())

type Wish = { creativity?: number; signal?: AbortSignal; model?: string }

const upscale = async (bytes: Uint8Array, width: number, height: number, wish: Wish = {}, upscaler = shared) => {
  const image = { bytes, width: 1, height: 1 }
  const picture = await upscaler.upscale({
    model: 'esrgan-slim',
    creativity: 0,
    signal: never,
    image,
    width,
    height,
    ...wish,
  })
  assert.equal(picture.format, 'png')
  return picture.bytes
}

const pixelsOf = async (picture: Uint8Array | Sharp) => {
  const opened = picture instanceof Uint8Array ? openPicture(picture) : picture
  const { data, info } = await opened.raw().toBuffer({ resolveWithObject: true })
  return { data, ...info }
}

const lanczos = (bytes: Uint8Array, width: number, height: number) =>
  pixelsOf(openPicture(bytes).resize(width, height, { kernel: 'lanczos3', fit: 'fill' }))

/** How alike two pictures are, in decibels: 3 more is half the error. */
const likeness = (one: Uint8Array, other: Uint8Array) => {
  assert.equal(one.length, other.length)
  const squares = one.reduce((sum, value, index) => sum + (value - (other[index] as number)) ** 2, 0)
  return 10 * Math.log10((255 * 255 * one.length) / squares)
}

/** A group of people in a hall, with lamps and patterns: a part of a photograph that comes with a package. */
const photograph = (side: number) =>
  openPicture(readFileSync(join(packageFolder('@vladmandic/human'), 'assets', 'samples.jpg')))
    .extract({ left: 640, top: 220, width: 600, height: 600 })
    .resize(side, side)

const photographs = new Map<number, Promise<Buffer>>()
const photographOf = (side: number) => {
  const known = photographs.get(side) ?? photograph(side).png().toBuffer()
  photographs.set(side, known)
  return known
}

for (const [scale, gain] of [
  [2, 2],
  [3, 1],
  [4, 0.5],
] as const)
  test(`${scale} times larger, a photograph is nearer to the truth than Lanczos brings it, by ${gain} dB`, async () => {
    const large = await photographOf(300)
    const truth = await pixelsOf(large)
    const small = await openPicture(large)
      .resize(300 / scale, 300 / scale)
      .png()
      .toBuffer()
    const plain = await lanczos(small, 300, 300)
    const ours = await pixelsOf(await upscale(small, 300, 300))
    const plainLikeness = likeness(plain.data, truth.data)
    const ourLikeness = likeness(ours.data, truth.data)
    assert.ok(ourLikeness > plainLikeness + gain, `${ourLikeness} after ${plainLikeness}`)
  })

test('made small again, the result is the picture that came, whatever is made up', async () => {
  const small = await photographOf(120)
  for (const creativity of [0, 0.02]) {
    const large = await upscale(small, 240, 240, { creativity })
    const again = await lanczos(large, 120, 120)
    assert.ok(likeness(again.data, (await pixelsOf(small)).data) > 38)
  }
})

test('more creativity means more detail', async () => {
  const small = await photographOf(80)
  const detail = async (creativity: number) =>
    detailIn(await pixelsOf(await upscale(small, 320, 320, { creativity }))).sum
  const none = await detail(0)
  const most = await detail(0.02)
  assert.ok(most > none * 1.03, `${most} after ${none}`)
})

test('tiles leave no trace: a part of a picture becomes the same in a tile of its own', async () => {
  const small = await photographOf(270)
  const box = { left: 70, top: 70, width: 130, height: 130 }
  const whole = await upscale(small, 540, 540)
  const part = await upscale(await openPicture(small).extract(box).png().toBuffer(), 260, 260)
  // In the middle, where neither has reached an edge, and where four tiles of the larger picture meet.
  const middle = { left: 40, top: 40, width: 180, height: 180 }
  const fromWhole = await pixelsOf(openPicture(whole).extract({ ...middle, left: 180, top: 180 }))
  const fromPart = await pixelsOf(openPicture(part).extract(middle))
  const most = fromWhole.data.reduce(
    (max, value, at) => Math.max(max, Math.abs(value - (fromPart.data[at] as number))),
    0,
  )
  assert.ok(most <= 1, `differs by ${most}`)
})

test('the result has the size that was asked for, whatever the shape', async () => {
  const sides = fc.integer({ min: 1, max: 60 })
  await fc.assert(
    fc.asyncProperty(sides, sides, sides, sides, async (fromWidth, fromHeight, width, height) => {
      const image = await openPicture(await photographOf(60))
        .resize(fromWidth, fromHeight, { fit: 'fill' })
        .png()
        .toBuffer()
      const result = await pixelsOf(await upscale(image, width, height))
      assert.deepEqual([result.width, result.height, result.channels], [width, height, 3])
    }),
    { numRuns: 15 },
  )
})

test('a photograph that was taken upright stays upright', async () => {
  const lying = sharp({ create: { width: 40, height: 20, channels: 3, background: '#ff0000' } })
  const bytes = await lying
    .composite([{ input: { create: { width: 20, height: 20, channels: 3, background: '#0000ff' } }, left: 0, top: 0 }])
    .jpeg({ quality: 100 })
    .withMetadata({ orientation: 6 })
    .toBuffer()
  const { data } = await pixelsOf(await upscale(bytes, 40, 80))
  const colourAt = (x: number, y: number) =>
    [...data.subarray((y * 40 + x) * 3, (y * 40 + x) * 3 + 3)].map((value) => value > 128)
  assert.deepEqual(colourAt(20, 10), [false, false, true])
  assert.deepEqual(colourAt(20, 70), [true, false, false])
})

test('one colour stays that colour', async () => {
  const image = await sharp({ create: { width: 30, height: 30, channels: 3, background: '#c08040' } })
    .png()
    .toBuffer()
  const { data } = await pixelsOf(await upscale(image, 90, 90, { creativity: 0.02 }))
  for (let place = 0; place < data.length; place += 3)
    assert.deepEqual([...data.subarray(place, place + 3)], [0xc0, 0x80, 0x40])
})

test('what is transparent stays so, and does not stain its neighbours', async () => {
  const red = { create: { width: 16, height: 32, channels: 4 as const, background: '#ff0000' } }
  const empty = sharp({ create: { width: 32, height: 32, channels: 4, background: { r: 0, g: 255, b: 0, alpha: 0 } } })
  const image = await empty
    .composite([{ input: red, left: 16, top: 0 }])
    .png()
    .toBuffer()
  const { data, channels } = await pixelsOf(await upscale(image, 64, 64))
  assert.equal(channels, 4)
  const pixelAt = (x: number) =>
    [...data.subarray((32 * 64 + x) * 4, (32 * 64 + x) * 4 + 4)] as [number, number, number, number]
  assert.equal(pixelAt(10)[3], 0)
  assert.deepEqual(pixelAt(54), [255, 0, 0, 255])
  for (let x = 24; x < 40; x++) {
    const [r, g, b, opacity] = pixelAt(x)
    if (opacity > 40) assert.ok(r > 215 && g < 20 && b < 20, `${x}: ${pixelAt(x)}`)
  }
})

test('a network that has no time leaves the picture to Lanczos', async () => {
  const upscaler = createUpscaler({ networkMs: -1 })
  const small = await photographOf(60)
  const result = await pixelsOf(await upscale(small, 120, 120, {}, upscaler))
  assert.deepEqual(result.data, (await lanczos(small, 120, 120)).data)
  await upscaler.close()
})

test('in its own size a picture stays as it is, or becomes sharper', async () => {
  const image = await photographOf(60)
  const original = await pixelsOf(image)
  assert.deepEqual((await pixelsOf(await upscale(image, 60, 60))).data, original.data)
  const sharper = await pixelsOf(await upscale(image, 60, 60, { creativity: 0.02 }))
  assert.ok(detailIn(sharper).sum > detailIn(original).sum * 1.05)
})

test('a broken picture is named, and so is a model that is not there', async () => {
  const image = await photographOf(60)
  const cut = image.subarray(0, image.length / 2)
  await assert.rejects(upscale(cut, 120, 120), trouble('unreadable', /^image is cut off or broken$/))
  await assert.rejects(upscale(Buffer.from('nothing'), 120, 120), trouble('unreadable'))
  await assert.rejects(upscale(image, 120, 120, { model: 'esrgan-huge' }), trouble('unavailable'))
})

test('who leaves is let go at once, and who comes next is served', async () => {
  const leaving = new AbortController()
  const left = upscale(await photographOf(600), 2400, 2400, { signal: leaving.signal })
  setTimeout(() => leaving.abort(new Error('left')), 50)
  await assert.rejects(left, /left/)
  assert.ok((await upscale(await photographOf(60), 120, 120)).length > 0)
})

test('a thread that rests ends, and the next call starts another', async () => {
  const upscaler = createUpscaler({ idleMs: 1 })
  const image = await photographOf(60)
  const first = await upscale(image, 120, 120, {}, upscaler)
  await new Promise((resolve) => setTimeout(resolve, 100))
  assert.deepEqual(await upscale(image, 120, 120, {}, upscaler), first)
  await upscaler.close()
})

test('tiles cover every pixel of a picture, and what is cut from it comes back to its place', () => {
  const side = fc.integer({ min: 1, max: 50 })
  fc.assert(
    fc.property(
      side,
      side,
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 0, max: 5 }),
      (width, height, sizeMax, around) => {
        const data = Uint8Array.from({ length: width * height * 3 }, (_, index) => (index * 37) % 251)
        const copy = { data: new Uint8Array(data.length), width, height }
        for (const tile of tilesOf({ width, height }, sizeMax)) {
          assert.ok(tile.width <= sizeMax && tile.height <= sizeMax)
          putTile(copy, tile, cutTile({ data, width, height }, tile, around), around, 1)
        }
        assert.deepEqual(copy.data, data)
      },
    ),
  )
})
