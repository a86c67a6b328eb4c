import { type LimitGroup, type LimitSetEntry, type LimitsEntry, limitGroups } from './config/config-schema.js'
import type { Rate } from './config/model-entry.js'

/** What may be used; by a tier, or by an account that has limits of its own. A rate that is absent is not limited. */
export type LimitSet = Record<LimitGroup, Rate> & {
  /** Requests without a model, of each key. */
  other: Rate
  /** All requests for models of one account together. */
  account: Rate
  /** Of single models, over those of their group. */
  models: Record<string, Rate>
}

/** Every limit with a number, after the operator's were laid over ours. */
export type Limits = {
  tiers: Record<string, LimitSet>
  /** Over those of their tier. */
  accounts: Record<string, LimitSet>
  /** All requests for models of all callers together. */
  global: Rate
  errorBudget: { windowSeconds: number; failed: number; unsupported: number }
  keyCreationsPerMinute: number
}

/** The tier of new accounts, and the one that a new tier starts from, so that the operator writes only what differs. */
const standardTier = 'paid'

/** Lays the operator's limits over the built-in ones, number by number. */
export const resolveLimits = (builtin: LimitsEntry, configured: LimitsEntry = {}): Limits => {
  const names = new Set([...Object.keys(builtin.tiers ?? {}), ...Object.keys(configured.tiers ?? {})])
  const tier = (name: string) =>
    limitSet(own(builtin.tiers, name) ?? builtin.tiers?.[standardTier], own(configured.tiers, name))
  const accounts = Object.entries(configured.accounts ?? {})
  return {
    tiers: Object.fromEntries([...names].map((name) => [name, tier(name)])),
    accounts: Object.fromEntries(accounts.map(([id, entry]) => [id, limitSet(entry)])),
    global: { ...builtin.global, ...configured.global },
    errorBudget: { ...noBudget, ...builtin.errorBudget, ...configured.errorBudget },
    keyCreationsPerMinute: configured.keyCreationsPerMinute ?? builtin.keyCreationsPerMinute ?? Infinity,
  }
}

const kinds = [...limitGroups, 'other', 'account'] as const

const limitSet = (base: LimitSetEntry = {}, over: LimitSetEntry = {}): LimitSet => {
  const rates = kinds.map((kind) => [kind, { ...base[kind], ...over[kind] }])
  return { ...(Object.fromEntries(rates) as Omit<LimitSet, 'models'>), models: { ...base.models, ...over.models } }
}

const noBudget = { windowSeconds: 30, failed: Infinity, unsupported: Infinity }

/** What a caller of a tier may do with a model. What is said about the model goes before what is said about its group. */
export const rateOf = (
  limits: Limits,
  who: { tier: string; accountId: string },
  model: { id: string; limitGroup: LimitGroup; limits: Rate },
): Rate => {
  const tier = tierOf(limits, who.tier)
  const special = own(limits.accounts, who.accountId)
  return {
    ...tier[model.limitGroup],
    ...special?.[model.limitGroup],
    ...model.limits,
    ...own(tier.models, model.id),
    ...own(special?.models, model.id),
  }
}

/** As `rateOf`, for what is counted across models. */
export const sharedRateOf = (limits: Limits, who: { tier: string; accountId: string }, kind: 'other' | 'account') => ({
  ...tierOf(limits, who.tier)[kind],
  ...own(limits.accounts, who.accountId)?.[kind],
})

/** A tier that has left the config file is treated as the usual one. */
const tierOf = (limits: Limits, name: string): LimitSet =>
  own(limits.tiers, name) ?? limits.tiers[standardTier] ?? limitSet()

/** Names come from people, and may be those that every object has. */
const own = <Value>(record: Record<string, Value> | undefined, name: string): Value | undefined =>
  record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined
