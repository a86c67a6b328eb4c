import type { Catalog, CatalogModel } from '#catalog/catalog.js'
import type { Rate } from '#catalog/config/model-entry.js'
import { rateOf, sharedRateOf } from '#catalog/limits.js'
import type { ModelType } from '#contract/models.js'
import type { Clock } from '#plumbing/clock.js'
import { type Count, type Limit, limitsOfRate, type Scope, windowStartMs } from './count.js'

/** Whose requests are counted. A caller without a key is a wallet, and has an account of its own. */
export type Limited = { accountId: string; keyId: string | null; tier: string }

/** What callers may do, as the config file says right now. */
export type Limits = {
  /** What a request for this model is counted on; undefined where nothing is limited. */
  countOf(who: Limited, modelId: string, tokens: number): Count | undefined
  /** The same for a request without a model. */
  otherCountOf(who: Limited): Count
  /** Every limit of a caller, for people to read. */
  list(who: Limited): LimitList[]
  /** The id of the model that a request means by a name; undefined when there is none. */
  modelNamed(name: string, type: ModelType): string | undefined
}

export type LimitList = { modelId: string | undefined; scope: Scope; rate: Rate }

type Needs = { catalog: () => Catalog; clock: Clock }

export const createLimits = ({ catalog, clock }: Needs): Limits => {
  // A catalog never changes, so what follows from it is reckoned once for each model, and each tier or special account.
  const about = (now: Catalog) => ({
    now,
    special: new Set(Object.keys(now.limits().accounts)),
    limits: new Map<string, Map<string, Limit[]>>(),
  })
  let known = about(catalog())
  const limitsOf = (who: Limited, modelId: string): Limit[] => {
    const now = catalog()
    if (known.now !== now) known = about(now)
    let ofModel = known.limits.get(modelId)
    if (ofModel === undefined) {
      ofModel = new Map()
      known.limits.set(modelId, ofModel)
    }
    const set = known.special.has(who.accountId) ? `${who.tier} ${who.accountId}` : who.tier
    let limits = ofModel.get(set)
    if (limits === undefined) {
      limits = modelId === noModel ? reckonOther(now, who) : reckon(now, who, modelId)
      ofModel.set(set, limits)
    }
    return limits
  }

  const reckonOther = (now: Catalog, who: Limited) => limitsOfRate('api_key', sharedRateOf(now.limits(), who, 'other'))
  const reckon = (now: Catalog, who: Limited, modelId: string): Limit[] => {
    const model = now.model(modelId)
    // docs/specification.md, Limits: video and music generation are not rate limited.
    if (!isLimited(model)) return []
    const limits = now.limits()
    return [
      ...limitsOfRate('api_key', rateOf(limits, who, model)),
      ...limitsOfRate('user', sharedRateOf(limits, who, 'account')),
      ...limitsOfRate('global', limits.global),
    ]
  }

  const count = (who: Limited, modelId: string, tokens: number): Count => {
    const nowMs = clock.nowMs()
    const windows = limitsOf(who, modelId).map((limit) => ({
      limit,
      subject: subjectOf(limit.scope, who, modelId),
      startsAtMs: windowStartMs(limit.period, nowMs),
    }))
    return { windows, tokens }
  }

  return {
    countOf(who, modelId, tokens) {
      const counted = count(who, modelId, tokens)
      return counted.windows.length === 0 ? undefined : counted
    },
    otherCountOf: (who) => count(who, noModel, 0),
    list(who) {
      const now = catalog()
      const limits = now.limits()
      return [
        ...now.list('all').map(({ id: modelId }): LimitList => {
          const model = now.model(modelId)
          return { modelId, scope: 'api_key', rate: isLimited(model) ? rateOf(limits, who, model) : {} }
        }),
        { modelId: undefined, scope: 'api_key', rate: sharedRateOf(limits, who, 'other') },
        { modelId: undefined, scope: 'user', rate: sharedRateOf(limits, who, 'account') },
        { modelId: undefined, scope: 'global', rate: limits.global },
      ]
    },
    modelNamed(name, type) {
      try {
        return catalog().use(name, type).model.id
      } catch {
        return undefined
      }
    },
  }
}

const isLimited = (
  model: CatalogModel | undefined,
): model is CatalogModel & { limitGroup: NonNullable<CatalogModel['limitGroup']> } =>
  model !== undefined && model.limitGroup !== null

const subjectOf = (scope: Scope, { accountId, keyId }: Limited, modelId: string): string => {
  switch (scope) {
    case 'api_key':
      return `${keyId ?? accountId} ${modelId}`
    case 'user':
      return accountId
    case 'global':
      return everybody
  }
}

/** Stands for a model where there is none. */
const noModel = ''

/** The one subject that does not belong to an account. */
export const everybody = 'everybody'
