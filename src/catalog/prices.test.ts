import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decimalFromNanos, decimalPerUnit, exactPrice, nanosFromDecimal, priceProblem } from './prices.js'

const anyNanos = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n })

test('a decimal string becomes whole nano-dollars', () => {
  assert.equal(nanosFromDecimal('1.50'), 1_500_000_000n)
  assert.equal(nanosFromDecimal('0'), 0n)
  assert.equal(nanosFromDecimal('0.000000001'), 1n)
  assert.equal(nanosFromDecimal('-0.25'), -250_000_000n)
  assert.equal(nanosFromDecimal('9999999999'), 9_999_999_999_000_000_000n)
})

test('nano-dollars become the shortest exact decimal', () => {
  assert.equal(decimalFromNanos(1_500_000_000n), '1.5')
  assert.equal(decimalFromNanos(0n), '0')
  assert.equal(decimalFromNanos(-1n), '-0.000000001')
  assert.equal(decimalFromNanos(20_000_000_000n), '20')
})

test('what is not a plain decimal with at most nine decimals is refused', () => {
  for (const text of ['', '.5', '1.', '1e3', '+1', ' 1', '1,5', '0.0000000001', 'NaN', '1_000', '1\n']) {
    assert.throws(() => nanosFromDecimal(text), RangeError, JSON.stringify(text))
  }
})

test('nanos survive the way to a decimal and back', () => {
  fc.assert(fc.property(anyNanos, (nanos) => nanosFromDecimal(decimalFromNanos(nanos)) === nanos))
})

test('a decimal survives the way to nanos and back, but for trailing zeros', () => {
  const decimal = fc
    .tuple(fc.nat(), fc.nat({ max: 999_999_999 }))
    .map(([whole, fraction]) => `${whole}.${String(fraction).padStart(9, '0')}`)
  fc.assert(fc.property(decimal, (text) => decimalFromNanos(nanosFromDecimal(text)) === text.replace(/\.?0+$/, '')))
})

test('adding nanos is adding decimals, where floats would drift', () => {
  assert.equal(decimalFromNanos(nanosFromDecimal('0.1') + nanosFromDecimal('0.2')), '0.3')
  fc.assert(
    fc.property(anyNanos, anyNanos, (a, b) => {
      const sum = nanosFromDecimal(decimalFromNanos(a)) + nanosFromDecimal(decimalFromNanos(b))
      return decimalFromNanos(sum) === decimalFromNanos(a + b)
    }),
  )
})

test('the price of one unit is exact: a million of them cost the price per million', () => {
  assert.equal(decimalPerUnit(1_500_000_000n), '0.0000015')
  assert.equal(decimalPerUnit(0n), '0')
  assert.equal(decimalPerUnit(1n), '0.000000000000001')
})

test('diem equals usd unless given', () => {
  assert.deepEqual(exactPrice('1.50'), { usdNanos: 1_500_000_000n, diemNanos: 1_500_000_000n })
  assert.deepEqual(exactPrice({ usd: '1.50', diem: '1.40' }), { usdNanos: 1_500_000_000n, diemNanos: 1_400_000_000n })
})

test('a price that passes the check converts, and one that does not says why', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.double().map(String), fc.nat().map(String)), (text) => {
      if (priceProblem(text) === undefined) assert.ok(nanosFromDecimal(text) >= 0n)
    }),
  )
  assert.equal(priceProblem('0'), undefined)
  assert.equal(priceProblem({ usd: '1', diem: '0.9' }), undefined)
  assert.equal(priceProblem(1.5), 'must be in quotes, as "1.5": a price is an exact decimal string')
  assert.equal(priceProblem('-1'), 'must not be negative')
  assert.equal(priceProblem('0.0000000001'), 'must not have more than 9 decimals')
  assert.equal(priceProblem('1000000000'), 'must be below 1,000,000,000 USD')
  assert.equal(priceProblem({ usd: '1', diem: '-1' }), 'diem must not be negative')
  for (const value of ['cheap', null, true, [], {}, { diem: '1' }, { usd: '1', eur: '1' }, { usd: {} }]) {
    assert.match(String(priceProblem(value)), /must be a price/)
  }
})
