import { type Count, type Counted, type Period, type Reading, refusalOf, type Window } from './count.js'

/** Counts requests in this process. */
export type Counters = {
  /** Counts a request in all of its windows, or in none if one of them has no room. */
  take(count: Count): Counted
  /** Adds what a request turned out to use beyond its estimate, or takes away what it did not. */
  correct(windows: readonly Window[], tokens: number): void
  /** As if it had never been counted. */
  putBack(count: Count): void
  look(windows: readonly Window[]): Reading[]
  /** Takes over what was counted elsewhere. */
  learn(readings: readonly Reading[]): void
}

type Tally = { requests: number; tokens: number }

/** Windows that are over are dropped as a whole with the first request of the next, so only what counts is kept. */
export const createCounters = (): Counters => {
  const current: Record<Period, { startsAtMs: number; tallies: Map<string, Tally> }> = {
    minute: { startsAtMs: 0, tallies: new Map() },
    day: { startsAtMs: 0, tallies: new Map() },
  }

  const find = ({ limit, startsAtMs, subject }: Window): Tally | undefined => {
    const { startsAtMs: currentMs, tallies } = current[limit.period]
    return currentMs === startsAtMs ? tallies.get(subject) : undefined
  }

  const findOrMake = (window: Window): Tally => {
    const found = find(window)
    if (found) return found
    const { limit, startsAtMs, subject } = window
    if (current[limit.period].startsAtMs !== startsAtMs) current[limit.period] = { startsAtMs, tallies: new Map() }
    const tally = { requests: 0, tokens: 0 }
    current[limit.period].tallies.set(subject, tally)
    return tally
  }

  const look = (windows: readonly Window[]): Reading[] =>
    windows.map((window) => {
      const { requests, tokens } = find(window) ?? untouched
      const { limit, subject, startsAtMs } = window
      return { limit, subject, startsAtMs, requests, tokens }
    })

  return {
    look,
    take({ windows, tokens }) {
      const readings = look(windows)
      const refusal = refusalOf(readings, tokens)
      if (refusal) return { readings, refusal }
      for (const reading of readings) {
        const tally = findOrMake(reading)
        reading.requests = ++tally.requests
        reading.tokens = tally.tokens += tokens
      }
      return { readings }
    },
    correct(windows, tokens) {
      for (const window of windows) {
        const tally = find(window)
        if (tally) tally.tokens = Math.max(0, tally.tokens + tokens)
      }
    },
    putBack({ windows, tokens }) {
      for (const window of windows) {
        const tally = find(window)
        if (!tally) continue
        tally.requests--
        tally.tokens = Math.max(0, tally.tokens - tokens)
      }
    },
    learn(readings) {
      for (const reading of readings) {
        const tally = findOrMake(reading)
        tally.requests = Math.max(tally.requests, reading.requests)
        tally.tokens = reading.tokens
      }
    },
  }
}

const untouched: Tally = { requests: 0, tokens: 0 }
