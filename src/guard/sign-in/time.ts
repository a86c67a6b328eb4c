const pattern = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/

/** Milliseconds of a time as RFC 3339 writes it; undefined when it is none. */
export const readTime = (text: string): number | undefined => {
  const [, year, month, day] = pattern.exec(text) ?? []
  const ms = day === undefined ? Number.NaN : Date.parse(text)
  // The platform takes February 30 for March 2.
  const isDay = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day)
  return Number.isNaN(ms) || !isDay ? undefined : ms
}
