import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyRaster } from '../../pixels/raster.js'
import { fromRaster, toRaster } from '../../pixels/sharp.js'
import { softlyBlurred } from './soft-blur.js'

test('a wide blur looks like one at full size, transparency included', async () => {
  const raster = emptyRaster(300, 200)
  for (let pixel = 0; pixel < 300 * 200; pixel++) {
    const isLeft = pixel % 300 < 150
    raster.data.set(isLeft ? [220, 40, 20, 255] : [20, 90, 200, pixel < 30000 ? 255 : 0], pixel * 4)
  }
  const [fast, slow] = [await softlyBlurred(raster, 20), await toRaster(fromRaster(raster).blur(20))]
  assert.deepEqual([fast.width, fast.height], [300, 200])
  let most = 0
  for (let index = 0; index < slow.data.length; index++) {
    // What nearly cannot be seen has no colour to speak of.
    if ((slow.data[index - (index % 4) + 3] as number) < 100) continue
    most = Math.max(most, Math.abs((fast.data[index] as number) - (slow.data[index] as number)))
  }
  assert.ok(most <= 10, `a pixel differs by ${most}`)
})
