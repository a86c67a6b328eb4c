import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { boxesOf } from './holes.js'

const limits = { near: 50, countMax: 4 }

const paint = (hole: Uint8Array, pitch: number, left: number, top: number, size: number) => {
  for (let y = top; y < top + size; y++) hole.fill(255, y * pitch + left, y * pitch + left + size)
}

test('parts far apart get boxes of their own, which fit them exactly', () => {
  const hole = new Uint8Array(1000 * 400)
  paint(hole, 1000, 20, 30, 40)
  paint(hole, 1000, 900, 300, 60)
  const boxes = boxesOf(hole, 1000, 400, limits)
  assert.deepEqual(boxes, [
    { left: 900, top: 300, width: 60, height: 60 },
    { left: 20, top: 30, width: 40, height: 40 },
  ])
})

test('parts that lie close are one', () => {
  const hole = new Uint8Array(1000 * 400)
  paint(hole, 1000, 100, 100, 10)
  paint(hole, 1000, 125, 100, 10)
  assert.deepEqual(boxesOf(hole, 1000, 400, limits), [{ left: 100, top: 100, width: 35, height: 10 }])
})

test('no hole has no boxes', () => {
  assert.deepEqual(boxesOf(new Uint8Array(100), 10, 10, limits), [])
})

test('boxes cover any hole, lie within the picture and are few', () => {
  const holes = fc
    .record({ width: fc.integer({ min: 1, max: 700 }), height: fc.integer({ min: 1, max: 60 }) })
    .chain(({ width, height }) =>
      fc
        .array(fc.nat({ max: width * height - 1 }), { maxLength: 200 })
        .map((places) => ({ width, height, places: [...new Set(places)] })),
    )
  fc.assert(
    fc.property(holes, ({ width, height, places }) => {
      const hole = new Uint8Array(width * height)
      for (const place of places) hole[place] = 1
      const boxes = boxesOf(hole, width, height, limits)
      assert.ok(boxes.length <= limits.countMax)
      for (const box of boxes)
        assert.ok(box.left >= 0 && box.left + box.width <= width && box.top + box.height <= height)
      for (const place of places) {
        const [x, y] = [place % width, Math.floor(place / width)]
        const holds = boxes.some(
          ({ left, top, width, height }) => x >= left && x < left + width && y >= top && y < top + height,
        )
        assert.ok(holds, `${x}, ${y}`)
      }
    }),
    { numRuns: 60 },
  )
})
