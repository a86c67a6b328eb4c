import { type Failure, fail } from '#contract/errors.js'
import { type Counted, endsAtMs, type Reading, type Unit } from './count.js'

/** The kinds of limits, as logs and lists name them. */
export type LimitType = 'RPM' | 'RPD' | 'TPM' | 'FAILED_REQUESTS' | 'UNSUPPORTED_FEATURE_REQUESTS'

const maxOf = ({ limit }: Reading, unit: Unit) => (unit === 'requests' ? limit.requestsMax : limit.tokensMax)
const leftOf = (reading: Reading, unit: Unit) => Math.max(0, maxOf(reading, unit) - reading[unit])

/** The reading that leaves the least. Where two leave the same, the first: limits of a key come before shared ones. */
const tightest = (readings: readonly Reading[], unit: Unit): Reading | undefined => {
  let found: Reading | undefined
  for (const reading of readings)
    if (maxOf(reading, unit) !== Infinity && (!found || leftOf(reading, unit) < leftOf(found, unit))) found = reading
  return found
}

/** docs/specification.md, common response headers: of all limits that apply, those that leave the least. */
export const limitHeaders = (readings: readonly Reading[], nowMs: number): Record<string, string> => {
  const headers: Record<string, string> = {}
  const requests = tightest(readings, 'requests')
  const tokens = tightest(readings, 'tokens')
  if (requests) {
    headers['x-ratelimit-limit-requests'] = String(requests.limit.requestsMax)
    headers['x-ratelimit-remaining-requests'] = String(leftOf(requests, 'requests'))
    // A moment, in seconds since 1970; for tokens it is a number of seconds from now. The specification wants it so.
    headers['x-ratelimit-reset-requests'] = String(endsAtMs(requests) / 1000)
  }
  if (tokens) {
    headers['x-ratelimit-limit-tokens'] = String(tokens.limit.tokensMax)
    headers['x-ratelimit-remaining-tokens'] = String(leftOf(tokens, 'tokens'))
    headers['x-ratelimit-reset-tokens'] = String(Math.ceil((endsAtMs(tokens) - nowMs) / 1000))
  }
  const applied = requests ?? tokens
  if (applied) headers['x-ratelimit-type'] = applied.limit.scope
  return headers
}

export const limitTypeOf = ({ reading, unit }: NonNullable<Counted['refusal']>): LimitType =>
  unit === 'tokens' ? 'TPM' : reading.limit.period === 'minute' ? 'RPM' : 'RPD'

type Refused = { readings: readonly Reading[]; refusal: NonNullable<Counted['refusal']> }

/** Longer than this no client should wait by itself. */
const retryWithinMs = 60_000

/** Says which limit is in the way, whose it is, how much of it is used and when it begins anew. */
export const rateLimitFailure = (
  { readings, refusal: { reading, unit } }: Refused,
  { subject, tokens, nowMs }: { subject: string; tokens: number; nowMs: number },
): Failure => {
  const resetsAtMs = endsAtMs(reading)
  const waitMs = resetsAtMs - nowMs
  const failure = fail(
    'rateLimited',
    `${maxOf(reading, unit)} ${unit} per ${reading.limit.period === 'minute' ? 'minute' : 'UTC day'}`,
    reading.limit.scope === 'api_key' ? subject : sharedBy[reading.limit.scope],
    `${reading[unit]} ${unit === 'tokens' ? `are used and this request needs about ${tokens}` : 'are used'}`,
    `${new Date(resetsAtMs).toISOString()}, in ${Math.ceil(waitMs / 1000)} s`,
  )
    // First, so that it is the one that is told of several that leave nothing.
    .withHeaders(limitHeaders([reading, ...readings], nowMs))
    // When to come again, whichever unit is used up.
    .withHeaders({ 'x-ratelimit-reset-requests': String(resetsAtMs / 1000), 'x-ratelimit-type': reading.limit.scope })
    .retryAfterMs(waitMs)
  return waitMs > retryWithinMs ? failure.withoutRetry() : failure
}

const sharedBy = {
  user: 'for this account, with all its keys and models together',
  global: 'for all callers of this service together',
}
