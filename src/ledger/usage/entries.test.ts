import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Amounts, type Line, type PaidLine, payFrom, priceOf, shareOut } from '../bill.js'
import { paymentsOf, pricePerUnit } from './entries.js'

const price = fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 10n ** 12n }))
const line: fc.Arbitrary<Line> = fc.record({
  sku: fc.constant('x'),
  part: fc.constant('Output'),
  quantity: fc.bigInt({ min: 0n, max: 10n ** 12n }),
  usdPerMillion: price,
  diemPerMillion: price,
  per: fc.constantFrom('million' as const, 'one' as const),
})

/** Thousandths of the price that are held in a currency; it may be more than all of it. */
const thousandths = fc.bigInt({ min: 0n, max: 1_200n })
const funds = fc.record({ diem: thousandths, bundled: thousandths, usd: thousandths })

const pay = (lines: Line[], { diem, bundled, usd }: Amounts): { paid: Amounts; shares: PaidLine[] } => {
  const price = priceOf(lines)
  const part = (amount: bigint, of: bigint) => (amount * of) / 1000n
  const held = { diem: part(price.diem, diem), bundled: part(price.usd, bundled), usd: part(price.usd, usd) }
  const paid = payFrom(held, price)
  return { paid, shares: shareOut(lines, paid) }
}

/** A decimal as a whole number of 1e-40. */
const exact = (decimal: string): bigint => {
  const [whole = '', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(40, '0'))
}

test('the payments of each currency sum to exactly what was paid in it, and no line is left out', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), funds, (lines, held) => {
      const { paid, shares } = pay(lines, held)
      const payments = paymentsOf(shares, paid.bundled)
      const sum = (currency: string) =>
        payments.flat().reduce((total, one) => total + (one.currency === currency ? one.amountNanos : 0n), 0n)
      assert.deepEqual({ usd: sum('USD'), bundled: sum('BUNDLED_CREDITS'), diem: sum('DIEM') }, paid)
      assert.ok(payments.every((ofLine) => ofLine.length > 0))
      assert.ok(payments.flat().every(({ amountNanos }) => amountNanos >= 0n))
    }),
  )
})

test('the units of a line are shared out over its payments: none is lost, none is made up', () => {
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 8 }), funds, (lines, held) => {
      const { paid, shares } = pay(lines, held)
      for (const [index, payments] of paymentsOf(shares, paid.bundled).entries()) {
        const { quantity, per } = lines[index]!
        const whole = quantity * 10n ** (per === 'million' ? 34n : 40n)
        const given = payments.reduce((sum, { units }) => sum + exact(units), 0n)
        assert.ok(given <= whole && whole - given < 3n * 10n ** 16n, `${given} of ${whole}`)
      }
    }),
  )
})

test('units times price is the amount, but for the nanos that rounding moved', () => {
  const onePrice = line.map((one) => ({ ...one, diemPerMillion: one.usdPerMillion }))
  fc.assert(
    fc.property(fc.array(onePrice, { minLength: 1, maxLength: 6 }), thousandths, (lines, diem) => {
      const { paid, shares } = pay(lines, { diem, bundled: 500n, usd: 1000n })
      for (const [index, payments] of paymentsOf(shares, paid.bundled).entries())
        for (const { units, amountNanos } of payments) {
          const product = (exact(units) * exact(pricePerUnit(lines[index]!.usdPerMillion, lines[index]!))) / 10n ** 71n
          const difference = product - amountNanos
          assert.ok(difference >= -4n && difference <= 4n, `${product} is not ${amountNanos}`)
        }
    }),
  )
})

test('a line paid in three currencies', () => {
  const lines: Line[] = [
    {
      sku: 'acme-llm-output-mtoken',
      part: 'Output',
      quantity: 1_000_000n,
      usdPerMillion: 10_000_000_000n,
      diemPerMillion: 5_000_000_000n,
      per: 'million',
    },
  ]
  const paid = payFrom({ diem: 1_000_000_000n, bundled: 2_000_000_000n, usd: 9_000_000_000n }, priceOf(lines))
  assert.deepEqual(paymentsOf(shareOut(lines, paid), paid.bundled), [
    [
      { currency: 'DIEM', amountNanos: 1_000_000_000n, units: '0.2' },
      { currency: 'BUNDLED_CREDITS', amountNanos: 2_000_000_000n, units: '0.2' },
      { currency: 'USD', amountNanos: 6_000_000_000n, units: '0.6' },
    ],
  ])
})
