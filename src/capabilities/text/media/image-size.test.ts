import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { gif, jpeg, png, webp } from '../../../../test/sample-images.js'
import { readImageSize } from './image-size.js'

test('size and type are read from every format', () => {
  for (const [width, height] of [
    [1, 1],
    [64, 65],
    [1920, 1080],
    [16383, 2],
  ] as const) {
    assert.deepEqual(readImageSize(png(width, height)), { type: 'image/png', width, height })
    assert.deepEqual(readImageSize(jpeg(width, height)), { type: 'image/jpeg', width, height })
    assert.deepEqual(readImageSize(gif(width, height)), { type: 'image/gif', width, height })
    for (const kind of ['VP8 ', 'VP8L', 'VP8X'] as const)
      assert.deepEqual(readImageSize(webp(kind, width, height)), { type: 'image/webp', width, height })
  }
})

test('an image that was cut anywhere is not complete', () => {
  const images = [png(80, 80), jpeg(80, 80), webp('VP8 ', 80, 80), webp('VP8L', 80, 80), webp('VP8X', 80, 80)]
  // The last byte of a GIF only says that no picture follows.
  for (const image of [...images, gif(80, 80).subarray(0, -1)])
    for (let length = 0; length < image.length; length++)
      assert.equal(readImageSize(image.subarray(0, length)), undefined, `${length} of ${image.length}`)
})

test('an image without an area is not one', () => {
  for (const image of [png(0, 80), jpeg(80, 0), gif(0, 0)]) assert.equal(readImageSize(image), undefined)
})

test('any bytes are answered, also behind a genuine beginning', () => {
  const beginnings = [png(80, 80), jpeg(80, 80), gif(80, 80), webp('VP8X', 80, 80), Buffer.alloc(0)]
  fc.assert(
    fc.property(fc.constantFrom(...beginnings), fc.nat(), fc.uint8Array({ maxLength: 200 }), (image, cut, noise) => {
      readImageSize(Buffer.concat([image.subarray(0, cut % (image.length + 1)), noise]))
    }),
    { numRuns: 2000 },
  )
})
