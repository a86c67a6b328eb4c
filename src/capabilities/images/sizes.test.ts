import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { editRatios } from '#contract/images.js'
import { closestRatio, oneOf, ratioOf, sizeOf } from './sizes.js'

test('tiers are pixels, and shapes keep them', () => {
  assert.deepEqual(sizeOf(1, '1K', 8), { width: 1024, height: 1024 })
  assert.deepEqual(sizeOf(1, '2K', 8), { width: 2048, height: 2048 })
  assert.deepEqual(sizeOf(16 / 9, '1K', 8), { width: 1368, height: 768 })
  assert.deepEqual(sizeOf(9 / 16, '4K', 8), { width: 3072, height: 5464 })
  assert.deepEqual(sizeOf(21 / 9, '1K', 8), { width: 1568, height: 672 })
})

test('every shape has about the pixels of its tier and about its ratio', () => {
  const shapes = fc.tuple(fc.constantFrom('1K', '2K', '4K'), fc.double({ min: 0.1, max: 10, noNaN: true }))
  fc.assert(
    fc.property(shapes, ([tier, ratio]) => {
      const { width, height } = sizeOf(ratio, tier, 8)
      const pixels = (Number.parseInt(tier, 10) * 1024) ** 2
      assert.ok(Math.abs((width * height) / pixels - 1) < 0.03)
      assert.ok(Math.abs(width / height / ratio - 1) < 0.03)
      assert.equal(width % 8 || height % 8, 0)
    }),
  )
})

test('the thinnest picture still has a size that every format can hold', () => {
  assert.deepEqual(sizeOf(65_536, '4K', 1), { width: 16_376, height: 16 })
  assert.deepEqual(sizeOf(1 / 33_177_600, '1K', 1), { width: 1, height: 16_376 })
})

test('the closest shape is the one that looks most alike', () => {
  assert.equal(closestRatio({ width: 1600, height: 1000 }, editRatios), 3 / 2)
  assert.equal(closestRatio({ width: 1000, height: 1600 }, editRatios), 2 / 3)
  assert.equal(closestRatio({ width: 100, height: 4000 }, editRatios), 9 / 16)
  assert.equal(closestRatio({ width: 300, height: 100 }, ['auto']), 3)
})

test('only ratios are ratios', () => {
  for (const name of ['auto', '', ':', '1:0', '0:1', 'a:b', '1:2:3', '-1:2', '16/9'])
    assert.equal(ratioOf(name), undefined)
})

test('what a model does not offer is refused by name, whatever its case', () => {
  assert.equal(oneOf('resolution', '2k', ['1K', '2K'], 'm'), '2K')
  assert.throws(
    () => oneOf('resolution', '8K', ['1K', '2K'], 'm'),
    /resolution must be one of 1K, 2K for the model 'm'/,
  )
})
