import { type Failure, fail } from '#contract/errors.js'
import type { Clock } from '#plumbing/clock.js'
import { messageOf } from '#plumbing/message-of.js'
import type { Limited } from '../limits.js'
import { minuteMs, startOf, stepMs, type Tally, type Use } from './tally.js'

/** What a caller may ask of blockchain nodes. */
export type RpcAllowance = { requestsPerMinute: number; creditsPerDay: number }

/**
 * Limits of calls of blockchain nodes, which are none of those that models have: requests in each minute, and credits in
 * any 24 hours. As elsewhere, counting that fails lets requests in.
 */
export type RpcLimits = {
  /** Counts a request with the credits that it can use at most, or throws when there were too many. */
  take(who: Limited, credits: number): Promise<void> | undefined
  /** Takes back what was not used after all. */
  giveBack(who: Limited, credits: number): void
}

type Needs = {
  tally: Tally
  allowanceOf: (tier: string) => RpcAllowance
  clock: Clock
  onLimited: (who: Limited, unit: keyof Use) => void
  onTrouble: (trouble: string) => void
}

export const createRpcLimits = ({ tally, allowanceOf, clock, onLimited, onTrouble }: Needs): RpcLimits => {
  const decide = (who: Limited, credits: number, used: Use, nowMs: number) => {
    const allowance = allowanceOf(who.tier)
    if (used.requests > allowance.requestsPerMinute) {
      giveBack(who, credits)
      onLimited(who, 'requests')
      throw tooManyRequests(allowance, nowMs)
    }
    if (used.credits <= allowance.creditsPerDay) return
    giveBack(who, credits)
    onLimited(who, 'credits')
    throw tooManyCredits(allowance, used.credits - credits, credits, nowMs)
  }

  const giveBack = (who: Limited, credits: number) => {
    if (credits <= 0) return
    const counted = tally.add(subjectOf(who), { requests: 0, credits: -credits }, clock.nowMs())
    if (counted instanceof Promise) counted.catch((error) => onTrouble(messageOf(error)))
  }

  return {
    giveBack,
    take(who, credits) {
      const nowMs = clock.nowMs()
      const counted = tally.add(subjectOf(who), { requests: 1, credits }, nowMs)
      if (!(counted instanceof Promise)) return void decide(who, credits, counted, nowMs)
      return counted.then(
        (used) => decide(who, credits, used, nowMs),
        (error) => onTrouble(messageOf(error)),
      )
    },
  }
}

const subjectOf = ({ accountId, keyId }: Limited) => `${keyId ?? accountId} rpc`

const tooManyRequests = ({ requestsPerMinute }: RpcAllowance, nowMs: number) => {
  const limit = `${requestsPerMinute} requests per minute to blockchain nodes`
  return refusal(limit, 'all of them are used', requestsPerMinute, 0, startOf(minuteMs, nowMs) + minuteMs, nowMs)
}

const tooManyCredits = ({ creditsPerDay }: RpcAllowance, used: number, credits: number, nowMs: number) => {
  const limit = `${creditsPerDay} credits for blockchain nodes in any 24 hours`
  const said = `${used} are used and this request needs up to ${credits}`
  // When exactly there is room depends on when the others were used; some of it comes free with the next step.
  const resetsAtMs = startOf(stepMs, nowMs) + stepMs
  return refusal(limit, said, creditsPerDay, Math.max(0, creditsPerDay - used), resetsAtMs, nowMs).withoutRetry()
}

/** docs/specification.md, Limits 7: these headers, and only here. */
const refusal = (
  limit: string,
  used: string,
  max: number,
  left: number,
  resetsAtMs: number,
  nowMs: number,
): Failure => {
  const reset = `${new Date(resetsAtMs).toISOString()}, in ${Math.ceil((resetsAtMs - nowMs) / 1000)} s`
  const failure = fail('rpcLimited', limit, used, reset)
  return failure
    .with({ customMessage: failure.message })
    .withHeaders({
      'x-ratelimit-limit': String(max),
      'x-ratelimit-remaining': String(left),
      'x-ratelimit-reset': String(Math.ceil(resetsAtMs / 1000)),
    })
    .retryAfterMs(resetsAtMs - nowMs)
}
