import type { ModelType } from '#contract/models.js'
import { policyNameProblems } from './check-content.js'
import type { Path } from './config-document.js'
import type { Complaint } from './config-problems.js'
import type { OperatorConfig } from './config-schema.js'
import type { DeprecationEntry, ModelEntryOfType } from './model-entry.js'

/**
 * What a schema cannot say: names that must exist or must not repeat, and numbers that must agree. The entries given
 * here hold only the fields that fit their schemas; `unfit` and `ids` name the rest, so that nothing is reported twice.
 */
export type Known = {
  /** Ids in this file. */
  ids: ReadonlySet<string>
  /** Ids that a replacement may name beside these. */
  builtinIds: ReadonlySet<string>
  upstreams: ReadonlySet<string>
  contentPolicies: ReadonlySet<string>
}

/** A model entry without the fields that do not fit, which are named in `unfit`. */
type Checkable<T extends ModelType> = Partial<ModelEntryOfType<T>> & { type: T }
type AnyCheckable = { [T in ModelType]: Checkable<T> }[ModelType]
export type PlacedEntry = { entry: AnyCheckable; unfit: ReadonlySet<unknown>; path: Path }

export const checkModels = (placed: readonly PlacedEntry[], known: Known): Complaint[] => [
  ...placed.flatMap(({ entry, unfit, path }) =>
    [
      ...engineProblems(entry, unfit, known),
      ...deprecationProblems(entry, known, placed),
      ...amountProblems(entry),
      ...choiceProblems(entry),
      ...policyNameProblems(entry.contentPolicies ?? [], known.contentPolicies),
    ].map((found) => ({ path: [...path, ...found.path], reason: found.reason })),
  ),
  ...repeatedNames(placed, known),
]

const at = (reason: string, ...path: Path): Complaint => ({ path, reason })

const engineProblems = (entry: AnyCheckable, unfit: ReadonlySet<unknown>, { upstreams }: Known): Complaint[] => {
  if (unfit.has('engine') || unfit.has('engines')) return []
  if (!entry.engine && !entry.engines) return [at('is missing; say which upstream serves this model', 'engine')]
  if (entry.engine && entry.engines) return [at("cannot stand beside 'engine'; keep one of the two", 'engines')]
  const bindings = entry.engine ? [entry.engine] : (entry.engines ?? [])
  return bindings.flatMap(({ upstream, embedded }, index) => {
    const path = entry.engine ? ['engine'] : ['engines', index]
    const isOneGiven = (upstream === undefined) !== (embedded === undefined)
    if (!isOneGiven) return [at("needs either 'upstream' or 'embedded'", ...path)]
    if (upstream === undefined || upstreams.has(upstream)) return []
    const names = upstreams.size > 0 ? `there are: ${[...upstreams].join(', ')}` : 'none are configured'
    return [at(`there is no upstream '${upstream}'; ${names}`, ...path, 'upstream')]
  })
}

const deprecationProblems = (entry: AnyCheckable, known: Known, placed: readonly PlacedEntry[]): Complaint[] => {
  const deprecation: DeprecationEntry | undefined = entry.deprecation
  if (!deprecation) return []
  const { date, startsAt, replacement, autoRemap } = deprecation
  const problems: Complaint[] = []
  if (startsAt && Date.parse(startsAt) > Date.parse(date)) {
    problems.push(at('must not be later than date', 'deprecation', 'startsAt'))
  }
  if (replacement === undefined) {
    return autoRemap
      ? [...problems, at("needs a 'replacement' to send requests to", 'deprecation', 'autoRemap')]
      : problems
  }
  const other = placed.find((item) => item.entry.id === replacement)?.entry
  if (replacement === entry.id) problems.push(at('a model cannot replace itself', 'deprecation', 'replacement'))
  else if (!known.ids.has(replacement) && !known.builtinIds.has(replacement)) {
    problems.push(at(`there is no model '${replacement}'`, 'deprecation', 'replacement'))
  } else if (other && other.type !== entry.type) {
    problems.push(at(`'${replacement}' is of type ${other.type}, not ${entry.type}`, 'deprecation', 'replacement'))
  }
  return problems
}

/** Numbers that must agree with each other, and prices that must be found for everything offered. */
const amountProblems = (entry: AnyCheckable): Complaint[] => {
  switch (entry.type) {
    case 'text':
      return textProblems(entry)
    case 'image':
      return [
        ...(entry.pricing ? unpriced(entry.pricing, entry.pricing.generation, 'generation', entry.constraints) : []),
        ...ordered(entry.constraints?.steps, 'default', 'max', 'constraints', 'steps'),
      ]
    case 'inpaint': {
      const inCapabilities = entry.capabilities?.maxInputImages
      const inConstraints = entry.constraints?.maxInputImages
      const isTold = inCapabilities && inConstraints && inCapabilities !== inConstraints
      return [
        ...(isTold
          ? [at(`is ${inConstraints}, but capabilities say ${inCapabilities}`, 'constraints', 'maxInputImages')]
          : []),
        ...(entry.pricing ? unpriced(entry.pricing, entry.pricing.inpaint, 'inpaint', entry.constraints) : []),
      ]
    }
    case 'music':
      return [
        ...ordered(entry, 'min_duration', 'max_duration'),
        ...ordered(entry, 'min_speed', 'max_speed'),
        ...Object.entries(entry.pricing?.durations ?? {}).flatMap(([name, price]) =>
          ordered(price, 'min_seconds', 'max_seconds', 'pricing', 'durations', name),
        ),
      ]
    case 'video': {
      const { generation, per_second } = entry.pricing ?? {}
      const isOneGiven = (generation === undefined) !== (per_second === undefined)
      return entry.pricing && !isOneGiven ? [at("needs either 'generation' or 'per_second'", 'pricing')] : []
    }
    default:
      return []
  }
}

const textProblems = ({ contextTokens, maxCompletionTokens, capabilities = {} }: Checkable<'text'>): Complaint[] => {
  type Capability = keyof typeof capabilities & string
  const needs = (field: Capability, flag: Capability) =>
    capabilities[field] !== undefined && !capabilities[flag] ? [at(`needs ${flag}: true`, 'capabilities', field)] : []
  return [
    ...ordered({ maxCompletionTokens, contextTokens }, 'maxCompletionTokens', 'contextTokens'),
    ...needs('reasoningEffortOptions', 'supportsReasoningEffort'),
    ...needs('defaultReasoningEffort', 'supportsReasoningEffort'),
    ...needs('maxImages', 'supportsMultipleImages'),
    ...needs('maxVideos', 'supportsVideoInput'),
  ]
}

type TierPrices = {
  resolutions?: Record<string, unknown>
  quality?: Record<string, Partial<Record<string, unknown>>>
}
type Tiers = {
  resolutions?: string[]
  defaultResolution?: string
  qualities?: string[]
  defaultQuality?: string
}

/** Every tier and quality that a caller may get must have a price, and a table must not be half full. */
const unpriced = (
  { resolutions, quality }: TierPrices,
  usual: unknown,
  usualName: string,
  { resolutions: offered, defaultResolution, qualities = [], defaultQuality }: Tiers = {},
): Complaint[] => {
  if (usual === undefined && !resolutions && !quality)
    return [at(`needs '${usualName}', 'resolutions' or 'quality'`, 'pricing')]
  const tiers = [...new Set([...(offered ?? []), defaultResolution ?? offered?.[0] ?? '1K'])]
  const asked = qualities.length > 0 ? qualities : ['high']
  const isPriced = (tier: string, name: string) =>
    quality && Object.hasOwn(quality, tier)
      ? quality[tier]?.[name] !== undefined
      : usual !== undefined || Object.hasOwn(resolutions ?? {}, tier)
  const missing = tiers.filter((tier) => !asked.every((name) => isPriced(tier, name)))
  const misspelt = Object.keys({ ...resolutions, ...quality }).filter(
    (tier) => !tiers.includes(tier) && tiers.some((known) => known.toLowerCase() === tier.toLowerCase()),
  )
  const usualQuality = defaultQuality ?? 'high'
  return [
    ...(missing.length > 0 ? [at(`has no price for the resolution ${missing.join(', ')}`, 'pricing')] : []),
    ...misspelt.map((tier) => at(`'${tier}' must be written as in constraints.resolutions`, 'pricing')),
    ...(qualities.length > 0 && !qualities.includes(usualQuality)
      ? [at(`must name one of ${qualities.join(', ')}`, 'constraints', 'defaultQuality')]
      : []),
  ]
}

const ordered = <T extends object>(
  values: T | undefined,
  low: keyof T & string,
  high: keyof T & string,
  ...path: Path
) => {
  const [least, most] = [values?.[low], values?.[high]]
  const wrong = typeof least === 'number' && typeof most === 'number' && least > most
  return wrong ? [at(`is larger than ${high} (${most})`, ...path, low)] : []
}

/** A default that is not among the choices could never be asked for by name. */
const choices = [
  ['constraints', 'aspectRatios', 'defaultAspectRatio'],
  ['constraints', 'resolutions', 'defaultResolution'],
  ['constraints', 'qualities', 'defaultQuality'],
  ['capabilities', 'reasoningEffortOptions', 'defaultReasoningEffort'],
  ['', 'supported_formats', 'default_format'],
  ['', 'voices', 'default_voice'],
  ['', 'duration_options', 'default_duration'],
] as const

const choiceProblems = (entry: AnyCheckable): Complaint[] =>
  choices.flatMap(([section, list, standard]) => {
    const fields = (section ? (entry as Record<string, unknown>)[section] : entry) as
      | Record<string, unknown>
      | undefined
    const offered = fields?.[list]
    const chosen = fields?.[standard]
    if (chosen === undefined || !Array.isArray(offered) || offered.includes(chosen)) return []
    return [at(`is not one of ${list}: ${offered.join(', ')}`, ...(section ? [section] : []), standard)]
  })

/** Ids, aliases, and traits within a type each name one model. */
const repeatedNames = (placed: readonly PlacedEntry[], { ids }: Known): Complaint[] => {
  const problems: Complaint[] = []
  const holders = new Map<string, string>()
  const claim = (name: string, holder: string, ...path: Path) => {
    const former = holders.get(name)
    if (former === undefined) holders.set(name, holder)
    else problems.push(at(`the ${name} is already held by '${former}'`, ...path))
  }
  const seen = new Set<string>()
  for (const { entry, path } of placed) {
    const { id = 'another model', type, traits = [], aliases = [] } = entry
    if (seen.has(id)) problems.push(at(`there is already a model '${id}'`, ...path, 'id'))
    if (entry.id) seen.add(id)
    for (const [index, trait] of traits.entries()) claim(`${type} trait '${trait}'`, id, ...path, 'traits', index)
    for (const [index, alias] of aliases.entries()) {
      if (ids.has(alias)) problems.push(at(`'${alias}' is the id of a model`, ...path, 'aliases', index))
      else claim(`alias '${alias}'`, id, ...path, 'aliases', index)
    }
  }
  return problems
}

const searchNeeds = { searxng: ['baseUrl'], brave: ['apiKey'], google: ['apiKey', 'engineId'] } as const

type TopUps = Pick<NonNullable<OperatorConfig['x402']>, 'minimumTopUpUsd' | 'suggestedTopUpUsd' | 'maximumTopUpUsd'>

/** What is proposed must be taken; and who could pay nothing would only cost us fees. */
const checkTopUps = ({ minimumTopUpUsd, suggestedTopUpUsd, maximumTopUpUsd }: TopUps): Complaint[] => [
  ...(Number(minimumTopUpUsd) === 0 ? [at('must be more than 0', 'x402', 'minimumTopUpUsd')] : []),
  ...(Number(suggestedTopUpUsd) < Number(minimumTopUpUsd)
    ? [
        at(
          `is ${suggestedTopUpUsd}, less than minimumTopUpUsd, which is ${minimumTopUpUsd}`,
          'x402',
          'suggestedTopUpUsd',
        ),
      ]
    : []),
  ...(Number(maximumTopUpUsd) < Number(suggestedTopUpUsd)
    ? [
        at(
          `is ${maximumTopUpUsd}, less than suggestedTopUpUsd, which is ${suggestedTopUpUsd}`,
          'x402',
          'maximumTopUpUsd',
        ),
      ]
    : []),
]

/** The sections beside the models. */
export const checkSections = ({ search, x402 }: Partial<OperatorConfig>): Complaint[] => [
  ...(search ? searchNeeds[search.provider] : [])
    .filter((field) => search?.[field] === undefined)
    .map((field) => at(`is missing; the provider ${search?.provider} needs it`, 'search', field)),
  ...(x402 && !x402.evm && !x402.solana ? [at("needs 'evm', 'solana' or both", 'x402')] : []),
  ...(x402 ? checkTopUps(x402) : []),
  ...(['evm', 'solana'] as const).flatMap((rail) =>
    x402?.[rail] && !x402[rail].feeWalletKey && !x402.facilitatorUrl
      ? [
          at(
            "is missing; it pays the chain's fees, unless 'facilitatorUrl' names somebody who does",
            'x402',
            rail,
            'feeWalletKey',
          ),
        ]
      : [],
  ),
]
