const million = 1_000_000n

/**
 * What a request costs. A bill is a list of lines: so many units of something at a price. Prices are nano-USD and
 * nano-diem per million units, so the exact sum is known before anything is rounded; it is rounded once, upwards.
 */
export type Line = {
  /** What is charged, as invoices name it: `acme-chat-llm-output-mtoken`. */
  sku: string
  /** The part of the work it stands for: `Input`, `Output`, `Cache Read`, `Images`, ... */
  part: string
  /** Whole units; what is measured in fractions (seconds) is counted in millionths. */
  quantity: bigint
  usdPerMillion: bigint
  diemPerMillion: bigint
  /** How people read the price: per million (tokens), per one (images), or per one of what is counted in millionths. */
  per: 'million' | 'one' | 'millionths'
}

/** Units as they are, without the fractions of those that are counted in millionths. */
export const wholeUnits = ({ quantity, per }: Line): bigint => (per === 'millionths' ? quantity / million : quantity)

/** The same goods at two prices. */
export type Price = { usd: bigint; diem: bigint }

/** What was set aside or paid, by the credit it comes from. Bundled credits are worth the same as USD. */
export type Amounts = { usd: bigint; bundled: bigint; diem: bigint }

export const nothing: Amounts = { usd: 0n, bundled: 0n, diem: 0n }

export const more = (one: Amounts, other: Amounts): Amounts => ({
  usd: one.usd + other.usd,
  bundled: one.bundled + other.bundled,
  diem: one.diem + other.diem,
})

export const less = (one: Amounts, other: Amounts): Amounts => ({
  usd: one.usd - other.usd,
  bundled: one.bundled - other.bundled,
  diem: one.diem - other.diem,
})

const divideUp = (value: bigint, by: bigint) => (value + by - 1n) / by

const least = (one: bigint, other: bigint) => (one < other ? one : other)

const sum = (lines: readonly Line[], priceOf: (line: Line) => bigint) =>
  lines.reduce((total, line) => total + line.quantity * priceOf(line), 0n)

const usdOf = (line: Line) => line.usdPerMillion
const diemOf = (line: Line) => line.diemPerMillion

/** A started nano-dollar counts, so a tiny call is never free. */
export const priceOf = (lines: readonly Line[]): Price => ({
  usd: divideUp(sum(lines, usdOf), million),
  diem: divideUp(sum(lines, diemOf), million),
})

/** What is left to pay in USD when a part of the price was paid in diem. The database reckons the same (ledger_rest). */
export const restInUsd = ({ usd, diem }: Price, paidDiem: bigint): bigint => {
  if (paidDiem === 0n) return usd
  if (paidDiem >= diem) return 0n
  return divideUp(usd * (diem - paidDiem), diem)
}

/** Whether a hold pays for a price in full. */
export const covers = (held: Amounts, price: Price): boolean =>
  restInUsd(price, least(held.diem, price.diem)) <= held.usd + held.bundled

/** Pays a price out of a hold: diem first, then bundled credits, then USD, and never more than is held. */
export const payFrom = (held: Amounts, price: Price): Amounts => {
  const diem = least(held.diem, price.diem)
  const rest = least(restInUsd(price, diem), held.usd + held.bundled)
  const bundled = least(rest, held.bundled)
  return { usd: rest - bundled, bundled, diem }
}

/** A line with its share of what was paid; USD includes bundled credits. */
export type PaidLine = Line & { usd: bigint; diem: bigint }

/** Splits what was paid over the lines of the bill, so that the shares sum to exactly what was paid. */
export const shareOut = (lines: readonly Line[], paid: Amounts): PaidLine[] => {
  const usd = sharer(paid.usd + paid.bundled, sum(lines, usdOf))
  const diem = sharer(paid.diem, sum(lines, diemOf))
  return lines.map((line) => ({
    ...line,
    usd: usd(line.quantity * line.usdPerMillion),
    diem: diem(line.quantity * line.diemPerMillion),
  }))
}

/** Each share is the difference of two running totals, so nothing is lost to rounding and nothing is made up. */
const sharer = (amount: bigint, whole: bigint) => {
  let weightSoFar = 0n
  let givenSoFar = 0n
  return (weight: bigint): bigint => {
    weightSoFar += weight
    const due = whole === 0n ? 0n : (amount * weightSoFar) / whole
    const share = due - givenSoFar
    givenSoFar = due
    return share
  }
}

/** The most units of one more line that a hold pays for beside the lines that are certain. */
export const affordableUnits = (
  held: Amounts,
  certain: readonly Line[],
  line: Omit<Line, 'quantity'>,
  most: bigint,
) => {
  const fits = (quantity: bigint) => covers(held, priceOf([...certain, { ...line, quantity }]))
  if (fits(most)) return most
  let low = -1n
  let high = most
  // Invariant: `low` fits (or is less than nothing), `high` does not.
  while (high - low > 1n) {
    const middle = (low + high) / 2n
    if (fits(middle)) low = middle
    else high = middle
  }
  return low < 0n ? 0n : low
}

/** Lines as they are kept with a usage record: one line of JSON, with whole numbers as text as they may exceed 2^53. */
export const linesToText = (lines: readonly PaidLine[]): string =>
  JSON.stringify(
    lines.map((line) => ({
      ...line,
      quantity: String(line.quantity),
      usdPerMillion: String(line.usdPerMillion),
      diemPerMillion: String(line.diemPerMillion),
      usd: String(line.usd),
      diem: String(line.diem),
    })),
  )

export const linesFromText = (text: string): PaidLine[] =>
  (JSON.parse(text) as Record<keyof PaidLine, string>[]).map((line) => ({
    sku: line.sku,
    part: line.part,
    per: line.per as Line['per'],
    quantity: BigInt(line.quantity),
    usdPerMillion: BigInt(line.usdPerMillion),
    diemPerMillion: BigInt(line.diemPerMillion),
    usd: BigInt(line.usd),
    diem: BigInt(line.diem),
  }))
