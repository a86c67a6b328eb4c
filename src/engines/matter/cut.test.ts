import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineError } from '../engine-error.js'
import type { Raster } from '../pixels/raster.js'
import { fromRaster, toRaster } from '../pixels/sharp.js'
import { cutOutBy } from './colours.js'
import { loadCutter } from './cut.js'
import { clock, height, never, scene, shapeOf, stopSign, width } from './fixtures/scenes.js'

const cutter = loadCutter()
const matte = async (raster: Raster) => (await cutter).matte(raster, never)

const overlap = (a: Uint8Array, b: Uint8Array) => {
  let [either, both] = [0, 0]
  a.forEach((value, index) => {
    const [first, second] = [value >= 128, (b[index] as number) >= 128]
    if (first || second) either++
    if (first && second) both++
  })
  return both / either
}

test('the subject is told from the background', async () => {
  const found = await matte(scene(stopSign))
  const truth = shapeOf(stopSign)
  assert.equal(found.length, width * height)
  assert.ok(overlap(found, truth) > 0.9, `${overlap(found, truth)}`)
  assert.equal(found[0], 0)
  assert.equal(found[240 * width + 320], 255)
})

test('edges of a large picture lie where the large picture has them', async () => {
  const scale = 4
  const size = { width: width * scale, height: height * scale }
  const large = await toRaster(fromRaster(scene(clock)).resize(size.width, size.height, { kernel: 'linear' }))
  const found = await matte(large)
  const row = found.subarray(200 * scale * size.width, (200 * scale + 1) * size.width)
  const first = row.findIndex((value) => value >= 128)
  assert.ok(Math.abs(first - 190 * scale) < 8, `${first}`)
})

test('what is transparent already stays so', async () => {
  const raster = scene(clock)
  for (let place = 0; place < width * height; place++) if (place % width < 320) raster.data[4 * place + 3] = 0
  const found = await matte(raster)
  assert.ok(found.every((value, place) => place % width >= 320 || value === 0))
  assert.ok(found.some((value) => value > 200))
})

test('when nothing stands out, it says so', async () => {
  const flat: Raster = { data: new Uint8ClampedArray(90 * 60 * 4).fill(200), width: 90, height: 60 }
  for (const picture of [scene(), flat])
    await assert.rejects(
      matte(picture),
      (error) => error instanceof EngineError && error.trouble === 'refused' && /no subject/.test(error.said ?? ''),
    )
})

test('a soft edge gets the colour of the subject alone, and nothing of the background is left', async () => {
  const [red, green] = [
    [200, 30, 40],
    [20, 160, 60],
  ] as const
  const size = 120
  const raster: Raster = { data: new Uint8ClampedArray(size * size * 4).fill(255), width: size, height: size }
  const shares = Uint8Array.from({ length: size * size }, (_, place) =>
    Math.max(0, Math.min(255, ((place % size) - 50) * 16)),
  )
  shares.forEach((share, place) => {
    for (let channel = 0; channel < 3; channel++)
      raster.data[4 * place + channel] =
        ((red[channel] as number) * share + (green[channel] as number) * (255 - share)) / 255
  })
  const { data } = await cutOutBy(raster, shares)
  shares.forEach((share, place) => {
    assert.equal(data[4 * place + 3], share)
    const colour = [...data.subarray(4 * place, 4 * place + 3)]
    if (share === 0) assert.deepEqual(colour, [0, 0, 0])
    else if (share > 40)
      colour.forEach((value, channel) => {
        assert.ok(Math.abs(value - (red[channel] as number)) < 25, `${share}: ${colour}`)
      })
  })
})
