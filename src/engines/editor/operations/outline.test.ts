import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outlinesOf } from './outline.js'

const size = { width: 200, height: 120 }
const box = { left: 60, top: 20, width: 60, height: 80 }

/** Which pixels belong to the subject: a column in the middle of the box, and whatever else is asked for. */
const matteOf = (isSubject: (x: number, y: number) => boolean) =>
  Uint8Array.from({ length: size.width * size.height }, (_, pixel) => {
    const x = pixel % size.width
    return isSubject(x, (pixel - x) / size.width) ? 255 : 0
  })
const column = (x: number, y: number) => x >= 80 && x < 100 && y >= 25 && y < 95
const at = (marks: Uint8Array, x: number, y: number) => marks[y * size.width + x]

test('a thing is marked by its outline, and a little more', async () => {
  const marks = await outlinesOf([box], matteOf(column), size, [])
  assert.deepEqual([at(marks, 90, 60), at(marks, 79, 60), at(marks, 65, 60)], [255, 255, 0])
})

test('what hangs together with it outside of the box is marked as well, as far as it is near', async () => {
  const tail = (x: number, y: number) => y >= 80 && y < 90 && x >= 100
  const marks = await outlinesOf(
    [box],
    matteOf((x, y) => column(x, y) || tail(x, y)),
    size,
    [],
  )
  assert.deepEqual([at(marks, 130, 85), at(marks, 190, 85), at(marks, 130, 40)], [255, 0, 0])
})

test('another thing beside it is left alone', async () => {
  const both = matteOf((x, y) => column(x, y) || (y >= 30 && y < 90 && x >= 100 && x < 160))
  const other = { left: 121, top: 25, width: 45, height: 70 }
  const marks = await outlinesOf([box], both, size, [other])
  assert.deepEqual([at(marks, 110, 60), at(marks, 140, 60)], [255, 0])
})

for (const [what, matte] of [
  ['nothing is seen', undefined],
  ['the subject is elsewhere', matteOf((x) => x < 20)],
  ['everything is subject', matteOf(() => true)],
] as const)
  test(`the box is marked where ${what}`, async () => {
    const marks = await outlinesOf([box], matte, size, [])
    assert.deepEqual([at(marks, 62, 22), at(marks, 117, 97), at(marks, 50, 60), at(marks, 90, 8)], [255, 255, 0, 0])
  })
