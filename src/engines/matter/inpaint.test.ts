import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { EngineError } from '../engine-error.js'
import { emptyRaster, type Raster } from '../pixels/raster.js'
import { bricks, never, scene } from './fixtures/scenes.js'
import { loadInpainter } from './inpaint.js'
import { readWeights } from './weights.js'

const inpainter = loadInpainter()
const fill = async (raster: Raster, hole: Uint8Array) => (await inpainter).fill(raster, hole, never)

const disc = ({ width, height }: Raster, x: number, y: number, radius: number, hole = new Uint8Array(width * height)) =>
  hole.map((value, index) => (Math.hypot((index % width) - x, Math.floor(index / width) - y) <= radius ? 255 : value))

/** A picture with something else where the hole is, so that what was there cannot come back by chance. */
const spoil = (raster: Raster, hole: Uint8Array): Raster => ({
  ...raster,
  data: raster.data.map((value, index) => (hole[index >> 2] === 0 ? value : index % 4 === 1 ? 0 : 255)),
})

const assertSameOutside = (before: Raster, after: Raster, hole: Uint8Array) => {
  const changed = before.data.findIndex((value, index) => hole[index >> 2] === 0 && value !== after.data[index])
  assert.equal(changed, -1)
}

const meanDifference = (a: Raster, b: Raster, hole: Uint8Array) => {
  let [sum, count] = [0, 0]
  a.data.forEach((value, index) => {
    if (hole[index >> 2] === 0 || index % 4 === 3) return
    sum += Math.abs(value - (b.data[index] as number))
    count++
  })
  return sum / count
}

test('a hole in a sky becomes sky, what is half marked is half of it, and every other pixel stays', async () => {
  const truth = scene()
  const whole = disc(truth, 320, 190, 60)
  const half = disc(truth, 320, 90, 12)
  const before = spoil(spoil(truth, whole), half)
  const hole = whole.map((value, place) => value || ((half[place] as number) && 128))
  const after = await fill(before, hole)
  assertSameOutside(before, after, hole)
  assert.ok(meanDifference(after, truth, whole) < 12, `${meanDifference(after, truth, whole)}`)
  assert.ok(meanDifference(before, truth, whole) > 60)
  const green = 4 * (90 * truth.width + 320) + 1
  assert.equal(before.data[green], 0)
  assert.ok(Math.abs((after.data[green] as number) - (truth.data[green] as number) / 2) < 15, `${after.data[green]}`)
})

test('bricks go on: light joints and red stones, about as many as around', async () => {
  const truth = bricks(512)
  const hole = disc(truth, 256, 256, 50)
  const after = await fill(spoil(truth, hole), hole)
  assertSameOutside(truth, after, hole)
  const jointShare = ({ data }: Raster) => {
    const greens = data.filter((_, index) => hole[index >> 2] !== 0 && index % 4 === 1)
    return greens.filter((value) => value > 140).length / greens.length
  }
  const [filled, real] = [jointShare(after), jointShare(truth)]
  assert.ok(filled > real / 3 && filled < real * 2, `${filled} of ${real}`)
})

test('holes far apart in a large picture are filled alike, at full detail', async () => {
  const tile = scene()
  const large = emptyRaster(2560, 1440)
  for (let y = 0; y < large.height; y++)
    for (let x = 0; x < large.width; x += tile.width)
      large.data.set(
        tile.data.subarray(4 * (y % tile.height) * tile.width, 4 * ((y % tile.height) + 1) * tile.width),
        4 * (y * large.width + x),
      )
  const hole = disc(large, 2200, 1150, 40, disc(large, 200, 150, 40))
  const before = spoil(large, hole)
  const after = await fill(before, hole)
  assertSameOutside(before, after, hole)
  assert.ok(meanDifference(after, large, hole) < 14, `${meanDifference(after, large, hole)}`)
})

test('a picture smaller than what the network sees, a hole at its edge, and a transparent hole', async () => {
  const small = bricks(96)
  const hole = disc(small, 0, 48, 14)
  const before: Raster = { ...small, data: small.data.map((value, index) => (hole[index >> 2] ? 0 : value)) }
  const after = await fill(before, hole)
  assertSameOutside(before, after, hole)
  assert.ok(after.data.every((value, index) => index % 4 !== 3 || value === 255))
  assert.ok(meanDifference(after, small, hole) < meanDifference(before, small, hole))
})

test('without a hole nothing changes; with hardly anything else it refuses', async () => {
  const picture = bricks(64)
  assert.deepEqual((await fill(picture, new Uint8Array(64 * 64))).data, picture.data)
  await assert.rejects(
    fill(picture, new Uint8Array(64 * 64).fill(255)),
    (error) => error instanceof EngineError && error.trouble === 'refused' && /nearly all/.test(error.said ?? ''),
  )
})

test('weights that are not those we know are not loaded, and missing ones are named', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'weights-'))
  await writeFile(join(folder, 'some.onnx'), 'other')
  const from = pathToFileURL(`${folder}/`)
  await assert.rejects(readWeights({ name: 'some.onnx', sha256: 'abc' }, from), /some\.onnx is not the file we know/)
  await assert.rejects(readWeights({ name: 'none.onnx', sha256: 'abc' }, from), /none\.onnx cannot be read/)
  await rm(folder, { recursive: true })
})
