import type { Clock } from '#plumbing/clock.js'

/** What a breaker must know of a failure: whether the target has too much to do, and how long it wants to be left alone. */
export type Failure = { readonly trouble: string; readonly retryAfterMs?: number | undefined }

export type BreakerSettings = {
  /** After so many failures in a row the target is left alone. */
  failuresMax: number
  /** The first pause; each further one without a success between them is twice as long. */
  pauseMinMs: number
  pauseMaxMs: number
}

export const usualBreaker: BreakerSettings = { failuresMax: 5, pauseMinMs: 1_000, pauseMaxMs: 30_000 }

/** The leave to ask a target once. One of `succeeded`, `failed` and `released` must follow; only the first one counts. */
export type Pass = {
  /** The answer has begun to come. A probe that gets so far lets others in, though its end may be minutes away. */
  began(): void
  succeeded(): void
  /** Only for what is the target's fault. */
  failed(failure: Failure): void
  /** It ended without telling anything about the target: the caller left, or asked for what nobody does. */
  released(): void
}

/**
 * The health of one target. It is closed (everybody may ask) until several requests in a row fail, then open (nobody may
 * ask) for a pause, then half-open: one request probes, and its success closes it again.
 *
 * A pause is kept, even when there is no other target: not being asked is what lets a drowning upstream recover, and a
 * caller who is told at once when to come back is better served than one who waits for the same failure. Pauses begin
 * short and have an upper bound, so nobody is shut out for long after a recovery.
 */
export const createBreaker = ({ clock, settings }: { clock: Clock; settings: BreakerSettings }) => {
  const { failuresMax, pauseMinMs, pauseMaxMs } = settings
  /** In a row. */
  let failures = 0
  /** In a row, without a success between them. */
  let pauses = 0
  let pausedUntilMs: number | undefined
  let isOverloaded = false
  let isProbing = false
  /** Passes from before the latest pause tell old news: a hundred requests that fail together are one reason to pause. */
  let era = 0

  const open = ({ trouble, retryAfterMs }: Failure) => {
    const grownMs = pauseMinMs * 2 ** Math.min(pauses, 30)
    const pauseMs = Math.min(Math.max(retryAfterMs ?? grownMs, pauseMinMs), pauseMaxMs)
    pausedUntilMs = clock.nowMs() + pauseMs
    isOverloaded = trouble === 'overloaded'
    isProbing = false
    pauses += 1
    era += 1
  }

  const close = () => {
    pausedUntilMs = undefined
    isProbing = false
  }

  const createPass = (isProbe: boolean): Pass => {
    const bornIn = era
    let isSettled = false
    const settle = (act: () => void) => {
      if (bornIn === era && !isSettled) act()
      isSettled = true
    }
    return {
      began() {
        // `failures` stays as it is: until an answer came to its end, one more failure is enough for the next pause.
        if (bornIn === era && !isSettled) close()
      },
      succeeded: () =>
        settle(() => {
          close()
          failures = 0
          pauses = 0
        }),
      failed: (failure) =>
        settle(() => {
          failures += 1
          if (failures >= failuresMax) open(failure)
        }),
      released: () =>
        settle(() => {
          if (isProbe) isProbing = false
        }),
    }
  }

  /** How long until it may be asked; 0 is now. While a probe is on its way, its result is worth a short wait. */
  const waitMs = (): number => {
    if (pausedUntilMs === undefined) return 0
    const restMs = pausedUntilMs - clock.nowMs()
    if (restMs > 0) return restMs
    return isProbing ? pauseMinMs : 0
  }

  return {
    waitMs,
    /** False from the first pause until a request has succeeded again. */
    isClosed: () => pausedUntilMs === undefined,
    /** Whether it is left alone because it said that it has too much to do. */
    isOverloaded: () => isOverloaded,
    /** Undefined while the target is left alone. */
    admit(): Pass | undefined {
      if (waitMs() > 0) return undefined
      const isProbe = pausedUntilMs !== undefined
      isProbing = isProbe
      return createPass(isProbe)
    },
  }
}

export type Breaker = ReturnType<typeof createBreaker>
