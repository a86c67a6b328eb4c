import assert from 'node:assert/strict'
import { test } from 'node:test'
import { numberBetween } from './number-grammar.js'

/** These grammars use nothing that regular expressions do not have. */
const toPattern = (grammar: string) =>
  new RegExp(`^(?:${grammar.replace(/"([^"]*)"/g, (_, text) => text.replace('.', '\\.')).replaceAll(' ', '')})$`)

test('a grammar for whole numbers lets through exactly those within the bounds', () => {
  const ranges = [
    [0, 0], [0, 9], [1, 10], [7, 13], [0, 150], [99, 101], [18, 1005], [-5, 5], [-120, -17], [-1, 0], [100, 199],
  ] // biome-ignore format: a table
  for (const [low = 0, high = 0] of ranges) {
    const pattern = toPattern(numberBetween(low, high, true) ?? '')
    for (let number = -200; number <= 1200; number++)
      assert.equal(pattern.test(String(number)), number >= low && number <= high, `${number} in ${low}..${high}`)
  }
})

test('a side that is left open has room for large numbers', () => {
  const pattern = toPattern(numberBetween(3, undefined, true) ?? '')
  for (const number of ['3', '99', '12345678']) assert.ok(pattern.test(number))
  for (const number of ['2', '-7', '03']) assert.ok(!pattern.test(number))
})

test('a fraction never leaves the range', () => {
  const pattern = toPattern(numberBetween(-1, 2, false) ?? '')
  for (const number of ['0.5', '1.99', '2', '-1', '0']) assert.ok(pattern.test(number), number)
  for (const number of ['2.5', '-1.5', '3']) assert.ok(!pattern.test(number), number)
})

test('a range without a number that can be written is undefined', () => {
  assert.equal(numberBetween(5, 4, true), undefined)
  assert.equal(numberBetween(0.2, 0.8, true), undefined)
})
