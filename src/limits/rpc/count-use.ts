import { dayMs, minuteMs, startOf, stepMs, type Use } from './tally.js'

/** What one subject used lately: requests of its newest minute, and the steps of the last 24 hours, oldest first. */
export type Counted = { minuteStartMs: number; requests: number; credits: number; steps: Step[] }

export type Step = {
  startMs: number
  credits: number
  /** Something was added since it was last written down. */
  isChanged: boolean
}

/** Adds to what was used. Runs for every call, so it makes nothing but its answer. */
export const countUse = (counted: Counted, { requests, credits }: Use, nowMs: number): Use => {
  const minuteStartMs = startOf(minuteMs, nowMs)
  if (counted.minuteStartMs !== minuteStartMs) {
    counted.minuteStartMs = minuteStartMs
    counted.requests = 0
  }
  counted.requests += requests

  const { steps } = counted
  for (let first = steps[0]; first !== undefined && first.startMs <= nowMs - dayMs; first = steps[0]) {
    counted.credits -= first.credits
    steps.shift()
  }
  if (credits !== 0) {
    const startMs = startOf(stepMs, nowMs)
    const last = steps[steps.length - 1]
    // A clock that was put back must not make a second step of the same time.
    if (last !== undefined && last.startMs >= startMs) {
      last.credits += credits
      last.isChanged = true
    } else steps.push({ startMs, credits, isChanged: true })
    counted.credits += credits
  }
  return { requests: counted.requests, credits: counted.credits }
}

/** What was written down about a subject. */
export type Earlier = { minuteStartMs: number; requests: number; steps: { startMs: number; credits: number }[] }

/** Puts what was used earlier under what was counted since. */
export const adoptEarlier = (counted: Counted, earlier: Earlier): void => {
  if (earlier.minuteStartMs === counted.minuteStartMs) counted.requests += earlier.requests
  const own = [...counted.steps]
  for (const { startMs, credits } of earlier.steps) {
    const step = own.find((step) => step.startMs === startMs)
    if (step) step.credits += credits
    else counted.steps.push({ startMs, credits, isChanged: false })
    counted.credits += credits
  }
  counted.steps.sort((one, other) => one.startMs - other.startMs)
}

/** What somebody who counted at that time would have been told, had it been known what was used earlier. */
export const withEarlier = ({ requests, credits }: Use, earlier: Earlier, nowMs: number): Use => ({
  requests: requests + (earlier.minuteStartMs === startOf(minuteMs, nowMs) ? earlier.requests : 0),
  credits: earlier.steps.reduce((sum, step) => (step.startMs > nowMs - dayMs ? sum + step.credits : sum), credits),
})
