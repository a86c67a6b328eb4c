import { randomInt } from 'node:crypto'
import type { Catalog, CatalogModelOfType } from '#catalog/catalog.js'
import { fail, failField } from '#contract/errors.js'
import type { ImageGenerateRequest, ImagesGenerationsRequest } from '#contract/images.js'
import type { GenerateCall, PictureFormat, Quality } from '#engines/image.js'
import type { StopSignal } from '#plumbing/stop-signal.js'
import type { ChosenModel } from '../model-choice.js'
import { enhancementLine, generationLines } from './image-bill.js'
import type { ImageJob, Made } from './make-images.js'
import type { PictureInput, PictureSource } from './picture-input.js'
import { binary, compatImages, generatedImages } from './replies.js'
import { oneOf, ratioOf, type Size, sizeOf } from './sizes.js'

type ImageModel = CatalogModelOfType<'image'>

type Needs = { catalog: () => Catalog; pictureInput: PictureInput }

const usualSide = 1024
const referenceBytesMax = 8 * 1024 * 1024 - 1
const referencesMax = 4

export const checkPromptLength = (prompt: string, charactersMax: number, modelId: string, field = 'prompt') => {
  // Counted as the schema does, where a character outside the usual plane is one.
  if (prompt.length > charactersMax && [...prompt].length > charactersMax)
    throw failField(field, `must be at most ${charactersMax} characters for the model '${modelId}'`)
}

/** Engines take whole numbers from 0; every seed of a caller becomes one of its own. */
export const seedFrom = (seed: number | undefined): number =>
  seed === undefined ? randomInt(2 ** 31) : seed < 0 ? seed + 2 ** 31 : seed

export const formatFrom = (name: string): PictureFormat => (name === 'jpg' ? 'jpeg' : (name as PictureFormat))

const usualTier = ({ constraints }: ImageModel) => constraints.defaultResolution ?? constraints.resolutions?.[0] ?? '1K'

/** The quality that is paid for; models without tiers have only one. */
export const qualityFrom = (
  { constraints }: { constraints: { qualities?: readonly Quality[]; defaultQuality?: string } },
  asked: Quality | undefined,
): Quality | undefined => {
  const { qualities = [], defaultQuality } = constraints
  if (qualities.length === 0) return undefined
  if (asked !== undefined && !qualities.includes(asked))
    throw failField('quality', `must be one of ${qualities.join(', ')}`)
  return asked ?? ((defaultQuality ?? 'high') as Quality)
}

type Plan = { size: Size; tier: string; quality: Quality | undefined }

const sized = (model: ImageModel, body: ImageGenerateRequest): Plan => {
  const { aspectRatios = [], defaultAspectRatio, resolutions = [], widthHeightDivisor } = model.constraints
  const quality = qualityFrom(model, body.quality)
  const { aspect_ratio, resolution } = body
  if (aspect_ratio === undefined && resolution === undefined) {
    const { width = usualSide, height = usualSide } = body
    for (const [field, value] of Object.entries({ width, height }))
      if (value % widthHeightDivisor !== 0) throw failField(field, `must be a multiple of ${widthHeightDivisor}`)
    return { size: { width, height }, tier: usualTier(model), quality }
  }
  if (aspect_ratio !== undefined && aspectRatios.length === 0)
    throw fail('unsupportedFeature', 'aspect_ratio', `the model '${model.id}' takes width and height`)
  if (resolution !== undefined && resolutions.length === 0)
    throw fail('unsupportedFeature', 'resolution', `the model '${model.id}' takes width and height`)
  const shape =
    aspect_ratio === undefined
      ? (defaultAspectRatio ?? '1:1')
      : oneOf('aspect_ratio', aspect_ratio, aspectRatios, model.id)
  const tier = resolution === undefined ? usualTier(model) : oneOf('resolution', resolution, resolutions, model.id)
  return { size: sizeOf(ratioOf(shape) ?? 1, tier, widthHeightDivisor), tier, quality }
}

/** Makes pictures from words. */
export const createGenerate = ({ catalog, pictureInput }: Needs) => {
  const styleNamed = (name: string | undefined): string | undefined => {
    if (name === undefined) return undefined
    const found = catalog()
      .styles()
      .find((style) => style.toLowerCase() === name.toLowerCase())
    if (found === undefined) throw failField('style_preset', 'must be a name of GET /image/styles')
    return found
  }

  const references = async (model: ImageModel, body: ImageGenerateRequest, signal: StopSignal) => {
    const given = body.style_references ?? []
    if (given.length === 0) return undefined
    const { model_spec } = model.record
    if (!model_spec.supportsStyleReferences)
      throw fail('unsupportedFeature', 'style_references', `the model '${model.id}' does not look at pictures`)
    const most = model.constraints.maxStyleReferences ?? referencesMax
    if (given.length > most) throw failField('style_references', `must have at most ${most} items`)
    const sources = given.map(
      ({ image }, index): PictureSource => ({
        place: `style_references.${index}.image`,
        text: image,
      }),
    )
    const images = await pictureInput(sources, signal, { bytesMax: referenceBytesMax, pixelsMin: 1 })
    return images.map((image, index) => ({ image, strength: given[index]?.strength ?? 0.5 }))
  }

  type Wishes = Partial<Omit<GenerateCall, 'model' | 'signal' | 'prompt' | 'width' | 'height' | 'format'>>

  const jobOf = (
    { model, headers }: ChosenModel<'image'>,
    { prompt, size, tier, quality }: Plan & { prompt: string },
    how: Pick<ImageJob, 'isSafe' | 'format' | 'note' | 'answer'> & { enhances: boolean; wishes: Wishes },
  ): ImageJob => {
    const { promptCharacterLimit: charactersMax } = model.constraints
    const { enhances, wishes, ...rest } = how
    checkPromptLength(prompt, charactersMax, model.id)
    const count = wishes.count ?? 1
    const call = { count, seed: seedFrom(undefined), ...wishes, ...size, quality, format: how.format }
    return {
      model,
      headers,
      lines: generationLines(model, { tier, quality: quality ?? 'high', count }),
      prompt,
      negativePrompt: wishes.negativePrompt,
      enhancement: enhances ? { images: [], charactersMax, line: enhancementLine(catalog()) } : undefined,
      make: (switchboard, used, signal) => switchboard.generate(model, { ...call, prompt: used, signal }),
      ...rest,
    }
  }

  return {
    /** POST /image/generate. */
    async native(
      chosen: ChosenModel<'image'>,
      body: ImageGenerateRequest,
      { requestId, signal }: { requestId: string; signal: StopSignal },
    ): Promise<ImageJob> {
      const { model } = chosen
      const count = body.variants ?? 1
      if (count > 1 && body.return_binary) throw failField('variants', 'must be 1 with return_binary')
      if (body.enable_web_search)
        throw fail('unsupportedFeature', 'enable_web_search', `the model '${model.id}' does not search the web`)
      const { max } = model.constraints.steps
      if (body.steps !== undefined && max > 0 && body.steps > max)
        throw failField('steps', `must be at most ${max} for the model '${model.id}'`)
      const plan = { ...sized(model, body), prompt: body.prompt }
      const seed = seedFrom(body.seed)
      const style = styleNamed(body.style_preset)
      const noteOf = (prompt: string) => JSON.stringify({ prompt, model: model.id, seed, style })
      return jobOf(chosen, plan, {
        isSafe: body.safe_mode ?? true,
        format: formatFrom(body.format ?? 'webp'),
        note: body.embed_exif_metadata ? noteOf : undefined,
        enhances: body.enhance_prompt ?? false,
        wishes: {
          count,
          seed,
          style,
          negativePrompt: body.negative_prompt,
          steps: body.steps,
          guidance: body.cfg_scale,
          styleReferences: await references(model, body, signal),
          loraStrength: body.lora_strength,
          isWatermarkHidden: body.hide_watermark,
        },
        answer: (made: Made) =>
          body.return_binary ? binary(made.pictures) : generatedImages(made, { requestId, request: echo(body) }),
      })
    },

    /** POST /images/generations. */
    compat(chosen: ChosenModel<'image'>, body: ImagesGenerationsRequest): ImageJob {
      const { model } = chosen
      const format = formatFrom(body.output_format ?? 'png')
      const isTransparent = body.background === 'transparent'
      if (isTransparent && format === 'jpeg')
        throw failField('output_format', 'must be png or webp with a transparent background')
      const size = sizeFrom(body.size) ?? { width: usualSide, height: usualSide }
      const quality = qualityFrom(model, compatQuality(body.quality))
      return jobOf(
        chosen,
        { size, tier: usualTier(model), quality, prompt: body.prompt },
        {
          isSafe: body.moderation !== 'low',
          format,
          enhances: false,
          wishes: { isTransparent },
          answer: ({ pictures }) => compatImages(pictures, { asUrl: body.response_format === 'url', size }),
        },
      )
    },
  }
}

export type Generate = ReturnType<typeof createGenerate>

/** What was asked for, without the pictures that came along. */
const echo = ({ style_references, ...body }: ImageGenerateRequest): object => body

/** `1024x1536`; undefined for `auto` and for nothing. */
export const sizeFrom = (text: string | null | undefined): Size | undefined => {
  const [width, height] = (text ?? '').split('x').map(Number)
  return width && height ? { width, height } : undefined
}

/** Names of tiers as the models of OpenAI have them. */
export const compatQuality = (name: string | null | undefined): Quality | undefined => {
  if (name === 'hd') return 'high'
  return name === 'low' || name === 'medium' || name === 'high' ? name : undefined
}
