import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Resvg } from '@resvg/resvg-js'
import fc from 'fast-check'
import { EngineError } from '../engine-error.js'
import { openPicture, sharp } from '../pixels/sharp.js'
import { packageFolder } from '../tensors/packages.js'
import { openAdultModel } from './adult.js'
import { createSafety } from './safety.js'
import { estimateAge, judge } from './verdict.js'

const never = new AbortController().signal
const trouble = (kind: string, said?: RegExp) => (error: unknown) =>
  error instanceof EngineError && error.trouble === kind && (said?.test(error.said ?? '') ?? true)

const safety = createSafety()
after(() => safety.close())

const asset = (name: string) => readFileSync(join(packageFolder('@vladmandic/human'), 'assets', name))

const clean = { drawing: 0, hentai: 0, neutral: 1, porn: 0, sexy: 0 }
const scores = (some: Partial<typeof clean>) => ({ ...clean, neutral: 0, ...some })
/** A face that the model is sure about. */
const faceOf = (age: number) => ({
  ages: Float32Array.from({ length: 100 }, (_, index) => (index + 1 === age ? 1 : 0)),
})

test('porn and hentai are adult, also together; drawings, swimwear and doubt are not', () => {
  const isAdult = (some: Partial<typeof clean>) => judge(scores(some), []).isAdult
  assert.equal(isAdult({ porn: 0.9, sexy: 0.1 }), true)
  assert.equal(isAdult({ hentai: 0.75, drawing: 0.25 }), true)
  assert.equal(isAdult({ porn: 0.4, hentai: 0.35, neutral: 0.25 }), true)
  assert.equal(isAdult({ sexy: 0.7, porn: 0.29, neutral: 0.01 }), true)
  assert.equal(isAdult({ sexy: 0.95, porn: 0.05 }), false)
  assert.equal(isAdult({ porn: 0.51, neutral: 0.48, sexy: 0.01 }), false)
  assert.equal(isAdult({ drawing: 0.8, hentai: 0.2 }), false)
  assert.equal(isAdult({ neutral: 1 }), false)
})

test('one young face among others is enough, and without faces there is no minor', () => {
  const containsMinor = (...ages: number[]) => judge(clean, ages.map(faceOf)).containsMinor
  assert.equal(containsMinor(), false)
  assert.equal(containsMinor(45, 8, 30), true)
  assert.equal(containsMinor(17), true)
  assert.equal(containsMinor(19), true)
  assert.equal(containsMinor(25, 60), false)
  assert.deepEqual(judge(clean, [faceOf(40), faceOf(3)]).scores.ages, [3, 40])
})

test('an unknown answer about faces is not one', () => {
  const { containsMinor, scores } = judge(clean, undefined)
  assert.deepEqual([containsMinor, scores.ages], [false, undefined])
})

test('an age is the one to be expected', () => {
  const shares = fc.array(fc.float({ min: 0, max: 1, noNaN: true }), { minLength: 100, maxLength: 100 })
  fc.assert(
    fc.property(shares, (values) => {
      const sum = values.reduce((total, value) => total + value, 1e-9)
      const age = estimateAge({ ages: Float32Array.from(values, (value) => value / sum) })
      assert.ok(age >= 0 && age <= 100.001)
    }),
  )
  assert.equal(estimateAge(faceOf(33)), 33)
})

/** What NSFWJS 4.3.0 itself says on TensorFlow.js 4.11.0 about the pictures of `waves`, and about a photograph. */
const waveScores = [
  { width: 224, height: 224, seed: 1, expected: [0.02755, 0.00134, 0.97097, 0.00013, 0.00002] },
  { width: 600, height: 400, seed: 2, expected: [0.00072, 0.00004, 0.99924, 0.00001, 0] },
  { width: 313, height: 517, seed: 3, expected: [0.00028, 0.00003, 0.99969, 0.00001, 0] },
  { width: 90, height: 120, seed: 0, expected: [0.02783, 0.00252, 0.96827, 0.00124, 0.00015] },
]
const photographScores = [
  { name: 'samples.jpg', expected: [0.5202, 0.0009, 0.3731, 0.0011, 0.1047] },
  { name: 'screenshot-faceid.jpg', expected: [0.1881, 0.045, 0.652, 0.1052, 0.0097] },
]

const waves = (width: number, height: number, seed: number) => {
  const data = new Uint8Array(width * height * 3)
  for (let place = 0; place < data.length; place++) {
    const channel = place % 3
    const x = Math.floor(place / 3) % width
    const y = Math.floor(place / 3 / width)
    const across = 60 * Math.sin(x / (5 + seed * 7) + channel)
    const down = 60 * Math.cos((y + x * seed) / (11 + seed * 3) - channel * seed)
    data[place] = Math.floor(128 + across + down)
  }
  return { data, width, height }
}

test('the scores are those of the reference implementation', async () => {
  const model = await openAdultModel()
  const assertScores = async (picture: Parameters<typeof model.look>[0], expected: number[], tolerance: number) => {
    const { drawing, hentai, neutral, porn, sexy } = await model.look(picture)
    const actual = [drawing, hentai, neutral, porn, sexy]
    for (const [index, score] of actual.entries())
      assert.ok(Math.abs(score - (expected[index] as number)) < tolerance, `${actual} instead of ${expected}`)
  }
  for (const { width, height, seed, expected } of waveScores)
    await assertScores(waves(width, height, seed), expected, 1e-3)
  for (const { name, expected } of photographScores) {
    const { data, info } = await openPicture(asset(name)).raw().toBuffer({ resolveWithObject: true })
    // Decoders of JPEG may differ in the last bit.
    await assertScores({ data, width: info.width, height: info.height }, expected, 5e-3)
  }
})

test('grown people in evening dress are neither adult content nor minors, and are seen', async () => {
  for (const name of ['samples.jpg', 'screenshot-facematch.jpg', 'screenshot-faceid.jpg']) {
    const { isAdult, containsMinor, scores } = await safety.look(asset(name), never)
    assert.deepEqual([name, isAdult, containsMinor], [name, false, false])
    assert.ok((scores.ages ?? []).length > 0, name)
  }
})

const person = (x: number, skin: string, clothes: string) => `<g transform="translate(${x} 0)">
  <rect x="-40" y="250" width="80" height="150" rx="30" fill="${skin}"/><circle cy="190" r="60" fill="${skin}"/>
  <rect x="-42" y="290" width="84" height="70" fill="${clothes}"/>
  <circle cx="-20" cy="180" r="7"/><circle cx="20" cy="180" r="7"/><path d="M-22 210q22 26 44 0" fill="none" stroke="#a33" stroke-width="6"/></g>`
const scene = (sky: string, ground: string, inside: string) =>
  new Resvg(`<svg xmlns="http://www.w3.org/2000/svg" width="640" height="480"><rect width="640" height="480" fill="${sky}"/>
  <rect y="330" width="640" height="150" fill="${ground}"/><circle cx="560" cy="80" r="45" fill="#ffd84d"/>${inside}</svg>`)
    .render()
    .asPng()

const drawings: [string, () => Uint8Array][] = [
  [
    'people on a beach',
    () =>
      scene(
        '#87ceeb',
        '#f4d9a0',
        person(160, '#f1c27d', '#e33') + person(330, '#c68642', '#36c') + person(500, '#ffdbac', '#393'),
      ),
  ],
  ['one person, mostly skin', () => scene('#ffe0bd', '#f1c27d', person(320, '#ffdbac', '#ffcc99'))],
  [
    'skin colours alone',
    () =>
      scene(
        '#ffdbac',
        '#c68642',
        '<circle cx="300" cy="240" r="150" fill="#f1c27d"/><circle cx="300" cy="240" r="30" fill="#e0857d"/>',
      ),
  ],
  [
    'round fruit',
    () =>
      scene(
        '#fff4e0',
        '#b5763a',
        '<circle cx="230" cy="300" r="110" fill="#f6b48f"/><circle cx="400" cy="300" r="110" fill="#f4a988"/><circle cx="230" cy="300" r="16" fill="#b4533c"/><circle cx="400" cy="300" r="16" fill="#b4533c"/>',
      ),
  ],
  [
    'a night city',
    () =>
      scene(
        '#101840',
        '#333',
        Array.from(
          { length: 9 },
          (_, i) =>
            `<rect x="${i * 70}" y="${120 + ((i * 53) % 120)}" width="60" height="300" fill="hsl(${i * 40} 40% 40%)"/>`,
        ).join(''),
      ),
  ],
  [
    'many colours',
    () =>
      scene(
        '#fff',
        '#eee',
        Array.from(
          { length: 60 },
          (_, i) =>
            `<circle cx="${(i * 97) % 640}" cy="${(i * 61) % 480}" r="${20 + (i % 5) * 9}" fill="hsl(${i * 31} 85% 60%)"/>`,
        ).join(''),
      ),
  ],
]

for (const [name, draw] of drawings)
  test(`a drawing is not flagged: ${name}`, async () => {
    const { isAdult, containsMinor, scores } = await safety.look(draw(), never)
    assert.deepEqual([isAdult, containsMinor], [false, false], JSON.stringify(scores))
  })

test('every format and shape is judged, and opacity is none of the matter', async () => {
  const empty = sharp({ create: { width: 300, height: 3, channels: 4, background: { r: 1, g: 2, b: 3, alpha: 0 } } })
  const grey = sharp({ create: { width: 1, height: 1, channels: 3, background: '#777777' } }).toColourspace('b-w')
  for (const bytes of [await empty.webp().toBuffer(), await grey.png().toBuffer(), await grey.jpeg().toBuffer()])
    assert.equal((await safety.look(bytes, never)).isAdult, false)
})

test('a broken picture is named', async () => {
  const image = asset('samples.jpg')
  const cut = image.subarray(0, image.length / 2)
  await assert.rejects(safety.look(cut, never), trouble('unreadable', /^image is cut off or broken$/))
  await assert.rejects(safety.look(Buffer.from('nothing'), never), trouble('unreadable'))
})

test('who leaves is let go at once, and a thread that rests ends', async () => {
  const own = createSafety({ idleMs: 1 })
  const picture = scene('#87ceeb', '#393', '')
  const leaving = new AbortController()
  const left = own.look(picture, leaving.signal)
  leaving.abort(new Error('left'))
  await assert.rejects(left, /left/)
  const first = await own.look(picture, never)
  await new Promise((resolve) => setTimeout(resolve, 100))
  assert.deepEqual(await own.look(picture, never), first)
  await own.close()
  await assert.rejects(own.look(picture, never), trouble('unavailable'))
})
