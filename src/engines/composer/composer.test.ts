import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { neverStops } from '#plumbing/stop-signal.js'
import { EngineError } from '../engine-error.js'
import type { GenerateCall } from '../image.js'
import { openPicture, sharp, toRaster } from '../pixels/sharp.js'
import { colourOf, colourOfLab, hueDistance, labOf } from './colour.js'
import { createComposer } from './composer.js'

const composer = createComposer()
after(() => composer.close())

type Wish = Partial<GenerateCall>
const call = (prompt: string, wish: Wish = {}): GenerateCall => ({
  model: 'composer',
  signal: neverStops,
  prompt,
  width: 192,
  height: 192,
  format: 'png',
  count: 1,
  seed: 1,
  ...wish,
})
const generate = async (prompt: string, wish?: Wish) => (await composer.generate?.(call(prompt, wish))) ?? []
const bytesOf = async (prompt: string, wish?: Wish) => (await generate(prompt, wish))[0]?.bytes as Uint8Array
const rasterOf = async (prompt: string, wish?: Wish) => toRaster(openPicture(await bytesOf(prompt, wish)))

type Part = { left?: number; right?: number; top?: number; bottom?: number }

/** Each pixel of a part of the picture, given in shares of its sides, as eyes see it. */
const coloursOf = async (prompt: string, wish: Wish, { left = 0, right = 1, top = 0, bottom = 1 }: Part = {}) => {
  const { data, width, height } = await rasterOf(prompt, wish)
  const colours: { l: number; c: number; h: number }[] = []
  for (let y = Math.floor(top * height); y < bottom * height; y++)
    for (let x = Math.floor(left * width); x < right * width; x++) {
      const at = (y * width + x) * 4
      colours.push(colourOfLab(labOf(data[at] as number, data[at + 1] as number, data[at + 2] as number)))
    }
  return colours
}
const mean = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length
const lightness = async (prompt: string, wish: Wish = {}, part?: Part) =>
  mean((await coloursOf(prompt, wish, part)).map(({ l }) => l))
/** The share of pixels that have about this hue, and some colour at all. */
const shareOf = async (hex: string, prompt: string, wish: Wish = {}, part?: Part) => {
  const { h } = colourOf(hex)
  const colours = await coloursOf(prompt, wish, part)
  return colours.filter((colour) => colour.c > 0.06 && hueDistance(colour.h, h) < 32).length / colours.length
}

test('sizes are exact, in every format and shape', async () => {
  const shapes: [width: number, height: number, format: GenerateCall['format']][] = [
    [64, 64, 'png'],
    [301, 129, 'webp'],
    [144, 336, 'jpeg'],
    [2560, 320, 'jpeg'],
  ]
  for (const [width, height, format] of shapes) {
    const [picture] = await generate('a dog in a park', { width, height, format })
    const found = await sharp(picture?.bytes).metadata()
    assert.deepEqual([found.width, found.height, found.format], [width, height, format])
    assert.equal(picture?.format, format)
  }
})

test('the same seed gives the same bytes, in another thread as well; another seed does not', async () => {
  const other = createComposer()
  const prompt = 'two foxes in a forest, "Hello"'
  const first = await bytesOf(prompt)
  const [second] = (await other.generate?.(call(prompt))) ?? []
  await other.close()
  assert.deepEqual(Buffer.from(first), Buffer.from(second?.bytes as Uint8Array))
  assert.notDeepEqual(Buffer.from(first), Buffer.from(await bytesOf(prompt, { seed: 2 })))
})

test('pictures of one call differ from each other to the eye', async () => {
  const pictures = await generate('a cat', { count: 4 })
  assert.equal(pictures.length, 4)
  const rasters = await Promise.all(pictures.map(({ bytes }) => toRaster(openPicture(bytes))))
  for (const [index, { data }] of rasters.entries())
    for (const other of rasters.slice(index + 1)) {
      const apart = mean(Array.from(data, (value, at) => Math.abs(value - (other.data[at] as number))))
      assert.ok(apart > 8, `picture ${index} differs by ${apart}`)
    }
})

test('colours of things are those that were asked for', async () => {
  const middle = { left: 0.3, right: 0.7, top: 0.45, bottom: 0.85 }
  for (const [name, hex] of [
    ['red', '#e02424'],
    ['blue', '#2563d9'],
    ['purple', '#8534b8'],
  ] as const) {
    const own = await shareOf(hex, `a ${name} car on a road`, {}, middle)
    assert.ok(own > 0.2, `${name}: ${own}`)
    assert.ok((await shareOf(hex, 'a yellow car on a road', {}, middle)) < own / 2, name)
  }
})

test('places and times look like themselves', async () => {
  const wish = { seed: 5, negativePrompt: 'palm tree' }
  const day = 'an empty beach, day'
  assert.ok((await shareOf('#2f8fd8', day, wish, { bottom: 0.65 })) > 0.35, 'blue above')
  assert.ok((await shareOf('#e8c88a', day, wish, { top: 0.86 })) > 0.5, 'sand below')
  assert.ok((await lightness('a city at night')) < 0.42)
  assert.ok((await lightness('mountains at night')) < (await lightness('mountains, day')) - 0.25)
  assert.ok((await lightness('a snowy field, day', {}, { top: 0.6 })) > 0.82)
  assert.ok((await shareOf('#2f9e3f', 'a green meadow, day', {}, { top: 0.7 })) > 0.7)
})

test('refused colours and moods stay away', async () => {
  const green = '#3f9e3f'
  assert.ok((await shareOf(green, 'a meadow, day', {}, { top: 0.7 })) > 0.6)
  assert.ok((await shareOf(green, 'a meadow, day', { negativePrompt: 'green' }, { top: 0.7 })) < 0.05)
  const gloomy = 'a gloomy house'
  assert.ok((await lightness(gloomy, { negativePrompt: 'gloomy, night' })) > (await lightness(gloomy)) + 0.1)
})

test('text in quotes is drawn, whatever it contains', async () => {
  const plain = await rasterOf('a wall sign saying "OOOO"')
  for (const text of ['MMMM', '<script>&', "]]>'", 'ПРИВЕТ']) {
    const { data } = await rasterOf(`a wall sign saying "${text}"`)
    assert.ok(
      data.some((value, at) => Math.abs(value - (plain.data[at] as number)) > 40),
      text,
    )
  }
})

test('a transparent picture has its thing and nothing behind it', async () => {
  const { data, width, height } = await rasterOf('a red apple', { isTransparent: true })
  const alpha = (x: number, y: number) => data[(Math.floor(y * height) * width + Math.floor(x * width)) * 4 + 3]
  assert.deepEqual([alpha(0.01, 0.01), alpha(0.99, 0.01), alpha(0.01, 0.99), alpha(0.99, 0.99)], [0, 0, 0, 0])
  assert.equal(alpha(0.5, 0.6), 255)
  const landscape = await rasterOf('mountains', { isTransparent: true })
  assert.ok(landscape.data.some((value, at) => at % 4 === 3 && value === 255))
})

test('a noun that is not in the vocabulary is drawn as what it is a kind of', async () => {
  const { data } = await rasterOf('a saguaro', { isTransparent: true })
  let [green, drawn] = [0, 0]
  for (let at = 0; at < data.length; at += 4) {
    const [red = 0, own = 0, blue = 0, alpha = 0] = data.subarray(at, at + 4)
    if (alpha < 255) continue
    drawn++
    if (own > red + 10 && own > blue + 30) green++
  }
  assert.ok(drawn > 500 && green / drawn > 0.6, `${green} of ${drawn}`)
})

test('a style reference lends its colours, by its strength', async () => {
  const bytes = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#7a1fb0' } })
    .png()
    .toBuffer()
  const image = { bytes, width: 40, height: 30 }
  const purple = (strength: number) => shareOf('#7a1fb0', 'a field, day', { styleReferences: [{ image, strength }] })
  assert.ok((await purple(0)) < 0.1)
  assert.ok((await purple(1)) > 0.8)
})

test('a style reference that cannot be read is named', async () => {
  const image = { bytes: new Uint8Array(100).fill(7), width: 40, height: 30 }
  await assert.rejects(
    generate('a field', { styleReferences: [{ image, strength: 1 }] }),
    (error) =>
      error instanceof EngineError && error.trouble === 'unreadable' && /style reference 1/.test(error.said ?? ''),
  )
})

test('styles look different', async () => {
  const saturation = async (style: string) => mean((await coloursOf('a red house', { style })).map(({ c }) => c))
  assert.ok((await saturation('Monochrome')) < 0.01)
  assert.ok((await saturation('Pop Art')) > (await saturation('Watercolor')) * 1.5)
})

test('every prompt gives a picture', async () => {
  const prompts = [
    '',
    '\u0000\u0007\ud800',
    '🦊🚀🌙🏳️‍🌈👨‍👩‍👧',
    'قطة حمراء على الشاطئ',
    '一只猫坐在沙滩上',
    'a '.repeat(3750),
    `${'cat dog house tree apple boat rocket '.repeat(300)}`.slice(0, 7500),
    `a sign saying "${'W'.repeat(400)}"`,
  ]
  for (const prompt of prompts)
    assert.equal((await sharp(await bytesOf(prompt, { width: 96, height: 96 })).metadata()).width, 96)
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 80 }), fc.nat(2 ** 31 - 1), async (prompt, seed) => {
      assert.ok((await bytesOf(`"${prompt}" a cat ${prompt}`, { width: 64, height: 64, seed })).length > 100)
    }),
    { numRuns: 15 },
  )
})

test('who leaves is let go, and the next is served', async () => {
  const leaving = new AbortController()
  const left = generate('a castle', { count: 4, width: 1024, height: 1024, signal: leaving.signal })
  leaving.abort(new Error('left'))
  await assert.rejects(left, /left/)
  assert.equal((await generate('a castle')).length, 1)
})
