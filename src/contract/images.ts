import { type Static, type TSchema, Type } from 'typebox'
import { Nullable, StringEnum } from './common.js'

/** docs/specification.md, POST /image/edit and POST /image/multi-edit; the other image endpoints follow them. */
const Maybe = Type.Optional

/** In a form it is a file; in JSON it is text. `contentMediaType` tells those who describe the interface. */
const picture = { minLength: 1, contentMediaType: 'image/*' }
const Picture = (description: string) => Type.String({ ...picture, description })

export const promptCharactersMax = 32_768
const Prompt = (charactersMax: number) =>
  Type.String({
    minLength: 1,
    maxLength: charactersMax,
    description: 'What to make. A model may take less: `promptCharacterLimit` in its record',
  })

export const editRatios = ['auto', '1:1', '3:2', '16:9', '21:9', '9:16', '2:3', '3:4', '4:5'] as const
export const outputFormats = ['jpeg', 'png', 'webp', 'jpg'] as const
const qualities = ['low', 'medium', 'high'] as const

/** A name out of the catalog; which ones there are is filled in when the interface is described. */
const ModelId = (among: 'edit' | 'multi-edit', options: Record<string, unknown>) =>
  Type.String({ minLength: 1, enumOf: among, ...options })

const editing = {
  prompt: Prompt(promptCharactersMax),
  aspect_ratio: Maybe(
    StringEnum(editRatios, { description: '`auto`, or nothing, follows the (first) input image; models offer some' }),
  ),
  resolution: Maybe(
    Type.String({ minLength: 1, maxLength: 10, description: 'A tier of the model, such as 1K (default), 2K or 4K' }),
  ),
  output_format: Maybe(
    StringEnum(outputFormats, { description: 'PNG for 1K and JPEG for other resolutions unless given' }),
  ),
  quality: Maybe(StringEnum(qualities, { description: 'For models that have `qualities`; others ignore it' })),
  safe_mode: Maybe(Type.Boolean({ description: 'Blurs images that are classified as adult content; default true' })),
  enhance_prompt: Maybe(
    Type.Boolean({
      description:
        'Rewrites the prompt first, looking at the images; costs extra when it did. `x-svc-enhanced-prompt` has it',
    }),
  ),
  disable_prompt_optimization_thinking: Maybe(
    Type.Boolean({ description: 'For models with `supportsOptimizePromptThinking`: skips that step' }),
  ),
}

const anyWay = 'A file in a form; or base64, a data URL or an http(s) URL'
const limits = '65536 to 33177600 pixels, under 25 MB'

export const ImageEditRequest = Type.Object(
  {
    image: Picture(`${anyWay}; ${limits}`),
    model: Maybe(Type.String({ minLength: 1, description: 'An edit model; the first of `modelId` unless given' })),
    modelId: Maybe(ModelId('edit', { deprecated: true, description: 'The same as `model`' })),
    ...editing,
  },
  { $id: 'ImageEditRequest' },
)
export type ImageEditRequest = Static<typeof ImageEditRequest>

export const ImageMultiEditRequest = Type.Object(
  {
    images: Type.Array(Picture(`${anyWay}; ${limits}`), {
      minItems: 1,
      description: 'The base image, then layers or masks; at most `maxInputImages` of the model',
    }),
    model: Maybe(Type.String({ minLength: 1, description: 'The same as `modelId`' })),
    modelId: Maybe(ModelId('multi-edit', { description: 'An edit model; the first unless given' })),
    ...editing,
  },
  { $id: 'ImageMultiEditRequest' },
)
export type ImageMultiEditRequest = Static<typeof ImageMultiEditRequest>

export const ImageGenerateRequest = Type.Object(
  {
    model: Type.String({ minLength: 1, description: 'The id, trait or alias of an image model' }),
    prompt: Prompt(7500),
    negative_prompt: Maybe(Type.String({ maxLength: 7500, description: 'What should not be in the image' })),
    width: Maybe(Type.Integer({ minimum: 1, maximum: 1280, description: 'A multiple of `widthHeightDivisor`' })),
    height: Maybe(Type.Integer({ minimum: 1, maximum: 1280, description: 'A multiple of `widthHeightDivisor`' })),
    aspect_ratio: Maybe(Type.String({ minLength: 1, description: 'For models with `aspectRatios`, such as 16:9' })),
    resolution: Maybe(Type.String({ minLength: 1, maxLength: 10, description: 'For models with `resolutions`' })),
    quality: Maybe(StringEnum(qualities, { description: 'For models that have `qualities`; others ignore it' })),
    format: Maybe(StringEnum(outputFormats, { description: 'webp unless given' })),
    return_binary: Maybe(Type.Boolean({ description: 'Answer with the image itself instead of JSON' })),
    variants: Maybe(Type.Integer({ minimum: 1, maximum: 4, description: 'How many images; not with return_binary' })),
    cfg_scale: Maybe(
      Type.Number({ exclusiveMinimum: 0, maximum: 20, description: 'How closely to follow the prompt' }),
    ),
    steps: Maybe(Type.Integer({ minimum: 1, description: 'At most `steps.max` of the model' })),
    seed: Maybe(
      Type.Integer({ minimum: -999_999_999, maximum: 999_999_999, description: 'Same seed, same image; else random' }),
    ),
    style_preset: Maybe(Type.String({ minLength: 1, description: 'A name of GET /image/styles' })),
    style_references: Maybe(
      Type.Array(
        Type.Object({
          image: Type.String({ minLength: 1, description: 'Base64, a data URL or an http(s) URL; under 8 MB' }),
          strength: Maybe(Type.Number({ minimum: 0.1, maximum: 1, description: '0.5 unless given' })),
        }),
        { description: 'For models with `supportsStyleReferences`' },
      ),
    ),
    lora_strength: Maybe(Type.Integer({ minimum: 0, maximum: 100 })),
    safe_mode: editing.safe_mode,
    hide_watermark: Maybe(Type.Boolean({ description: 'For models that draw one' })),
    embed_exif_metadata: Maybe(Type.Boolean({ description: 'Writes prompt, model and seed into the image' })),
    enable_web_search: Maybe(Type.Boolean({ description: 'No model here can do this yet' })),
    enhance_prompt: editing.enhance_prompt,
    disable_prompt_optimization_thinking: editing.disable_prompt_optimization_thinking,
  },
  { $id: 'ImageGenerateRequest' },
)
export type ImageGenerateRequest = Static<typeof ImageGenerateRequest>

const Milliseconds = Type.Number({ minimum: 0, description: 'Milliseconds' })
export const GeneratedImages = Type.Object(
  {
    id: Type.String({ description: 'generate-image- and the id of the request' }),
    images: Type.Array(Type.String({ contentEncoding: 'base64' }), { description: 'The images in base64' }),
    timing: Type.Object({
      inferenceDuration: Milliseconds,
      inferencePreprocessingTime: Milliseconds,
      inferenceQueueTime: Milliseconds,
      total: Milliseconds,
    }),
    request: Maybe(Type.Object({}, { additionalProperties: true, description: 'What was asked for' })),
  },
  { $id: 'GeneratedImages' },
)

/** The shape of OpenAI: POST /images/generations and POST /images/edits. */
export const compatSizes = [
  'auto',
  '256x256',
  '512x512',
  '1024x1024',
  '1536x1024',
  '1024x1536',
  '1792x1024',
  '1024x1792',
] as const

const compat = {
  n: Maybe(Nullable(Type.Integer({ minimum: 1, maximum: 1, description: 'Only 1' }))),
  size: Maybe(Nullable(StringEnum(compatSizes, { description: '`auto` unless given' }))),
  output_format: Maybe(Nullable(StringEnum(outputFormats, { description: 'png unless given' }))),
  output_compression: Maybe(Nullable(Type.Integer({ minimum: 0, maximum: 100, description: 'Not used' }))),
  response_format: Maybe(
    Nullable(StringEnum(['b64_json', 'url'], { description: '`url` gives a data URL; b64_json unless given' })),
  ),
  background: Maybe(Nullable(StringEnum(['transparent', 'opaque', 'auto'], { description: 'auto unless given' }))),
  quality: Maybe(
    Nullable(
      StringEnum(['auto', 'high', 'medium', 'low', 'hd', 'standard'], { description: 'Where a model has tiers' }),
    ),
  ),
  user: Maybe(Type.String({ description: 'Accepted, and not used' })),
}

export const ImagesGenerationsRequest = Type.Object(
  {
    prompt: Prompt(promptCharactersMax),
    model: Maybe(Nullable(Type.String({ description: 'Unknown names, and none, stand for the default image model' }))),
    moderation: Maybe(Nullable(StringEnum(['auto', 'low'], { description: '`low` switches safe mode off' }))),
    style: Maybe(Nullable(StringEnum(['vivid', 'natural'], { description: 'Not used' }))),
    ...compat,
  },
  { $id: 'ImagesGenerationsRequest' },
)
export type ImagesGenerationsRequest = Static<typeof ImagesGenerationsRequest>

export const ImagesEditsRequest = Type.Object(
  {
    // Several come as `image[]`, and the official clients send one as a plain `image`.
    image: Type.Unsafe<string | string[]>({
      type: ['string', 'array'],
      minLength: 1,
      minItems: 1,
      items: { type: 'string', ...picture },
      contentMediaType: 'image/*',
      description: `${anyWay}, or several of them; ${limits}`,
    }),
    prompt: Prompt(promptCharactersMax),
    mask: Maybe(Picture('Transparent where the image is to be changed')),
    model: Maybe(Nullable(Type.String({ description: 'Unknown names, and none, stand for the default edit model' }))),
    input_fidelity: Maybe(Nullable(StringEnum(['high', 'low'], { description: 'Not used' }))),
    ...compat,
  },
  { $id: 'ImagesEditsRequest' },
)
export type ImagesEditsRequest = Static<typeof ImagesEditsRequest>

export const CompatImages = Type.Object(
  {
    created: Type.Integer({ description: 'Unix seconds' }),
    data: Type.Array(
      Type.Object({ b64_json: Maybe(Type.String()), url: Maybe(Type.String({ description: 'A data URL' })) }),
    ),
    output_format: Maybe(Type.String()),
    size: Maybe(Type.String()),
  },
  { $id: 'CompatImages' },
)

export const ImageUpscaleRequest = Type.Object(
  {
    image: Picture(`${anyWay}; at least 65536 pixels, under 25 MB`),
    model: Maybe(Type.String({ minLength: 1, description: 'An upscale model; the default one unless given' })),
    scale: Maybe(
      Type.Number({ description: '2 (default) or 4; 4 is lowered where the result would exceed 16777216 pixels' }),
    ),
    creativity: Maybe(Nullable(Type.Number({ description: '0.01 unless given; brought into 0 to 0.02' }))),
  },
  { $id: 'ImageUpscaleRequest' },
)
export type ImageUpscaleRequest = Static<typeof ImageUpscaleRequest>

export const BackgroundRemoveRequest = Type.Object(
  {
    image: Maybe(Picture('A file in a form, or base64; at most 33177600 pixels, under 25 MB')),
    image_url: Maybe(Type.String({ minLength: 1, description: 'An http(s) URL, instead of `image`' })),
  },
  { $id: 'BackgroundRemoveRequest' },
)
export type BackgroundRemoveRequest = Static<typeof BackgroundRemoveRequest>

export const imageSchemas: readonly TSchema[] = [
  ImageEditRequest,
  ImageMultiEditRequest,
  ImageGenerateRequest,
  GeneratedImages,
  ImagesGenerationsRequest,
  ImagesEditsRequest,
  CompatImages,
  ImageUpscaleRequest,
  BackgroundRemoveRequest,
]
