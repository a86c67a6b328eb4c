import type { LimitGroup, LimitsEntry } from './config/config-schema.js'
import { limitGroups } from './config/config-schema.js'
import type { Rate } from './config/model-entry.js'

/** Every limit with a number, after the operator's were laid over ours. A rate that is absent is not limited. */
export type Limits = {
  tiers: Record<string, Record<LimitGroup, Rate>>
  errorBudget: { windowSeconds: number; failed: number; unsupported: number }
  keyCreationsPerMinute: number
}

/** The tier that a new tier starts from, so that the operator writes only what is different. */
const standardTier = 'paid'

/** Lays the operator's limits over the built-in ones, number by number. */
export const resolveLimits = (builtin: LimitsEntry, configured: LimitsEntry = {}): Limits => {
  const names = new Set([...Object.keys(builtin.tiers ?? {}), ...Object.keys(configured.tiers ?? {})])
  const tier = (name: string) => {
    const base = builtin.tiers?.[name] ?? builtin.tiers?.[standardTier]
    const over = configured.tiers?.[name]
    return Object.fromEntries(limitGroups.map((group) => [group, { ...base?.[group], ...over?.[group] }]))
  }
  return {
    tiers: Object.fromEntries([...names].map((name) => [name, tier(name)])) as Limits['tiers'],
    errorBudget: { ...noBudget, ...builtin.errorBudget, ...configured.errorBudget },
    keyCreationsPerMinute: configured.keyCreationsPerMinute ?? builtin.keyCreationsPerMinute ?? Infinity,
  }
}

const noBudget = { windowSeconds: 30, failed: Infinity, unsupported: Infinity }
