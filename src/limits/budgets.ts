import type { Limits } from '#catalog/limits.js'
import { Failure, type FailureName, fail } from '#contract/errors.js'
import type { Clock } from '#plumbing/clock.js'
import { Unavailable } from '#plumbing/unavailable.js'
import type { Limited } from './limits.js'
import type { LimitType } from './standing.js'

/** docs/specification.md, Limits 5: what a client that does nothing but fail may use up. */
export type BudgetType = Extract<LimitType, 'FAILED_REQUESTS' | 'UNSUPPORTED_FEATURE_REQUESTS'>

export type Failed = { subject: string; modelId: string; type: BudgetType }

/** Counts failures per model and key over the last seconds. Every process counts for itself and hears of the others'. */
export type Budgets = {
  /** Does something for a caller with a model, unless a budget for that is used up, and counts it if it fails. */
  watch<Result>(who: Limited, modelId: string, work: () => Promise<Result>): Promise<Result>
  /** Counts a failure that was told in another way than by throwing it, if it is one that counts. */
  note(who: Limited, modelId: string, error: unknown): void
  /** Counts what another process noted, from now on: its clock may be another. */
  hear(failed: Failed): void
}

type Budget = Limits['errorBudget']

/** When requests failed, oldest first. */
type Moments = Record<BudgetType, number[]>

type Needs = {
  budget: () => Budget
  clock: Clock
  /** Tells other processes of a failure that was noted here. */
  announce?: ((failed: Failed) => void) | undefined
  onUsedUp?: (who: Limited, modelId: string, type: BudgetType) => void
}

/** So many callers with their models are remembered at most; who failed longest ago is forgotten first. */
const rememberedMax = 10_000

export const createBudgets = ({ budget, clock, announce = () => {}, onUsedUp = () => {} }: Needs): Budgets => {
  /** The newest failures of each key and model: one more than the budget allows are enough to know all. */
  const failures = new Map<string, Moments>()

  const hear = ({ subject, modelId, type }: Failed) => {
    const key = keyOf(subject, modelId)
    const found = failures.get(key) ?? { FAILED_REQUESTS: [], UNSUPPORTED_FEATURE_REQUESTS: [] }
    // To the end of the line: maps remember the order in which their keys came.
    failures.delete(key)
    failures.set(key, found)
    if (failures.size > rememberedMax) failures.delete(failures.keys().next().value as string)
    const moments = found[type]
    const nowMs = clock.nowMs()
    moments.push(nowMs)
    const sinceMs = nowMs - budget().windowSeconds * 1000
    while (moments.length > mostOf(budget(), type) + 1 || (moments[0] as number) <= sinceMs) moments.shift()
  }

  /** When a budget that is used up has room again; undefined when it has. */
  const resetsAtMs = (type: BudgetType, moments: Moments): number | undefined => {
    const now = budget()
    // The failure that was one too many: when it has left the window, there is room.
    const excess = moments[type].at(-(mostOf(now, type) + 1))
    const atMs = excess === undefined ? 0 : excess + now.windowSeconds * 1000
    return atMs > clock.nowMs() ? atMs : undefined
  }

  const check = (who: Limited, modelId: string) => {
    // Nearly always nobody has failed.
    const moments = failures.size === 0 ? undefined : failures.get(keyOf(subjectOf(who), modelId))
    if (moments === undefined) return
    for (const type of budgetTypes) {
      const atMs = resetsAtMs(type, moments)
      if (atMs === undefined) continue
      onUsedUp(who, modelId, type)
      throw usedUp(type, budget(), modelId, atMs, clock.nowMs())
    }
  }

  const note = (who: Limited, modelId: string, error: unknown) => {
    const type = typeOf(error)
    if (type === undefined) return
    const failed = { subject: subjectOf(who), modelId, type }
    hear(failed)
    announce(failed)
  }

  return {
    async watch(who, modelId, work) {
      check(who, modelId)
      try {
        return await work()
      } catch (error) {
        note(who, modelId, error)
        throw error
      }
    },
    note,
    hear,
  }
}

export const budgetTypes: readonly BudgetType[] = ['FAILED_REQUESTS', 'UNSUPPORTED_FEATURE_REQUESTS']

const subjectOf = ({ keyId, accountId }: Limited) => keyId ?? accountId
const keyOf = (subject: string, modelId: string) => `${subject} ${modelId}`
const mostOf = (budget: Budget, type: BudgetType) => (type === 'FAILED_REQUESTS' ? budget.failed : budget.unsupported)

/**
 * These are not failures of the request: it has to be paid for first, its first try is still running, it came too often,
 * or its caller left before there was an answer.
 */
const uncounted = new Set([402, 409, 429, 499])
/** Nor are these: our own trouble, which has nothing to do with the model and passes. */
const ours = new Set<FailureName>(['holdLost', 'documentsBusy', 'uploadsBusy'])

const typeOf = (error: unknown): BudgetType | undefined => {
  if (error instanceof Unavailable) return undefined
  if (!(error instanceof Failure)) return 'FAILED_REQUESTS'
  if (error.failure === 'unsupportedFeature') return 'UNSUPPORTED_FEATURE_REQUESTS'
  return uncounted.has(error.status) || ours.has(error.failure) ? undefined : 'FAILED_REQUESTS'
}

const usedUp = (type: BudgetType, budget: Budget, modelId: string, atMs: number, nowMs: number): Failure => {
  const waitMs = atMs - nowMs
  const what = type === 'FAILED_REQUESTS' ? 'failed requests' : 'requests for features that the model does not have'
  const failure = fail(
    'errorBudgetUsed',
    what,
    String(mostOf(budget, type)),
    modelId,
    String(budget.windowSeconds),
    String(Math.ceil(waitMs / 1000)),
  )
  return (
    failure
      .with({ customMessage: failure.message })
      .withHeaders({ 'x-ratelimit-remaining': '0', 'x-ratelimit-resets': String(atMs) })
      .retryAfterMs(waitMs)
      // A client that goes on by itself would only fail again.
      .withoutRetry()
  )
}
