import { type Static, type TProperties, Type } from 'typebox'
import { StringEnum } from '#contract/common.js'
import {
  EmbeddingDetails,
  ImageConstraints,
  ImageDetails,
  InpaintCapabilities,
  InpaintConstraints,
  MusicDetails,
  SpeechDetails,
  TextCapabilities,
  TextConstraints,
  VideoConstraints,
} from '#contract/model-parts.js'
import { pricingShapes } from '#contract/model-prices.js'
import type { ModelType } from '#contract/models.js'
import type { PriceInput } from '../prices.js'
import { closed, Day, HeaderText, Matching, ModelName, Moment } from './fields.js'

/**
 * How a model is written in the config file and in our own `catalog/models.yaml`, one schema per type. Capabilities,
 * constraints and details carry the names of the public record; what has a sensible default may be left out.
 */
const Maybe = Type.Optional

// Checked by the keyword `price`, because a union would answer a typing mistake with three sentences instead of one.
const Price = Type.Unsafe<PriceInput>({ price: 'price' })
const Decimal = Type.Unsafe<string>({ price: 'decimal' })
const DurationPrice = Type.Object(
  {
    usd: Decimal,
    diem: Maybe(Decimal),
    min_seconds: Type.Number({ minimum: 0 }),
    max_seconds: Type.Number({ minimum: 0 }),
  },
  closed,
)
const pricing = pricingShapes(Price, DurationPrice)

const bindingFields = {
  upstream: Maybe(Type.String({ minLength: 1, description: 'A name from `upstreams`' })),
  embedded: Maybe(Type.String({ minLength: 1, description: 'An engine inside this service' })),
  model: Maybe(Type.String({ minLength: 1, description: "The engine's name for the model; our id unless given" })),
}
export const EngineEntry = Type.Object(bindingFields, closed)
export const WeightedEngineEntry = Type.Object(
  { ...bindingFields, weight: Type.Integer({ minimum: 1, maximum: 1000, default: 1 }) },
  closed,
)

export const sizes = ['XS', 'S', 'M', 'L'] as const
const Size = StringEnum(sizes, { default: 'M', description: 'Rate-limit group' })

/** As much as can be counted; nobody reaches it. */
const amount = { minimum: 1, maximum: 1_000_000_000_000_000 }

export const Rate = Type.Object(
  {
    rpm: Maybe(Type.Integer({ ...amount, description: 'Requests per minute' })),
    rpd: Maybe(Type.Integer({ ...amount, description: 'Requests per UTC day' })),
    tpm: Maybe(Type.Integer({ ...amount, description: 'Tokens per minute' })),
  },
  closed,
)
export type Rate = Static<typeof Rate>

export const DeprecationEntry = Type.Object(
  {
    date: Moment,
    message: Maybe(HeaderText),
    replacement: Maybe(ModelName),
    autoRemap: Type.Boolean({ default: false }),
    startsAt: Maybe(Moment),
  },
  closed,
)
export type DeprecationEntry = Static<typeof DeprecationEntry>

const forAll = {
  id: ModelName,
  name: Maybe(Type.String({ minLength: 1, description: 'The id unless given' })),
  description: Maybe(Type.String()),
  modelSource: Maybe(Type.String()),
  created: Maybe(Day),
  engine: Maybe(EngineEntry),
  engines: Maybe(Type.Array(WeightedEngineEntry, { minItems: 1 })),
  // Promising less is the safe default: only the operator knows what an upstream keeps.
  privacy: StringEnum(['private', 'anonymized', 'tee', 'e2ee'], { default: 'anonymized' }),
  limits: Maybe(Rate),
  offline: Type.Boolean({ default: false }),
  beta: Maybe(Type.Boolean()),
  betaModel: Maybe(Type.Boolean()),
  uncensored: Maybe(Type.Boolean()),
  regionRestrictions: Maybe(Type.Array(Matching('^[A-Z]{2}$', 'a country code such as DE'), { minItems: 1 })),
  traits: Type.Array(Matching('^[a-z][a-z0-9_]*$', 'a trait name such as default or most_intelligent'), {
    default: [],
  }),
  aliases: Type.Array(ModelName, { default: [] }),
  deprecation: Maybe(DeprecationEntry),
  contentPolicies: Maybe(Type.Array(Type.String(), { uniqueItems: true, description: 'Names of content policies' })),
}

const entry = <K extends ModelType, P extends TProperties>(type: K, own: P) =>
  Type.Object({ ...forAll, type: Type.Literal(type), ...own }, closed)

export const modelEntries = {
  text: entry('text', {
    size: Size,
    contextTokens: Type.Integer({ minimum: 1 }),
    maxCompletionTokens: Maybe(Type.Integer({ minimum: 1, description: 'contextTokens unless given' })),
    capabilities: Maybe(Type.Partial(TextCapabilities, closed)),
    constraints: Maybe(Type.Partial(TextConstraints, closed)),
    pricing: pricing.text,
  }),
  embedding: entry('embedding', {
    // docs/specification.md, Limits: every embedding model is size XS.
    size: StringEnum(['XS'], { default: 'XS' }),
    ...EmbeddingDetails,
    pricing: Type.Object({ input: Price, output: Maybe(Price) }, closed),
  }),
  image: entry('image', {
    size: Maybe(StringEnum(sizes)),
    ...ImageDetails,
    constraints: Maybe(Type.Partial(ImageConstraints, closed)),
    pricing: pricing.image,
  }),
  inpaint: entry('inpaint', {
    size: Maybe(StringEnum(sizes)),
    capabilities: Maybe(Type.Partial(InpaintCapabilities, closed)),
    constraints: Maybe(Type.Partial(InpaintConstraints, closed)),
    pricing: pricing.inpaint,
  }),
  upscale: entry('upscale', {
    size: Maybe(StringEnum(sizes)),
    pricing: Type.Object({ generation: Maybe(Price), upscale: pricing.upscale.properties.upscale }, closed),
  }),
  tts: entry('tts', { size: Maybe(StringEnum(sizes)), ...SpeechDetails, pricing: pricing.tts }),
  asr: entry('asr', { size: Maybe(StringEnum(sizes)), pricing: pricing.asr }),
  music: entry('music', { ...MusicDetails, pricing: pricing.music }),
  video: entry('video', {
    constraints: VideoConstraints,
    // Not part of the public record: POST /video/quote answers with what follows from it.
    pricing: Type.Object(
      {
        generation: Maybe(Price),
        per_second: Maybe(Price),
        resolutions: Maybe(Type.Record(Type.String(), Price, { description: 'Per second, by resolution' })),
      },
      { ...closed, minProperties: 1 },
    ),
  }),
}

export type ModelEntryOfType<T extends ModelType> = Static<(typeof modelEntries)[T]>
export type ModelEntry = { [T in ModelType]: ModelEntryOfType<T> }[ModelType]
