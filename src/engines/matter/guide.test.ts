import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { guideByColours } from './guide.js'
import { meanAround, type Plane, planeOf, resizePlane } from './plane.js'

const size = { width: 64, height: 48 }

test('a blurred plane gets the edge of the picture back', () => {
  const edge = planeOf(size, (index) => (index % size.width < 30 ? 0 : 1))
  const blurred = meanAround(edge, 6)
  const rest = planeOf(size, () => 0.5)
  const mix = guideByColours(blurred, [edge, rest, rest], { radius: 8, contrast: 0.02 })
  const guided = planeOf(
    size,
    (index) =>
      (mix.red.data[index] as number) * (edge.data[index] as number) +
      (mix.offset.data[index] as number) +
      0.5 * ((mix.green.data[index] as number) + (mix.blue.data[index] as number)),
  )
  const jump = ({ data }: Plane) => (data[24 * size.width + 30] as number) - (data[24 * size.width + 29] as number)
  assert.ok(jump(blurred) < 0.1)
  assert.ok(jump(guided) > 0.5, `${jump(guided)}`)
})

test('the mean around a pixel is what adding up its square gives', () => {
  const planes = fc.record({ width: fc.integer({ min: 1, max: 12 }), height: fc.integer({ min: 1, max: 12 }) })
  fc.assert(
    fc.property(
      planes,
      fc.integer({ min: 0, max: 15 }),
      fc.infiniteStream(fc.integer({ min: 0, max: 9 })),
      (to, radius, values) => {
        const plane = planeOf(to, () => values.next().value as number)
        const means = meanAround(plane, radius)
        for (let y = 0; y < to.height; y++)
          for (let x = 0; x < to.width; x++) {
            const square: number[] = []
            for (let ny = Math.max(0, y - radius); ny <= Math.min(to.height - 1, y + radius); ny++)
              for (let nx = Math.max(0, x - radius); nx <= Math.min(to.width - 1, x + radius); nx++)
                square.push(plane.data[ny * to.width + nx] as number)
            const mean = square.reduce((sum, value) => sum + value, 0) / square.length
            assert.ok(Math.abs((means.data[y * to.width + x] as number) - mean) < 1e-4)
          }
      },
    ),
  )
})

test('a plane keeps its values when resized, and its slope', () => {
  const slope = planeOf(size, (index) => index % size.width)
  const large = resizePlane(slope, { width: 128, height: 10 })
  assert.equal(large.data.length, 1280)
  assert.ok(Math.abs((large.data[64] as number) - 31.75) < 0.01)
  assert.deepEqual(resizePlane(slope, size).data, slope.data)
})
