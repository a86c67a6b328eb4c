/** Times with the precision of PostgreSQL: microseconds since 1970 in a bigint. A JavaScript Date would cut them off. */
export type Micros = bigint

/** The time as PostgreSQL reads it. Nothing was settled before 1970, so earlier times need not be told apart. */
export const timeFromMicros = (micros: Micros): string => {
  const since1970 = micros < 0n ? 0n : micros
  const seconds = new Date(Number(since1970 / 1_000_000n) * 1000).toISOString().slice(0, 19)
  return `${seconds}.${String(since1970 % 1_000_000n).padStart(6, '0')}Z`
}

/**
 * `2026-11-15T12:00:00.1234567Z` in microseconds; a started one counts, so that both "from" and "before" this time mean
 * what they say. Undefined when there is no such day or time.
 */
export const microsFromTime = (text: string): Micros | undefined => {
  const [, seconds = '', fraction = ''] = /^(.{19})(?:\.(\d+))?Z$/.exec(text) ?? []
  const date = new Date(`${seconds}Z`)
  // Date would quietly make the 30th of February the 2nd of March.
  if (Number.isNaN(date.getTime()) || !date.toISOString().startsWith(seconds)) return undefined
  const nanos = BigInt(fraction.slice(0, 9).padEnd(9, '0'))
  return BigInt(date.getTime()) * 1000n + (nanos + 999n) / 1000n
}

export const dateFromMicros = (micros: Micros): Date => new Date(Number(micros / 1000n))
