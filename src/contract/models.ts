import { type Static, type TProperties, Type } from 'typebox'
import { Shared, StringEnum } from './common.js'
import {
  Count,
  closed,
  EmbeddingDetails,
  Flag,
  ImageConstraints,
  ImageDetails,
  InpaintCapabilities,
  InpaintConstraints,
  Maybe,
  MusicDetails,
  Names,
  SpeechDetails,
  TextCapabilities,
  TextConstraints,
  VideoConstraints,
} from './model-parts.js'
import { DurationPrice, Price, pricingShapes } from './model-prices.js'

/** What GET /models says about a model: one closed record per type, told apart by `type`. */
export const modelTypes = ['asr', 'embedding', 'image', 'music', 'text', 'tts', 'upscale', 'inpaint', 'video'] as const
export const ModelType = StringEnum(modelTypes, { description: 'What the model does' })
export type ModelType = Static<typeof ModelType>

export const ModelFilter = StringEnum([...modelTypes, 'all', 'code'] as const, {
  default: 'text',
  description: 'A model type, `all`, or `code` for text models that are optimized for code',
})
export type ModelFilter = Static<typeof ModelFilter>

/** Query of GET /models. */
export const ModelListQuery = Type.Object({ type: Maybe(ModelFilter) })
export type ModelListQuery = Static<typeof ModelListQuery>

/** Query of GET /models/traits and GET /models/compatibility_mapping. */
export const ModelTypeQuery = Type.Object({
  type: Maybe(StringEnum(modelTypes, { default: 'text', description: 'A model type' })),
})
export type ModelTypeQuery = Static<typeof ModelTypeQuery>

const pricing = pricingShapes(Price, DurationPrice)

export const ModelDeprecation = Type.Object(
  {
    autoRemap: Flag('After removal, requests go to the replacement instead of failing with 410'),
    date: Type.String({ description: 'The same as removesAt' }),
    removesAt: Type.String({ description: 'ISO 8601; from then on the model is gone' }),
    startsAt: Maybe(Type.String({ description: 'ISO 8601; from then on answers carry a warning' })),
    replacementModelId: Maybe(Type.String()),
  },
  { ...closed, description: 'Present only when a removal is scheduled' },
)

const specForAll = {
  name: Type.String(),
  description: Maybe(Type.String()),
  modelSource: Maybe(Type.String({ description: 'Where the model comes from: a URL or empty' })),
  privacy: StringEnum(['private', 'anonymized'], {
    description: 'private: nothing is kept. anonymized: sent to a third party without saying who asked.',
  }),
  offline: Flag('Calling it answers 503 MODEL_OFFLINE'),
  beta: Maybe(Flag('Only for beta users')),
  betaModel: Maybe(Flag('May vanish without notice')),
  uncensored: Maybe(Type.Literal(true)),
  regionRestrictions: Maybe(Names('Country codes where it is offered')),
  traits: Names('Names that currently resolve to this model'),
  deprecation: Maybe(ModelDeprecation),
}

const record = <K extends ModelType, S extends TProperties, R extends TProperties>(type: K, spec: S, own: R) =>
  Type.Object(
    {
      id: Type.String({ description: 'Permanent; a breaking change gets a new id' }),
      object: Type.Literal('model'),
      type: Type.Literal(type),
      owned_by: Type.Literal('svc'),
      name: Type.String({ description: 'The same as model_spec.name' }),
      created: Type.Integer({ description: 'Unix seconds of release' }),
      discount_to_user: Maybe(Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 })),
      ...own,
      model_spec: Type.Object({ ...specForAll, ...spec }, closed),
    },
    { ...closed, title: `Model of type ${type}` },
  )

const DecimalString = (description: string) => Type.String({ pattern: '^\\d+(\\.\\d+)?$', description })

export const TextModel = record(
  'text',
  {
    availableContextTokens: Count('Prompt and completion together'),
    maxCompletionTokens: Count('Longest answer'),
    capabilities: TextCapabilities,
    constraints: TextConstraints,
    pricing: pricing.text,
  },
  {
    context_length: Count('The same as availableContextTokens, where OpenAI-style readers look for it'),
    pricing: Type.Object(
      { prompt: DecimalString('USD per prompt token'), completion: DecimalString('USD per completion token') },
      { ...closed, description: 'The exact price, where OpenRouter-style readers look for it' },
    ),
  },
)
export const EmbeddingModel = record('embedding', { ...EmbeddingDetails, pricing: pricing.embedding }, {})
export const ImageModel = record(
  'image',
  { ...ImageDetails, constraints: ImageConstraints, pricing: pricing.image },
  {},
)
export const InpaintModel = record(
  'inpaint',
  { capabilities: InpaintCapabilities, constraints: InpaintConstraints, pricing: pricing.inpaint },
  {},
)
export const UpscaleModel = record('upscale', { pricing: pricing.upscale }, {})
export const SpeechModel = record('tts', { ...SpeechDetails, pricing: pricing.tts }, {})
export const TranscriptionModel = record('asr', { pricing: pricing.asr }, {})
export const MusicModel = record('music', { ...MusicDetails, pricing: pricing.music }, {})
/** Video has no price list: POST /video/quote prices a job. */
export const VideoModel = record('video', { constraints: VideoConstraints }, {})

export const Model = Type.Union(
  [
    TextModel,
    EmbeddingModel,
    ImageModel,
    InpaintModel,
    UpscaleModel,
    SpeechModel,
    TranscriptionModel,
    MusicModel,
    VideoModel,
  ],
  { $id: 'Model', description: 'A model; which fields model_spec has depends on `type`' },
)
export type Model = Static<typeof Model>
export type ModelOfType<T extends ModelType> = Extract<Model, { type: T }>

export const ModelList = Type.Object(
  { object: Type.Literal('list'), type: ModelFilter, data: Type.Array(Shared(Model)) },
  { ...closed, description: "The models that the filter selects, the operator's own first" },
)
export type ModelList = Static<typeof ModelList>

const nameMap = (description: string) =>
  Type.Object(
    { object: Type.Literal('list'), type: ModelType, data: Type.Record(Type.String(), Type.String()) },
    { ...closed, description },
  )

export const TraitList = nameMap('Trait names, such as `default`, and the model that each stands for')
export type TraitList = Static<typeof TraitList>
export const CompatibilityMapping = nameMap('Names of other services, and the model that answers to each here')
export type CompatibilityMapping = Static<typeof CompatibilityMapping>

export const StyleList = Type.Object(
  { object: Type.Literal('list'), data: Type.Array(Type.String()) },
  { ...closed, description: 'Names that `style_preset` accepts' },
)
export type StyleList = Static<typeof StyleList>
