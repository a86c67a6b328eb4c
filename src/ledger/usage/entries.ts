import { decimalFrom, decimalFromNanos, decimalPerUnit } from '#catalog/prices.js'
import type { Currency } from '#contract/billing.js'
import type { Line, PaidLine } from '../bill.js'

/** What was paid in one currency for one line of a bill. Units are an exact decimal. */
export type Payment = { currency: Currency; amountNanos: bigint; units: string }

/**
 * Takes the lines of a bill apart by currency, so that the amounts of each currency sum to exactly what was paid in it.
 * Bundled credits pay for the first lines until they are used up, so at most one line is paid by both them and USD. A
 * line that was free is a payment of nothing.
 */
export const paymentsOf = (lines: readonly PaidLine[], paidBundled: bigint): Payment[][] => {
  let bundledLeft = paidBundled
  return lines.map((line) => {
    const bundled = line.usd < bundledLeft ? line.usd : bundledLeft
    bundledLeft -= bundled
    const shares: Share[] = [
      { currency: 'DIEM', amountNanos: line.diem },
      { currency: 'BUNDLED_CREDITS', amountNanos: bundled },
      { currency: 'USD', amountNanos: line.usd - bundled },
    ]
    const paid = shares.filter(({ amountNanos }) => amountNanos > 0n)
    return paid.length > 0 ? withUnits(line, paid) : [{ currency: 'USD', amountNanos: 0n, units: unitsOf(line) }]
  })
}

type Share = Omit<Payment, 'units'>

/** Each share stands for a part of the units: as large as its part of the price. */
const withUnits = (line: PaidLine, shares: Share[]): Payment[] => {
  const isPricedTwice = line.usdPerMillion > 0n && line.diemPerMillion > 0n
  const weightOf = ({ currency, amountNanos }: Share) => {
    if (!isPricedTwice) return amountNanos
    return amountNanos * (currency === 'DIEM' ? line.usdPerMillion : line.diemPerMillion)
  }
  const whole = shares.reduce((sum, share) => sum + weightOf(share), 0n)
  return shares.map((share) => ({ ...share, units: unitsOf(line, weightOf(share), whole) }))
}

/** More than a double can hold, so that the nearest double is found also for the smallest parts. */
const unitDecimals = 24

/** Units as the price is read, or a part of them: millions where it is one per million. */
export const unitsOf = ({ quantity, per }: Line, part = 1n, whole = 1n): string => {
  const scale = 10n ** BigInt(per === 'one' ? unitDecimals : unitDecimals - 6)
  return decimalFrom((quantity * scale * part) / whole, unitDecimals)
}

/** The price of such a unit. */
export const pricePerUnit = (nanosPerMillion: bigint, { per }: Line): string =>
  per === 'one' ? decimalPerUnit(nanosPerMillion) : decimalFromNanos(nanosPerMillion)
