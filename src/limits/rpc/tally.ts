/** What callers have asked for lately. */
export type Tally = {
  /** Adds to what a subject used, and says what that makes: requests in this minute, and credits in the last 24 hours. */
  add(subject: string, use: Use, nowMs: number): Use | Promise<Use>
}

export type Use = { requests: number; credits: number }

export const minuteMs = 60_000
export const dayMs = 86_400_000

/** Credits are forgotten in steps of this, so that a day is few numbers. */
export const stepMs = 600_000

export const startOf = (lengthMs: number, nowMs: number) => Math.floor(nowMs / lengthMs) * lengthMs
