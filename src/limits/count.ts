import type { Rate } from '#catalog/config/model-entry.js'

/** Who shares a limit: one key (or wallet), one account, or everybody. These names are in `x-ratelimit-type`. */
export type Scope = 'api_key' | 'user' | 'global'

export type Period = 'minute' | 'day'

const periodMs = { minute: 60_000, day: 86_400_000 } as const

/** What may be used of something in each minute or UTC day. Infinity: as much as one likes. */
export type Limit = { scope: Scope; period: Period; requestsMax: number; tokensMax: number }

/** A limit as a request meets it: of this subject, in the window that began then. */
export type Window = { limit: Limit; subject: string; startsAtMs: number }

/** Everything that one request is counted on. Tokens are an estimate until the request has ended. */
export type Count = { windows: Window[]; tokens: number }

/** A window and what is used of it. */
export type Reading = Window & { requests: number; tokens: number }

export type Unit = 'requests' | 'tokens'

/** What counting a request came to. When a limit is in the way, nothing was counted. */
export type Counted = { readings: Reading[]; refusal?: { reading: Reading; unit: Unit } | undefined }

/** Windows are reckoned from the clock whenever they are needed: nothing has to be reset, so nothing resets too late. */
export const windowStartMs = (period: Period, nowMs: number) => nowMs - (nowMs % periodMs[period])

export const windowEndMs = (period: Period, nowMs: number) => windowStartMs(period, nowMs) + periodMs[period]

export const endsAtMs = ({ limit, startsAtMs }: Window) => startsAtMs + periodMs[limit.period]

/** The limits that the numbers of a rate make: one for each window that has any. */
export const limitsOfRate = (scope: Scope, { rpm, rpd, tpm }: Rate): Limit[] => [
  ...(rpm !== undefined || tpm !== undefined
    ? [{ scope, period: 'minute' as const, requestsMax: rpm ?? Infinity, tokensMax: tpm ?? Infinity }]
    : []),
  ...(rpd !== undefined ? [{ scope, period: 'day' as const, requestsMax: rpd, tokensMax: Infinity }] : []),
]

/**
 * Which of its limits a request cannot pass, given what is used of each. A request that is larger than a whole window
 * has to be served some time: it gets a window that is still untouched.
 */
export const refusalOf = (readings: Reading[], tokens: number): Counted['refusal'] => {
  for (const reading of readings) {
    const { requestsMax, tokensMax } = reading.limit
    if (reading.requests >= requestsMax) return { reading, unit: 'requests' }
    if (reading.tokens + Math.min(tokens, tokensMax) > tokensMax) return { reading, unit: 'tokens' }
  }
  return undefined
}
