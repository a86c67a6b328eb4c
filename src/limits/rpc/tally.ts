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

export const startOf = (lengthMs: number, nowMs: number) => nowMs - (nowMs % lengthMs)

type Counted = { minuteStartMs: number; requests: number; steps: { startMs: number; credits: number }[] }

/** Beyond so many callers, those of whom nothing counts any more are forgotten. */
const subjectsMax = 10_000

/** Counts in this process: exact as long as no other one shares the limits. */
export const createTally = (): Tally => {
  const subjects = new Map<string, Counted>()

  const forget = (nowMs: number) => {
    for (const [subject, { minuteStartMs, steps }] of subjects)
      if (nowMs - minuteStartMs > minuteMs && nowMs - (steps.at(-1)?.startMs ?? 0) > dayMs) subjects.delete(subject)
  }

  return {
    add(subject, { requests, credits }, nowMs) {
      let counted = subjects.get(subject)
      if (counted === undefined) {
        if (subjects.size >= subjectsMax && subjects.size % 1_000 === 0) forget(nowMs)
        counted = { minuteStartMs: 0, requests: 0, steps: [] }
        subjects.set(subject, counted)
      }
      const minuteStartMs = startOf(minuteMs, nowMs)
      if (counted.minuteStartMs !== minuteStartMs) Object.assign(counted, { minuteStartMs, requests: 0 })
      counted.requests += requests
      const { steps } = counted
      while (steps[0] !== undefined && steps[0].startMs <= nowMs - dayMs) steps.shift()
      const stepStartMs = startOf(stepMs, nowMs)
      const last = steps.at(-1)
      if (last?.startMs === stepStartMs) last.credits += credits
      else if (credits !== 0) steps.push({ startMs: stepStartMs, credits })
      return { requests: counted.requests, credits: steps.reduce((sum, step) => sum + step.credits, 0) }
    },
  }
}
