import type { Clock } from '#plumbing/clock.js'
import type { Counted } from './count.js'
import { createCounters } from './counters.js'
import type { Limited, Limits } from './limits.js'
import { limitHeaders, rateLimitFailure } from './standing.js'

/**
 * Limits requests without a model, such as those about keys and bills. They cost nothing, so they are counted only to
 * keep a runaway program from wearing this process out: in memory, each process for itself.
 */
export type Others = {
  /** Counts a request and tells what its answer says about it, or throws when there were too many. */
  take(who: Limited): Record<string, string>
  /** Adds the tokens of a request that was counted before; too many of them stop the next one. */
  spend(who: Limited, tokens: number): Record<string, string>
  /** What an answer says without being counted. */
  look(who: Limited): Record<string, string>
}

type Needs = {
  limits: Limits
  clock: Clock
  onLimited?: (who: Limited, refusal: NonNullable<Counted['refusal']>) => void
}

export const createOthers = ({ limits, clock, onLimited = () => {} }: Needs): Others => {
  const counters = createCounters()

  const look = (who: Limited) => limitHeaders(counters.look(limits.otherCountOf(who).windows), clock.nowMs())

  return {
    look,
    take(who) {
      const { readings, refusal } = counters.take(limits.otherCountOf(who))
      const nowMs = clock.nowMs()
      if (refusal === undefined) return limitHeaders(readings, nowMs)
      onLimited(who, refusal)
      const subject = `for this ${who.keyId === null ? 'wallet' : 'API key'} and requests without a model`
      throw rateLimitFailure({ readings, refusal }, { subject, tokens: 0, nowMs })
    },
    spend(who, tokens) {
      counters.correct(limits.otherCountOf(who).windows, tokens)
      return look(who)
    },
  }
}
