import { type Static, type TSchema, Type } from 'typebox'
import { StringEnum } from './common.js'

/**
 * The parts of a model record that an operator may also write in the config file. They are used for both, so that the
 * file and the answer cannot drift apart.
 */
export const closed = { additionalProperties: false }
export const Flag = (description: string) => Type.Boolean({ description })
export const Count = (description: string) => Type.Integer({ minimum: 0, description })
export const Names = (description: string) => Type.Array(Type.String({ minLength: 1 }), { description })
export const Maybe = <T extends TSchema>(schema: T) => Type.Optional(schema)

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
