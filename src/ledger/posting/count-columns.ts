import { type Count, type Counted, endsAtMs, type Reading, type Window } from '#limits/count.js'
import { everybody } from '#limits/limits.js'
import { messageOf } from '#plumbing/message-of.js'
import { Unavailable } from '#plumbing/unavailable.js'
import { arrayText, sqlStateOf } from '#store/sql.js'

/** One counter in the database. */
const keyOf = ({ limit, subject, startsAtMs }: Window) => `${limit.period} ${startsAtMs} ${subject}`
const isUnowned = ({ subject }: Window) => subject === everybody
/** Counters of nobody are locked one after the other, so their order is always the same. */
const byKey = ([one]: [string, ...unknown[]], [other]: [string, ...unknown[]]) => (one < other ? -1 : 1)

export const counterColumns = (windows: readonly Window[]) => [
  arrayText(windows.map(({ subject }) => subject)),
  arrayText(windows.map(({ limit }) => limit.period)),
  arrayText(windows.map(({ startsAtMs }) => new Date(startsAtMs))),
]

const most = (max: number) => (max === Infinity ? null : max)

/** What a batch of requests is counted on, as ledger_hold_batch takes it: each counter once, those of nobody first. */
export const countColumns = (counts: readonly (Count | undefined)[]) => {
  const uses = counts.flatMap((count) => count?.windows.map((window) => ({ window, key: keyOf(window), count })) ?? [])
  const all = new Map(uses.map(({ key, window }) => [key, window]))
  const unowned = [...all].filter(([, window]) => isUnowned(window)).sort(byKey)
  const counters = new Map([...unowned, ...all])
  const places = new Map([...counters.keys()].map((key, index) => [key, index + 1]))
  let last = 0
  const ends = counts.map((count) => {
    last += count?.windows.length ?? 0
    return last
  })
  return [
    unowned.length,
    ...counterColumns([...counters.values()]),
    arrayText(ends.map((end, index) => end - (counts[index]?.windows.length ?? 0) + 1)),
    arrayText(ends),
    arrayText(uses.map(({ key }) => places.get(key) ?? null)),
    arrayText(uses.map(({ window }) => most(window.limit.requestsMax))),
    arrayText(uses.map(({ window }) => most(window.limit.tokensMax))),
    arrayText(uses.map(({ count }) => count.tokens)),
  ]
}

/** What ledger_hold_batch said about the limits of a request. */
export const readCounted = ({ windows }: Count, text: string): Counted => {
  const [refusedBy = 0, ...used] = text.split(' ').map(Number)
  const readings = windows.map(({ limit, subject, startsAtMs }, index): Reading => {
    const [requests = 0, tokens = 0] = [used[index * 2], used[index * 2 + 1]]
    return { limit, subject, startsAtMs, requests, tokens }
  })
  const reading = readings[Math.abs(refusedBy) - 1]
  return { readings, refusal: reading && { reading, unit: refusedBy > 0 ? 'requests' : 'tokens' } }
}

/** Tokens that a request turned out to use beyond its estimate, in windows with a limit of tokens: minutes. */
export type Correction = { windows: readonly Window[]; tokens: number }

/** Corrections as limits_correct takes them: minute by minute, each subject once and in order. What is over is left. */
export const correctionColumns = (corrections: readonly Correction[], nowMs: number) => {
  const minutes = new Map<number, Map<string, number>>()
  for (const { windows, tokens } of corrections)
    for (const window of windows) {
      if (endsAtMs(window) <= nowMs) continue
      const { startsAtMs, subject } = window
      const sums = minutes.get(startsAtMs) ?? new Map<string, number>()
      minutes.set(startsAtMs, sums)
      sums.set(subject, (sums.get(subject) ?? 0) + tokens)
    }
  const ordered = [...minutes].sort(([one], [other]) => one - other)
  const subjects = ordered.map(([, sums]) => [...sums.keys()].sort())
  let last = 0
  const ends = subjects.map((some) => {
    last += some.length
    return last
  })
  return [
    arrayText(ordered.map(([startsAtMs]) => new Date(startsAtMs))),
    arrayText(ends.map((end, index) => end - (subjects[index]?.length ?? 0) + 1)),
    arrayText(ends),
    arrayText(subjects.flat()),
    arrayText(subjects.flatMap((some, index) => some.map((subject) => ordered[index]?.[1].get(subject) ?? 0))),
  ]
}

/** The error by which a settlement says that a batch must be tried one by one. */
const oneByOne = 'TS001'
/** Deadlock and its relatives: somebody else was faster, and it works when it is tried again. */
const passing = new Set(['40P01', '40001'])

/**
 * Limits must never be the reason why nothing works: what fails with them is done without, and whoever asked is let in.
 * If that fails as well, it was not for the limits. Only what the server itself undid is ever tried again.
 */
export const withoutLimits = async <Result>(
  withLimits: () => Promise<Result>,
  without: () => Promise<Result>,
  onTrouble: (trouble: string) => void,
): Promise<Result> => {
  const attempt = () =>
    withLimits().catch((error) => {
      const state = sqlStateOf(error)
      if (error instanceof Unavailable || state === undefined || state === oneByOne) throw error
      return new Trouble(messageOf(error), state)
    })
  const first = await attempt()
  if (!(first instanceof Trouble)) return first
  const second = passing.has(first.state) ? await attempt() : first
  if (!(second instanceof Trouble)) return second
  const result = await without()
  onTrouble(second.message)
  return result
}

class Trouble {
  constructor(
    readonly message: string,
    readonly state: string,
  ) {}
}
