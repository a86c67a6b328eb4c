import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { neverStops } from '#plumbing/stop-signal.js'
import { EngineError } from '../engine-error.js'
import { clock, height, scene, width } from '../matter/fixtures/scenes.js'
import { fromRaster, openPicture, toRaster } from '../pixels/sharp.js'
import { createCutter } from './cutter.js'

const cutter = createCutter()
after(() => cutter.close())

const cutOut = (bytes: Uint8Array, signal = neverStops, by = cutter) =>
  by.cutOut?.({ model: 'subject', image: { bytes, width, height }, signal }) as Promise<{
    bytes: Uint8Array
    format: string
  }>
const photo = fromRaster(scene(clock)).removeAlpha().jpeg({ quality: 95 }).toBuffer()
const trouble = (kind: string, said?: string) => (error: unknown) =>
  error instanceof EngineError && error.trouble === kind && (said === undefined || error.said === said)

test('the subject comes as PNG of the same size, with nothing where the background was', async () => {
  const bytes = await photo
  const picture = await cutOut(bytes)
  assert.equal(picture.format, 'png')
  assert.ok(bytes.length > 0, 'the picture of the caller is still there')
  const raster = await toRaster(openPicture(picture.bytes))
  assert.deepEqual([raster.width, raster.height], [width, height])
  const pixel = (x: number, y: number) => [...raster.data.subarray(4 * (y * width + x), 4 * (y * width + x) + 4)]
  assert.deepEqual(pixel(5, 5), [0, 0, 0, 0])
  assert.deepEqual(pixel(600, 450), [0, 0, 0, 0])
  assert.equal(pixel(250, 230)[3], 255)
  assert.ok((pixel(250, 230)[0] as number) > 230)
})

test('a picture that is cut off is unreadable, one without a subject is refused', async () => {
  const bytes = await photo
  await assert.rejects(cutOut(bytes.subarray(0, bytes.length / 2)), trouble('unreadable', 'image is cut off or broken'))
  const empty = await fromRaster(scene()).png().toBuffer()
  await assert.rejects(cutOut(empty), trouble('refused', 'no subject stands out from the background'))
})

test('who leaves is let go at once, and the next is served, here with a photograph as a viewer sees it', async () => {
  const leaving = new AbortController()
  const left = cutOut(await photo, leaving.signal)
  leaving.abort(new Error('left'))
  await assert.rejects(left, /left/)
  const turned = await fromRaster(scene(clock)).removeAlpha().jpeg().withMetadata({ orientation: 6 }).toBuffer()
  const raster = await toRaster(openPicture((await cutOut(turned)).bytes))
  assert.deepEqual([raster.width, raster.height], [height, width])
})

test('closing in the middle of the work fails the call and leaves the process alive', async () => {
  const closing = createCutter()
  const [running, waiting] = [cutOut(await photo, neverStops, closing), cutOut(await photo, neverStops, closing)]
  const failures = [assert.rejects(running, trouble('unavailable')), assert.rejects(waiting, trouble('unavailable'))]
  await new Promise((resolve) => setTimeout(resolve, 900))
  await closing.close()
  await Promise.all(failures)
  await assert.rejects(cutOut(await photo, neverStops, closing), trouble('unavailable'))
})
