import { fail } from '#contract/errors.js'
import type { Model, ModelFilter, ModelType } from '#contract/models.js'
import type { Clock } from '#plumbing/clock.js'
import type { BuiltinCatalog } from './builtin.js'
import { buildModel, type CatalogModel, type CatalogModelOfType } from './catalog-model.js'
import type { OperatorConfig } from './config/config-schema.js'
import type { ModelEntry } from './config/model-entry.js'
import { resolvePolicies } from './content-policies.js'
import { type Limits, resolveLimits } from './limits.js'
import { type ExactPrice, exactPrice } from './prices.js'

export type { Binding, CatalogModel, CatalogModelOfType, VideoPrices } from './catalog-model.js'
export type { ContentPolicy } from './content-policies.js'
export type { Limits } from './limits.js'

/** A model that a request may use, and the headers that its answer must carry. */
export type Usable<T extends ModelType = ModelType> = {
  model: { [K in T]: CatalogModelOfType<K> }[T]
  headers: Readonly<Record<string, string>>
}

/**
 * Answers questions about what this service offers. A catalog never changes: when the config file does, a new catalog
 * takes its place. Only time moves on within it, as models are deprecated and retired.
 */
export type Catalog = {
  /** The records that a filter selects, the operator's first in the order of the file. Retired models are left out. */
  list(filter: ModelFilter): Model[]
  /** What the service knows about the model with this id, also one that is retired. */
  model(id: string): CatalogModel | undefined
  /** The record of a model id. Fails with `modelNotFound`, or with `modelRetired` when it is gone. */
  record(id: string): Model
  /** Which model each trait of a type stands for. Retired models are left out. */
  traits(type: ModelType): Record<string, string>
  /** Which model of a type answers to each name of another service. Retired models are left out. */
  compatibilityMapping(type: ModelType): Record<string, string>
  /** The names that `style_preset` accepts. */
  styles(): readonly string[]
  /** What a rewritten prompt costs, and the text model that rewrites if the operator chose one. */
  promptEnhancement(): { price: ExactPrice; model: string | undefined }
  /** What the service itself tells text models before the caller's own system prompt; '' for nothing. */
  systemPrompt(): string
  /** Every rate limit with its number. */
  limits(): Limits
  /**
   * The model that a request means by a name: a model id, else a trait (of the type given, or of text), else an alias.
   * A retired model resolves to its replacement when it has `autoRemap`, and otherwise fails with `modelRetired`.
   * An unknown name fails with `modelNotFound`, and a model of another type than the one asked for with `invalidModel`.
   * A model may be offline; whoever wants to run it looks at `model.offline` first.
   */
  use<T extends ModelType = ModelType>(name: string, type?: T): Usable<T>
  /** Whether it is the id of a model, of whatever type, or another name of a model of this type. */
  knows(name: string, type: ModelType): boolean
  /** When the passing of time will next change an answer of this catalog: Unix milliseconds, or Infinity. */
  nextChangeMs(): number
}

export type CatalogNeeds = {
  config: OperatorConfig
  builtin: BuiltinCatalog
  /** Models that were found on this machine. Those of the config file go before them. */
  local?: readonly ModelEntry[]
  clock: Clock
  /** The embedded engines of this build. A model that only a missing one could serve is offline. */
  engines: ReadonlySet<string>
  /** Unix seconds, shown as `created` for models that do not say. */
  createdDefault: number
}

/** The same as in the schema of the config file, for files without that section. */
const enhancementUsd = '0.04'
const noHeaders: Readonly<Record<string, string>> = Object.freeze({})

export const createCatalog = ({
  config,
  builtin,
  local = [],
  clock,
  engines,
  createdDefault,
}: CatalogNeeds): Catalog => {
  const own = [...config.models, ...free(config.models, local)]
  const entries = [...own, ...(config.builtinModels ? free(own, builtin.models) : [])]
  const traitHolders = holdersOf(entries, (entry) => entry.traits.map((trait) => traitKey(entry.type, trait)))
  const policiesOf = resolvePolicies(builtin, config)
  const models = new Map(
    entries.map((entry): [string, CatalogModel] => {
      const traits = entry.traits.filter((trait) => traitHolders.get(traitKey(entry.type, trait)) === entry.id)
      const contentPolicies = policiesOf(entry.contentPolicies ?? [])
      return [entry.id, buildModel({ entry, traits, engines, createdDefault, contentPolicies })]
    }),
  )
  // An id is looked up first, so a built-in alias that the operator uses as an id stands for nothing.
  const aliasHolders = holdersOf(entries, (entry) => entry.aliases.filter((alias) => !models.has(alias)))
  const styles = Object.freeze([...(config.styles ?? builtin.styles)])
  const systemPrompt = config.systemPrompt ?? builtin.systemPrompt
  const enhancement = {
    price: exactPrice(config.promptEnhancement?.usd ?? enhancementUsd),
    model: config.promptEnhancement?.model,
  }
  const limits = resolveLimits(builtin.limits, config.limits)

  const isRetired = ({ deprecation }: CatalogModel) => deprecation !== null && deprecation.removesAtMs <= clock.nowMs()

  const present = (id: string | undefined): CatalogModel | undefined => {
    const model = id === undefined ? undefined : models.get(id)
    return model && !isRetired(model) ? model : undefined
  }

  const look = (name: string, type: ModelType): CatalogModel | undefined => {
    const id = models.has(name) ? name : (traitHolders.get(traitKey(type, name)) ?? aliasHolders.get(name))
    return id === undefined ? undefined : models.get(id)
  }

  const find = (name: string, type: ModelType = 'text'): CatalogModel => {
    const model = look(name, type)
    if (!model) throw fail('modelNotFound', name)
    return model
  }

  /** The model itself, or what took its place; a circle of retired models leads nowhere. */
  const successorOf = (model: CatalogModel, passed: readonly CatalogModel[] = []): CatalogModel => {
    if (!isRetired(model)) return model
    const { autoRemap, replacement } = model.deprecation ?? {}
    const next = autoRemap && replacement ? models.get(replacement) : undefined
    if (!next || passed.includes(next)) throw retired(passed[0] ?? model)
    return successorOf(next, [...passed, model])
  }

  const headersFor = ({ deprecation }: CatalogModel) =>
    deprecation && deprecation.startsAtMs <= clock.nowMs() ? deprecation.headers : noHeaders

  const namesOf = (holders: ReadonlyMap<string, string>, type: ModelType, prefix: string) =>
    Object.fromEntries(
      [...holders]
        .filter(([name, id]) => name.startsWith(prefix) && present(id)?.type === type)
        .map(([name, id]) => [name.slice(prefix.length), id]),
    )

  return {
    list: (filter) => [...models.values()].filter((model) => !isRetired(model) && matches(model, filter)).map(recordOf),
    model: (id) => models.get(id),
    record(id) {
      const model = models.get(id)
      if (!model) throw fail('modelNotFound', id)
      if (isRetired(model)) throw retired(model)
      return model.record
    },
    traits: (type) => namesOf(traitHolders, type, traitKey(type, '')),
    compatibilityMapping: (type) => namesOf(aliasHolders, type, ''),
    styles: () => styles,
    promptEnhancement: () => enhancement,
    systemPrompt: () => systemPrompt,
    limits: () => limits,
    use<T extends ModelType>(name: string, type?: T) {
      const asked = find(name, type)
      if (type !== undefined && asked.type !== type) {
        throw fail(
          'invalidModel',
          `The model '${name}' is of type ${asked.type}; this request needs one of type ${type}`,
        )
      }
      const model = successorOf(asked)
      return { model: model as Usable<T>['model'], headers: headersFor(asked) }
    },
    knows: (name, type) => models.has(name) || look(name, type)?.type === type,
    nextChangeMs() {
      const nowMs = clock.nowMs()
      const moments = [...models.values()].flatMap(({ deprecation }) =>
        deprecation ? [deprecation.startsAtMs, deprecation.removesAtMs] : [],
      )
      return Math.min(...moments.filter((moment) => moment > nowMs))
    },
  }
}

const recordOf = (model: CatalogModel): Model => model.record

const retired = ({ id, deprecation }: CatalogModel) =>
  fail('modelRetired', id, deprecation?.date ?? '', deprecation?.replacement ?? '')

const matches = (model: CatalogModel, filter: ModelFilter): boolean => {
  if (filter === 'all') return true
  if (filter === 'code') return model.type === 'text' && model.capabilities.optimizedForCode
  return model.type === filter
}

/** Models whose id nobody before them uses, as an id or as an alias: who comes later steps aside. */
const free = (earlier: readonly ModelEntry[], later: readonly ModelEntry[]): ModelEntry[] => {
  const taken = new Set(earlier.flatMap(({ id, aliases }) => [id, ...aliases]))
  return later.filter(({ id }) => !taken.has(id))
}

/** Who holds each name. The first claim counts, and the operator's models come first. */
const holdersOf = (entries: readonly ModelEntry[], names: (entry: ModelEntry) => string[]): Map<string, string> => {
  const holders = new Map<string, string>()
  for (const entry of entries) {
    for (const name of names(entry)) if (!holders.has(name)) holders.set(name, entry.id)
  }
  return holders
}

const traitKey = (type: ModelType, trait: string): string => `${type} ${trait}`
