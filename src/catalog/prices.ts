/**
 * Money is whole nano-dollars (1e-9 USD) in a bigint, and decimal strings at the edges. No float is ever calculated
 * with: a JSON number in a record is `Number()` of the exact string, which is the nearest double and prints the same.
 */
const decimals = 9

const decimalPattern = /^(-?)(\d+)(?:\.(\d{1,9}))?$/

/** `'1.50'` becomes `1_500_000_000n`. Throws on anything that is not a plain decimal with at most nine decimals. */
export const nanosFromDecimal = (text: string): bigint => {
  const match = decimalPattern.exec(text)
  if (!match) throw new RangeError(`'${text}' is not a decimal with at most ${decimals} decimals`)
  const [, sign, whole = '0', fraction = ''] = match
  const nanos = BigInt(whole + fraction.padEnd(decimals, '0'))
  return sign ? -nanos : nanos
}

/** A whole number with its last `places` digits behind the point: the shortest exact decimal, never an exponent. */
export const decimalFrom = (value: bigint, places: number): string => {
  const sign = value < 0n ? '-' : ''
  const digits = (value < 0n ? -value : value).toString().padStart(places + 1, '0')
  const fraction = digits.slice(-places).replace(/0+$/, '')
  return sign + digits.slice(0, -places) + (fraction && `.${fraction}`)
}

/** `1_500_000_000n` becomes `'1.5'`: the shortest exact decimal, never an exponent. */
export const decimalFromNanos = (nanos: bigint): string => decimalFrom(nanos, decimals)

/** A price per million units, as the exact decimal price of one unit: `1_500_000_000n` becomes `'0.0000015'`. */
export const decimalPerUnit = (nanosPerMillion: bigint): string => decimalFrom(nanosPerMillion, decimals + 6)

/** One price as the config file writes it; diem equals usd unless given. */
export type PriceInput = string | { usd: string; diem?: string }

/** One price as we calculate with it. The unit (a million tokens, an image, a second) depends on where it stands. */
export type ExactPrice = { usdNanos: bigint; diemNanos: bigint }

export const exactPrice = (input: PriceInput): ExactPrice => {
  const { usd, diem = usd } = typeof input === 'string' ? { usd: input } : input
  return { usdNanos: nanosFromDecimal(usd), diemNanos: nanosFromDecimal(diem) }
}

/** Says what is wrong with a price in the config file, or nothing when it is fine. */
export const priceProblem = (value: unknown): string | undefined => {
  if (typeof value === 'string') return decimalProblem(value)
  if (typeof value === 'number') return `must be in quotes, as "${value}": a price is an exact decimal string`
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return notAPrice
  const { usd, diem, ...rest } = value as Record<string, unknown>
  if (usd === undefined || Object.keys(rest).length > 0) return notAPrice
  for (const [currency, amount] of Object.entries({ usd, ...(diem !== undefined && { diem }) })) {
    const problem = typeof amount === 'object' ? notAPrice : priceProblem(amount)
    if (problem) return `${currency} ${problem}`
  }
  return undefined
}

const notAPrice = 'must be a price: "1.50", or { usd: "1.50", diem: "1.40" }'

const decimalProblem = (text: string): string | undefined => {
  if (/^-\d/.test(text)) return 'must not be negative'
  if (!/^\d+(\.\d+)?$/.test(text)) return notAPrice
  // Nine digits on either side keep every price, in nano-dollars, inside a PostgreSQL bigint.
  if (!/^\d{1,9}(\.|$)/.test(text)) return 'must be below 1,000,000,000 USD'
  if (!decimalPattern.test(text)) return `must not have more than ${decimals} decimals`
  return undefined
}
