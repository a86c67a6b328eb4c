import { EmbeddingDetails, ImageDetails, MusicDetails, SpeechDetails } from '#contract/model-parts.js'
import type { Model, ModelOfType, ModelType } from '#contract/models.js'
import type { LimitGroup } from './config/config-schema.js'
import type { ModelEntry, ModelEntryOfType, Rate } from './config/model-entry.js'
import type { ContentPolicy } from './content-policies.js'
import { type Deprecation, deprecationOf, deprecationRecord } from './deprecation.js'
import { type CamelKeys, camelKeys, type ExactPrices, exactPrices, recordPrices } from './price-tables.js'
import { decimalPerUnit, type ExactPrice, exactPrice } from './prices.js'

/** Who can serve a model: a configured upstream, or an engine inside this process. */
export type Binding =
  | {
      kind: 'upstream'
      upstream: string
      model: string
      /** The operator named the model; otherwise our id stands for it. */
      isModelNamed: boolean
      weight: number
    }
  | { kind: 'embedded'; engine: string; model: string; weight: number }

type Spec<T extends ModelType> = ModelOfType<T>['model_spec']
type Part<S, Name extends string> = S extends Record<Name, infer P> ? P : Record<never, never>

/** Video is priced per job or per second, and only POST /video/quote shows it. */
export type VideoPrices = {
  generation?: ExactPrice
  perSecond?: ExactPrice
  /** Per second, for resolutions that cost something else than `perSecond`. */
  resolutions?: Record<string, ExactPrice>
}

/** Everything the service knows about one model, in its own words; `record` is what callers are shown. */
export type CatalogModelOfType<T extends ModelType> = {
  id: string
  type: T
  name: string
  privacy: ModelEntry['privacy']
  /** Nobody can serve it now: the operator said so, or no engine for it is in this build. */
  offline: boolean
  /** Text and embedding models always have a size; others only when the operator gave one. */
  size: 'XS' | 'S' | 'M' | 'L' | null
  /** Whose rate limits apply; null for video and music, which are not limited. */
  limitGroup: LimitGroup | null
  /** Limits of this model alone, over those of its group. */
  limits: Rate
  /** Only those that can be used; empty when offline. */
  bindings: readonly Binding[]
  /** Text: prompt and completion together. Embedding: the longest input, when known. */
  contextTokens: number | null
  maxCompletionTokens: number | null
  /** Nano-USD per million tokens or characters for text, embedding and tts, per unit otherwise. */
  prices: T extends 'video' ? VideoPrices : ExactPrices<Part<Spec<T>, 'pricing'>>
  capabilities: Part<Spec<T>, 'capabilities'>
  /** As in the record, with camel-case names. */
  constraints: CamelKeys<Part<Spec<T>, 'constraints'>>
  deprecation: Deprecation | null
  /** What it does not make; never empty. */
  contentPolicies: readonly ContentPolicy[]
  record: ModelOfType<T>
}
export type CatalogModel = { [T in ModelType]: CatalogModelOfType<T> }[ModelType]

export type BuildOptions = {
  entry: ModelEntry
  /** The traits it holds, after those that other models hold were taken away. */
  traits: readonly string[]
  engines: ReadonlySet<string>
  /** Unix seconds, for an entry that does not say when it was created. */
  createdDefault: number
  contentPolicies: readonly ContentPolicy[]
}

export const buildModel = ({ entry, traits, engines, createdDefault, contentPolicies }: BuildOptions): CatalogModel => {
  const { id, type, privacy, name = id } = entry
  const bindings = bindingsOf(entry).filter((binding) => binding.kind === 'upstream' || engines.has(binding.engine))
  const offline = entry.offline || bindings.length === 0
  const spec = specOf(entry)
  const record = {
    id,
    object: 'model',
    type,
    owned_by: 'svc',
    name,
    created: entry.created ? Date.parse(entry.created) / 1000 : createdDefault,
    ...(type === 'text' && readerFields(entry)),
    model_spec: {
      name,
      ...(entry.description !== undefined && { description: entry.description }),
      modelSource: entry.modelSource ?? '',
      privacy: privacy === 'anonymized' ? 'anonymized' : 'private',
      offline,
      ...(entry.beta !== undefined && { beta: entry.beta }),
      betaModel: entry.betaModel ?? false,
      ...(entry.uncensored && { uncensored: true }),
      ...(entry.regionRestrictions && { regionRestrictions: entry.regionRestrictions }),
      traits: [...traits],
      ...(entry.deprecation && { deprecation: deprecationRecord(entry.deprecation) }),
      ...spec,
      ...(type !== 'video' && { pricing: recordPrices(completePricing(entry)) }),
    },
  } as Model

  // The compiler cannot follow nine types through one function; the tests check every record against the contract.
  return deepFreeze({
    id,
    type,
    name,
    privacy,
    offline,
    size: 'size' in entry ? (entry.size ?? null) : null,
    limitGroup: limitGroupOf(entry),
    limits: entry.limits ?? {},
    bindings: offline ? [] : bindings,
    contextTokens: type === 'text' ? entry.contextTokens : type === 'embedding' ? (entry.maxInputTokens ?? null) : null,
    maxCompletionTokens: type === 'text' ? (entry.maxCompletionTokens ?? entry.contextTokens) : null,
    prices: exactPrices(completePricing(entry)),
    capabilities: spec.capabilities ?? {},
    constraints: camelKeys(spec.constraints ?? {}),
    deprecation: entry.deprecation ? deprecationOf(id, entry.deprecation) : null,
    contentPolicies,
    record,
  } as unknown as CatalogModel)
}

const bindingsOf = (entry: ModelEntry): Binding[] =>
  (entry.engines ?? [{ ...entry.engine, weight: 1 }]).map(({ upstream, embedded, model = entry.id, weight }, index) =>
    upstream === undefined
      ? { kind: 'embedded', engine: embedded ?? '', model, weight }
      : { kind: 'upstream', upstream, model, isModelNamed: isModelNamed(entry, index), weight },
  )

const isModelNamed = ({ engine, engines }: ModelEntry, index: number): boolean =>
  (engines?.[index] ?? engine)?.model !== undefined

const limitGroupOf = (entry: ModelEntry): LimitGroup | null => {
  switch (entry.type) {
    case 'text':
    case 'embedding':
      return entry.size
    case 'image':
    case 'inpaint':
    case 'upscale':
      return entry.size ?? 'image'
    case 'tts':
    case 'asr':
      return entry.size ?? 'audio'
    // docs/specification.md, Limits: video and music generation are not rate limited.
    case 'music':
    case 'video':
      return null
  }
}

/** Prices that the record requires and the operator may leave out. */
const completePricing = (entry: ModelEntry): object => {
  if (entry.type === 'embedding') return { output: '0', ...entry.pricing }
  if (entry.type === 'upscale') return { generation: entry.pricing.upscale['2x'], ...entry.pricing }
  return entry.pricing
}

/** Where readers made for OpenAI and OpenRouter look. */
const readerFields = ({ contextTokens, pricing }: ModelEntryOfType<'text'>) => ({
  context_length: contextTokens,
  pricing: {
    prompt: decimalPerUnit(exactPrice(pricing.input).usdNanos),
    completion: decimalPerUnit(exactPrice(pricing.output).usdNanos),
  },
})

type SpecParts = { capabilities?: object; constraints?: object; [detail: string]: unknown }

/** The part of `model_spec` that depends on the type, with the defaults of what the record requires. */
const specOf = (entry: ModelEntry): SpecParts => {
  switch (entry.type) {
    case 'text':
      return textSpec(entry)
    case 'embedding':
      return pick(entry, EmbeddingDetails)
    case 'image':
      return {
        ...pick(entry, ImageDetails),
        constraints: {
          promptCharacterLimit: 7500,
          steps: { default: 8, max: 50 },
          widthHeightDivisor: 8,
          ...entry.constraints,
        },
      }
    case 'inpaint':
      return inpaintSpec(entry)
    case 'tts':
      return pick(entry, SpeechDetails)
    case 'music':
      return pick(entry, MusicDetails)
    case 'video':
      return { constraints: entry.constraints }
    case 'upscale':
    case 'asr':
      return {}
  }
}

const textFlags = {
  optimizedForCode: false,
  quantization: 'not-available',
  supportsFunctionCalling: false,
  supportsAudioInput: false,
  supportsReasoning: false,
  supportsReasoningEffort: false,
  supportsResponseSchema: false,
  supportsMultipleImages: false,
  supportsVision: false,
  supportsVideoInput: false,
  supportsWebSearch: false,
  supportsLogProbs: false,
  supportsTeeAttestation: false,
  supportsE2EE: false,
  supportsXSearch: false,
}

const textSpec = (entry: ModelEntryOfType<'text'>): SpecParts => ({
  availableContextTokens: entry.contextTokens,
  maxCompletionTokens: entry.maxCompletionTokens ?? entry.contextTokens,
  capabilities: {
    ...textFlags,
    ...entry.capabilities,
    // The key that a caller encrypts to comes out of the attestation, so e2ee includes it.
    ...((entry.privacy === 'tee' || entry.privacy === 'e2ee') && { supportsTeeAttestation: true }),
    ...(entry.privacy === 'e2ee' && { supportsE2EE: true }),
  },
  constraints: { temperature: { default: 1 }, top_p: { default: 1 }, ...entry.constraints },
})

const inpaintSpec = ({ capabilities, constraints }: ModelEntryOfType<'inpaint'>): SpecParts => {
  const given = capabilities?.maxInputImages ?? constraints?.maxInputImages
  const combineImages = constraints?.combineImages ?? (given ?? 1) > 1
  // Three where nothing is said, or one when images cannot be combined.
  const maxInputImages = given ?? (combineImages ? 3 : 1)
  return {
    capabilities: { supportsOptimizePromptThinking: false, ...capabilities, maxInputImages },
    constraints: { aspectRatios: ['auto'], promptCharacterLimit: 32768, ...constraints, combineImages, maxInputImages },
  }
}

const pick = (entry: object, details: object): SpecParts =>
  Object.fromEntries(Object.entries(entry).filter(([name]) => name in details))

const deepFreeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) deepFreeze(inner)
  }
  return value
}
