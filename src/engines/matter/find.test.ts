import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromRaster, toRaster } from '../pixels/sharp.js'
import { loadFinder } from './find.js'
import { clock, never, scene, stopSign } from './fixtures/scenes.js'
import type { Box } from './holes.js'
import { labels } from './labels.js'

const finder = loadFinder()

const overlap = (a: Box, b: Box) => {
  const span = (start: number, length: number, otherStart: number, otherLength: number) =>
    Math.max(0, Math.min(start + length, otherStart + otherLength) - Math.max(start, otherStart))
  const both = span(a.left, a.width, b.left, b.width) * span(a.top, a.height, b.top, b.height)
  return both / (a.width * a.height + b.width * b.height - both)
}

const things = [
  { label: 'stop sign', thing: stopSign, box: { left: 218, top: 78, width: 204, height: 204 } },
  { label: 'clock', thing: clock, box: { left: 190, top: 70, width: 260, height: 260 } },
]

for (const { label, thing, box } of things)
  test(`a ${label} is found where it is`, async () => {
    const [first, ...others] = await (await finder).find(scene(thing), never)
    assert.equal(first?.label, label)
    assert.ok((first?.score as number) > 0.5, `${first?.score}`)
    assert.ok(overlap(first?.box as Box, box) > 0.8, JSON.stringify(first))
    assert.deepEqual(others, [])
  })

test('boxes are in pixels of the picture, whatever its size and shape', async () => {
  const tall = await toRaster(
    fromRaster(scene(stopSign)).extract({ left: 180, top: 0, width: 280, height: 480 }).resize(700, 1200),
  )
  const [first] = await (await finder).find(tall, never)
  assert.equal(first?.label, 'stop sign')
  assert.ok(overlap(first?.box as Box, { left: 95, top: 195, width: 510, height: 510 }) > 0.8, JSON.stringify(first))
})

test('an empty landscape holds nothing', async () => {
  assert.deepEqual(await (await finder).find(scene(), never), [])
})

test('there are 80 labels, each once', () => {
  assert.equal(new Set(labels).size, 80)
})
