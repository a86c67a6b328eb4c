import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createDatabase } from '#store/sql.js'
import { createTestDatabase } from '../../test/database.js'
import {
  type Amounts,
  affordableUnits,
  covers,
  type Line,
  linesFromText,
  linesToText,
  payFrom,
  priceOf,
  restInUsd,
  shareOut,
} from './bill.js'

const amount = fc.bigInt(0n, 10n ** 15n)
const perMillion = fc.oneof(fc.constant(0n), fc.bigInt(1n, 10n ** 15n))
const lineOf = fc.record<Line>({
  sku: fc.string(),
  part: fc.constantFrom('Input', 'Output', 'Cache Read'),
  quantity: fc.bigInt(0n, 10n ** 9n),
  usdPerMillion: perMillion,
  diemPerMillion: perMillion,
  per: fc.constantFrom('million', 'one', 'millionths'),
})
const billOf = fc.array(lineOf, { maxLength: 5 })
const heldOf = fc.record<Amounts>({ usd: amount, bundled: amount, diem: amount })
const total = (values: bigint[]) => values.reduce((sum, value) => sum + value, 0n)

test('a bill is rounded once, upwards, by less than a nano-dollar', () => {
  fc.assert(
    fc.property(billOf, (lines) => {
      const exact = total(lines.map(({ quantity, usdPerMillion }) => quantity * usdPerMillion))
      const rounding = priceOf(lines).usd * 1_000_000n - exact
      assert.ok(rounding >= 0n && rounding < 1_000_000n)
    }),
  )
})

test('a hold is never overdrawn, and pays in full what it covers', () => {
  fc.assert(
    fc.property(billOf, heldOf, (lines, held) => {
      const price = priceOf(lines)
      const paid = payFrom(held, price)
      for (const currency of ['usd', 'bundled', 'diem'] as const)
        assert.ok(paid[currency] >= 0n && paid[currency] <= held[currency])
      if (!covers(held, price)) return
      assert.equal(paid.usd + paid.bundled, restInUsd(price, paid.diem))
      if (paid.usd > 0n) assert.equal(paid.bundled, held.bundled, 'bundled credits go before USD')
      if (paid.usd + paid.bundled > 0n && price.diem > 0n)
        assert.equal(paid.diem, held.diem < price.diem ? held.diem : price.diem)
    }),
  )
})

test('where a diem costs as much as a USD, the currencies together pay exactly the price', () => {
  const equal = lineOf.map((line) => ({ ...line, diemPerMillion: line.usdPerMillion }))
  fc.assert(
    fc.property(fc.array(equal, { maxLength: 5 }), heldOf, (lines, held) => {
      const price = priceOf(lines)
      fc.pre(covers(held, price))
      assert.equal(total(Object.values(payFrom(held, price))), price.usd)
    }),
  )
})

test('the shares of the lines sum to exactly what was paid, and survive being written down', () => {
  fc.assert(
    fc.property(billOf, heldOf, (lines, held) => {
      const paid = payFrom(held, priceOf(lines))
      const shares = shareOut(lines, paid)
      assert.equal(total(shares.map(({ usd }) => usd)), paid.usd + paid.bundled)
      assert.equal(total(shares.map(({ diem }) => diem)), paid.diem)
      assert.ok(shares.every(({ usd, diem }) => usd >= 0n && diem >= 0n))
      assert.deepEqual(linesFromText(linesToText(shares)), shares)
    }),
  )
})

test('the units that a hold affords fit, and one more would not', () => {
  fc.assert(
    fc.property(billOf, lineOf, heldOf, fc.bigInt(0n, 10n ** 7n), (certain, line, held, most) => {
      const fits = (quantity: bigint) => covers(held, priceOf([...certain, { ...line, quantity }]))
      fc.pre(fits(0n))
      const units = affordableUnits(held, certain, line, most)
      assert.ok(fits(units) && units <= most)
      if (units < most) assert.ok(!fits(units + 1n))
    }),
  )
})

test('the database divides a price between diem and USD exactly as we do', async (test) => {
  const database = await createTestDatabase()
  const { sql, close } = createDatabase(database.connection)
  test.after(async () => {
    await close()
    await database.drop()
  })
  const edge = fc.oneof(fc.bigInt(0n, 20n), fc.bigInt(0n, 9n * 10n ** 18n))
  await fc.assert(
    fc.asyncProperty(edge, edge, edge, async (usd, diem, paid) => {
      const { rest } = await sql.one<{ rest: bigint }>`select ledger_rest(${usd}, ${diem}, ${paid}) rest`
      assert.equal(rest, restInUsd({ usd, diem }, paid))
    }),
    { numRuns: 300 },
  )
})
