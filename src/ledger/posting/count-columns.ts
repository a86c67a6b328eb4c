import { type Count, type Counted, endsAtMs, type Reading, type Unit, type Window } from '#limits/count.js'
import { everybody } from '#limits/limits.js'
import { arrayText } from '#store/sql.js'

/** One counter in the database. */
const keyOf = ({ limit, subject, startsAtMs }: Window) => `${limit.period} ${startsAtMs} ${subject}`

const most = (max: number) => (max === Infinity ? null : max)

/** What a batch of requests is counted on, as ledger_admit_batch takes it: each counter once, those of nobody first. */
export const countColumns = (counts: readonly (Count | undefined)[]) => {
  const windows = new Map<string, Window>()
  for (const count of counts) for (const window of count?.windows ?? []) windows.set(keyOf(window), window)
  const unowned = [...windows.values()].filter(isUnowned).sort(byKey)
  const counters = [...unowned, ...[...windows.values()].filter((window) => !isUnowned(window))]
  const places = new Map(counters.map((window, index) => [keyOf(window), index + 1]))
  const uses = counts.flatMap((count, index) =>
    (count?.windows ?? []).map((window) => ({ place: index + 1, window, tokens: count?.tokens ?? 0 })),
  )
  return [
    unowned.length,
    ...counterColumns(counters),
    arrayText(uses.map(({ place }) => place)),
    arrayText(uses.map(({ window }) => places.get(keyOf(window)) ?? null)),
    arrayText(uses.map(({ window }) => most(window.limit.requestsMax))),
    arrayText(uses.map(({ window }) => most(window.limit.tokensMax))),
    arrayText(uses.map(({ tokens }) => tokens)),
  ]
}

export const counterColumns = (windows: readonly Window[]) => [
  arrayText(windows.map(({ subject }) => subject)),
  arrayText(windows.map(({ limit }) => limit.period)),
  arrayText(windows.map(({ startsAtMs }) => new Date(startsAtMs))),
]

/** Those of nobody are locked one after the other, so their order is always the same. */
const byKey = (one: Window, other: Window) => (keyOf(one) < keyOf(other) ? -1 : 1)
const isUnowned = ({ subject }: Window) => subject === everybody

/** What ledger_admit_batch said about the limits of each request. */
export const readCounted = (counts: readonly (Count | undefined)[], text: string | null): (Counted | undefined)[] => {
  const parts = text?.split(';') ?? []
  let next = 0
  return counts.map((count) => {
    if (!count || count.windows.length === 0) return undefined
    const [refusedBy = 0, ...used] = (parts[next++] ?? '').split(' ').map(Number)
    const readings = count.windows.map(
      (window, index): Reading => ({
        ...window,
        requests: used[index * 2] ?? 0,
        tokens: used[index * 2 + 1] ?? 0,
      }),
    )
    const reading = readings[Math.abs(refusedBy) - 1]
    const unit: Unit = refusedBy > 0 ? 'requests' : 'tokens'
    return { readings, refusal: reading && { reading, unit } }
  })
}

/** Tokens that a request turned out to use beyond its estimate. */
export type Correction = { windows: readonly Window[]; tokens: number }

/** Corrections as limits_correct takes them: each counter once, those of nobody last. What is over is left as it is. */
export const correctionColumns = (corrections: readonly Correction[], nowMs: number) => {
  const sums = new Map<string, { window: Window; tokens: number }>()
  for (const { windows, tokens } of corrections)
    for (const window of windows) {
      if (endsAtMs(window) <= nowMs) continue
      const sum = sums.get(keyOf(window))
      if (sum) sum.tokens += tokens
      else sums.set(keyOf(window), { window, tokens })
    }
  const all = [...sums.values()]
  const unowned = all.filter(({ window }) => isUnowned(window)).sort((one, other) => byKey(one.window, other.window))
  const ordered = [...all.filter(({ window }) => !isUnowned(window)), ...unowned]
  return [...counterColumns(ordered.map(({ window }) => window)), arrayText(ordered.map(({ tokens }) => tokens))]
}
