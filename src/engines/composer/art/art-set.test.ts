import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Resvg } from '@resvg/resvg-js'
import { hueDistance } from '../colour.js'
import { catalogue, drawingOf, flatArt, shadedArt } from './art-set.js'

test('no art reaches far out of its square, which the renderer does not survive', () => {
  for (const set of [shadedArt(), flatArt()])
    for (const name of set.names()) {
      const { body, side } = set.source(name)
      const box = new Resvg(drawingOf({ body, side }, side), { font: { loadSystemFonts: false } }).getBBox()
      assert.ok(box, name)
      const isInside =
        box.x > -side / 2 && box.y > -side / 2 && box.x + box.width < side * 1.5 && box.y + box.height < side * 1.5
      assert.ok(isInside, name)
    }
})

test('ink, top and main colour of art are measured', () => {
  const car = shadedArt().art('automobile')
  assert.ok(car.ink.bottom - car.ink.top < car.ink.right - car.ink.left, 'a car is wider than high')
  assert.ok(hueDistance(car.colour.h, 27) < 20 && car.colour.c > 0.15, 'it is red')
  assert.ok(shadedArt().art('ewe').colour.c < 0.05, 'a sheep has no colour')
})

test('characters have names', () => {
  const { nameOfCharacter } = catalogue()
  assert.equal(nameOfCharacter('🦊'), 'fox')
  assert.equal(nameOfCharacter('☀️'), 'sun')
  assert.equal(nameOfCharacter('x'), undefined)
})
