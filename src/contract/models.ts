import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import { Shared, StringEnum } from './common.js'

/**
 * What GET /models says about a model: one closed record per type, told apart by `type`. The parts that an operator may
 * also write in the config file (capabilities, constraints, details, the shape of prices) are exported on their own, so
 * that the file and the answer cannot drift apart.
 */
const closed = { additionalProperties: false }
const Flag = (description: string) => Type.Boolean({ description })
const Count = (description: string) => Type.Integer({ minimum: 0, description })
const Names = (description: string) => Type.Array(Type.String({ minLength: 1 }), { description })
const Maybe = <T extends TSchema>(schema: T) => Type.Optional(schema)

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

// Capabilities

export const reasoningEfforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
const ReasoningEffort = StringEnum(reasoningEfforts)

export const TextCapabilities = Type.Object(
  {
    optimizedForCode: Flag('Listed by the filter `code`'),
    quantization: StringEnum(['fp4', 'fp8', 'fp16', 'bf16', 'int8', 'int4', 'not-available']),
    supportsFunctionCalling: Flag('Accepts `tools`'),
    supportsAudioInput: Flag('Accepts `input_audio` content'),
    supportsReasoning: Flag('Thinks before it answers'),
    supportsReasoningEffort: Flag('Accepts `reasoning_effort`'),
    reasoningEffortOptions: Maybe(Type.Array(ReasoningEffort, { minItems: 1, uniqueItems: true })),
    defaultReasoningEffort: Maybe(ReasoningEffort),
    supportsResponseSchema: Flag('Accepts `response_format` with a JSON schema'),
    supportsMultipleImages: Flag('Accepts more than one image in a request'),
    maxImages: Maybe(Count('Images in one request; present with supportsMultipleImages')),
    supportsVision: Flag('Accepts images'),
    supportsVideoInput: Flag('Accepts videos'),
    maxVideos: Maybe(Count('Videos in one request; present with supportsVideoInput')),
    supportsWebSearch: Flag('May be used with `enable_web_search`'),
    supportsLogProbs: Flag('Accepts `logprobs`'),
    supportsTeeAttestation: Flag('Runs in an enclave that can prove itself'),
    supportsE2EE: Flag('Accepts end-to-end encrypted messages'),
    supportsXSearch: Flag('May be used with `enable_x_search`'),
  },
  closed,
)
export type TextCapabilities = Static<typeof TextCapabilities>

export const InpaintCapabilities = Type.Object(
  {
    maxInputImages: Type.Integer({ minimum: 1, description: 'Input images of one edit, the base image included' }),
    supportsOptimizePromptThinking: Flag('Honours `disable_prompt_optimization_thinking`'),
  },
  closed,
)
export type InpaintCapabilities = Static<typeof InpaintCapabilities>

// Constraints (1.4)

const DefaultOf = (minimum: number, maximum: number) =>
  Type.Object({ default: Type.Number({ minimum, maximum }) }, closed)
const PromptCharacterLimit = Type.Integer({ minimum: 1, maximum: 32768, description: 'Longest prompt, in characters' })
const QualityTiers = Type.Array(StringEnum(['low', 'medium', 'high']), { uniqueItems: true })

export const TextConstraints = Type.Object(
  {
    temperature: DefaultOf(0, 2),
    top_p: DefaultOf(0, 1),
    frequency_penalty: Maybe(DefaultOf(-2, 2)),
    presence_penalty: Maybe(DefaultOf(-2, 2)),
    repetition_penalty: Maybe(DefaultOf(0, 2)),
  },
  closed,
)

export const ImageConstraints = Type.Object(
  {
    promptCharacterLimit: PromptCharacterLimit,
    steps: Type.Object({ default: Count('Steps when none are given'), max: Count('Most steps accepted') }, closed),
    widthHeightDivisor: Type.Integer({ minimum: 1, description: 'Width and height are multiples of this' }),
    aspectRatios: Maybe(Names('Selectable aspect ratios')),
    defaultAspectRatio: Maybe(Type.String()),
    resolutions: Maybe(Names('Selectable resolution tiers, such as 1K')),
    defaultResolution: Maybe(Type.String()),
    qualities: Maybe(QualityTiers),
    defaultQuality: Maybe(Type.String()),
    maxStyleReferences: Maybe(Count('Most style reference images')),
    supportsStyleReferenceStrength: Maybe(Flag('Honours the strength of a style reference')),
  },
  closed,
)

export const InpaintConstraints = Type.Object(
  {
    aspectRatios: Names('Selectable aspect ratios; `auto` follows the input image'),
    promptCharacterLimit: PromptCharacterLimit,
    combineImages: Flag('Takes several input images together'),
    maxInputImages: Maybe(Type.Integer({ minimum: 1, description: 'The same as in capabilities' })),
    singleImageAspectRatio: Maybe(Flag('Honours `aspect_ratio` when there is one input image')),
    resolutions: Maybe(Names('Selectable resolution tiers, such as 1K')),
    defaultResolution: Maybe(Type.String()),
    qualities: Maybe(QualityTiers),
    defaultQuality: Maybe(Type.String()),
  },
  closed,
)

export const VideoConstraints = Type.Object(
  {
    aspect_ratios: Names('Selectable aspect ratios; empty when the model decides'),
    resolutions: Names('Selectable resolutions; empty when the model decides'),
    durations: Names('Selectable durations, such as 5s; empty when the model decides'),
    model_type: StringEnum(['image-to-video', 'text-to-video', 'video']),
    audio: Flag('Produces sound'),
    audio_configurable: Flag('Sound can be switched off'),
    prompt_character_limit: Maybe(Type.Integer({ minimum: 1, maximum: 20000, description: '2500 when absent' })),
  },
  closed,
)

// Details: what a type says about itself directly in `model_spec` (1.4, last paragraph)

export const EmbeddingDetails = {
  embeddingDimensions: Maybe(Type.Integer({ minimum: 1, description: 'Length of a vector' })),
  maxInputTokens: Maybe(Type.Integer({ minimum: 1, description: 'Longest input' })),
  supportsCustomDimensions: Maybe(Flag('Accepts `dimensions`')),
}

export const ImageDetails = { supportsStyleReferences: Maybe(Flag('Accepts `style_references`')) }

export const SpeechDetails = {
  voices: Maybe(Names('Voice names; the first is the default')),
  voice_cloning: Maybe(
    Type.Object(
      {
        mode: StringEnum(['zero_shot', 'persistent']),
        accepted_formats: Names('Containers a voice sample may have'),
        min_sample_seconds: Type.Number({ minimum: 0 }),
        retention_days: Count('Days a voice handle lives'),
      },
      closed,
    ),
  ),
  supports_custom_voice_id: Maybe(Flag('Passes unknown voice names to the provider')),
  supported_formats: Maybe(Names('Audio formats it can answer with')),
  default_format: Maybe(Type.String()),
  supportsPromptParam: Maybe(Flag('Honours `prompt`')),
  supportsTemperatureParam: Maybe(Flag('Honours `temperature`')),
  supportsTopPParam: Maybe(Flag('Honours `top_p`')),
}

const Seconds = Maybe(Type.Number({ exclusiveMinimum: 0 }))
const Speed = Maybe(Type.Number({ minimum: 0.25, maximum: 4 }))
export const MusicDetails = {
  supports_lyrics: Maybe(Flag('Accepts `lyrics_prompt`')),
  lyrics_required: Maybe(Flag('Refuses a request without `lyrics_prompt`')),
  lyrics_character_limit: Maybe(Count('Longest lyrics')),
  supports_lyrics_optimizer: Maybe(Flag('Accepts `lyrics_optimizer`')),
  supports_force_instrumental: Maybe(Flag('Accepts `force_instrumental`')),
  supports_loop: Maybe(Flag('Accepts `loop`')),
  voices: Maybe(Names('Voice names')),
  default_voice: Maybe(Type.String()),
  supports_language_code: Maybe(Flag('Accepts `language_code`')),
  supports_speed: Maybe(Flag('Accepts `speed`')),
  default_speed: Speed,
  min_speed: Speed,
  max_speed: Speed,
  duration_options: Maybe(Type.Array(Type.Number({ exclusiveMinimum: 0 }), { description: 'Selectable seconds' })),
  min_duration: Seconds,
  max_duration: Seconds,
  default_duration: Seconds,
  supported_formats: Maybe(Names('Audio formats it can answer with')),
  default_format: Maybe(Type.String()),
  prompt_character_limit: Maybe(Count('Longest prompt')),
  min_prompt_length: Maybe(Count('Shortest prompt')),
}

// Prices (1.5)

export const Price = Type.Object(
  { usd: Type.Number({ minimum: 0 }), diem: Type.Number({ minimum: 0 }) },
  { ...closed, description: 'The price in US dollars and in diem' },
)
const DurationPrice = Type.Object(
  { ...Price.properties, min_seconds: Type.Number({ minimum: 0 }), max_seconds: Type.Number({ minimum: 0 }) },
  closed,
)

/** The shape of prices per type, for any way of writing one price: numbers in records, exact strings in the config. */
export const pricingShapes = <P extends TSchema, D extends TSchema>(price: P, durationPrice: D) => {
  const tokens = { input: price, output: price, cache_input: Maybe(price), cache_write: Maybe(price) }
  const scales = Type.Object({ '2x': price, '4x': price }, closed)
  const byTier = {
    resolutions: Maybe(Type.Record(Type.String(), price, { description: 'By resolution tier, such as 1K' })),
    quality: Maybe(
      Type.Record(Type.String(), Type.Object({ low: Maybe(price), medium: Maybe(price), high: Maybe(price) }, closed), {
        description: 'By resolution tier and quality; rules over `resolutions`',
      }),
    ),
  }
  const priced = <T extends TProperties>(unit: string, properties: T, options = {}) =>
    Type.Object(properties, { ...closed, ...options, description: unit })

  return {
    text: priced('Per 1,000,000 tokens', {
      ...tokens,
      extended: Maybe(
        priced('For the whole request when its prompt is longer than the threshold', {
          context_token_threshold: Type.Integer({ minimum: 1 }),
          ...tokens,
        }),
      ),
    }),
    embedding: priced('Per 1,000,000 tokens', { input: price, output: price }),
    image: priced('Per image', { generation: Maybe(price), ...byTier, upscale: Maybe(scales) }, { minProperties: 1 }),
    inpaint: priced('Per edit', {
      inpaint: price,
      ...byTier,
      inputImages: Maybe(
        priced('What input images beyond the included ones cost', {
          included: Type.Integer({ minimum: 0 }),
          additional: price,
        }),
      ),
    }),
    upscale: priced('Per image', { generation: price, upscale: scales }),
    tts: priced('Per 1,000,000 characters', { input: price }),
    asr: priced('Per second of audio', { per_audio_second: price }),
    music: priced(
      'Exactly one of these: per job, per job by length, per second, or per 1,000 characters',
      {
        generation: Maybe(price),
        durations: Maybe(Type.Record(Type.String(), durationPrice)),
        per_second: Maybe(price),
        per_thousand_characters: Maybe(price),
      },
      { minProperties: 1, maxProperties: 1 },
    ),
  }
}
const pricing = pricingShapes(Price, DurationPrice)

// Records

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
