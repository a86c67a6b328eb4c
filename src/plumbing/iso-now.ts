let stampMs = 0
let stamp = ''

/** The time as ISO 8601. Made once per millisecond, since every answer and every log line carries it. */
export const isoNow = (): string => {
  const nowMs = Date.now()
  if (nowMs !== stampMs) {
    stampMs = nowMs
    stamp = new Date(nowMs).toISOString()
  }
  return stamp
}
