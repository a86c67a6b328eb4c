import type { Catalog, CatalogModelOfType } from '#catalog/catalog.js'
import { fail, failField } from '#contract/errors.js'
import type { ImageEditRequest, ImageMultiEditRequest, ImagesEditsRequest } from '#contract/images.js'
import type { InputPicture, Quality } from '#engines/image.js'
import type { StopSignal } from '#plumbing/stop-signal.js'
import type { ChosenModel } from '../model-choice.js'
import { checkPromptLength, compatQuality, formatFrom, qualityFrom, seedFrom, sizeFrom } from './generate.js'
import { editLines, enhancementLine } from './image-bill.js'
import type { ImageJob } from './make-images.js'
import type { PictureInput, PictureSource } from './picture-input.js'
import { binary, compatImages } from './replies.js'
import { closestRatio, oneOf, ratioOf, type Size, sizeOf } from './sizes.js'

type EditModel = CatalogModelOfType<'inpaint'>

type Needs = { catalog: () => Catalog; pictureInput: PictureInput }

type Editing = Omit<ImageEditRequest, 'image' | 'model' | 'modelId'>

/** Sides that every backend can work with. */
const divisor = 8

const tierOf = ({ id, constraints }: EditModel, asked: string | undefined): string => {
  const usual = constraints.defaultResolution ?? constraints.resolutions?.[0] ?? '1K'
  return asked === undefined ? usual : oneOf('resolution', asked, constraints.resolutions ?? [usual], id)
}

type Shape = { size: Size; hasFixedShape: boolean }

/** docs/specification.md, aspect_ratio: `auto`, or nothing, takes the shape from the first input image. */
const shapeOf = (
  { id, constraints, bindings }: EditModel,
  asked: string | undefined,
  tier: string,
  images: readonly InputPicture[],
): Shape => {
  const { aspectRatios, singleImageAspectRatio } = constraints
  const isIgnored = images.length === 1 && singleImageAspectRatio === false
  const name = asked === undefined || isIgnored ? 'auto' : oneOf('aspect_ratio', asked, ['auto', ...aspectRatios], id)
  const fixed = ratioOf(name)
  if (fixed !== undefined) return { size: sizeOf(fixed, tier, divisor), hasFixedShape: true }
  const base = images[0] as InputPicture
  // Our own engines take any shape; a backend is told one of those that it was made for.
  const needsShape = bindings.some(({ kind }) => kind === 'upstream')
  return needsShape
    ? { size: sizeOf(closestRatio(base, aspectRatios), tier, divisor), hasFixedShape: true }
    : { size: sizeOf(base.width / base.height, tier, 1), hasFixedShape: false }
}

/** Changes pictures by words. */
export const createEdit = ({ catalog, pictureInput }: Needs) => {
  const load = async ({ id, capabilities }: EditModel, sources: readonly PictureSource[], signal: StopSignal) => {
    const { maxInputImages } = capabilities
    if (sources.length > maxInputImages)
      throw failField(
        sources[0]?.place.split('.')[0] ?? 'images',
        `must have at most ${maxInputImages} items for the model '${id}'`,
      )
    return pictureInput(sources, signal)
  }

  type Parts = Shape & {
    prompt: string
    images: InputPicture[]
    mask?: InputPicture | undefined
    tier: string
    quality: Quality | undefined
    skipsPromptThinking?: boolean | undefined
  }

  const jobOf = (
    { model, headers }: ChosenModel<'inpaint'>,
    parts: Parts,
    how: Pick<ImageJob, 'isSafe' | 'format' | 'answer'> & { enhances: boolean },
  ): ImageJob => {
    const { images, prompt, mask, size, tier, quality, hasFixedShape, skipsPromptThinking } = parts
    const { enhances, ...rest } = how
    const { promptCharacterLimit: charactersMax } = model.constraints
    checkPromptLength(prompt, charactersMax, model.id)
    const call = {
      ...{ images, mask, ...size, hasFixedShape, quality, seed: seedFrom(undefined), format: how.format },
      skipsPromptThinking: model.capabilities.supportsOptimizePromptThinking ? skipsPromptThinking : undefined,
    }
    return {
      model,
      headers,
      lines: editLines(model, { tier, quality: quality ?? 'high', inputs: images.length }),
      prompt,
      enhancement: enhances ? { images, charactersMax, line: enhancementLine(catalog()) } : undefined,
      async make(switchboard, used, signal) {
        const { answer, ...routed } = await switchboard.edit(model, { ...call, prompt: used, signal })
        return { ...routed, answer: [answer] }
      },
      ...rest,
    }
  }

  const native = async (
    chosen: ChosenModel<'inpaint'>,
    body: Editing,
    sources: readonly PictureSource[],
    signal: StopSignal,
  ): Promise<ImageJob> => {
    const { model } = chosen
    const tier = tierOf(model, body.resolution)
    const quality = qualityFrom(model, body.quality)
    // Cheap questions first: nothing is fetched for a request that cannot work.
    checkPromptLength(body.prompt, model.constraints.promptCharacterLimit, model.id)
    if (body.aspect_ratio)
      oneOf('aspect_ratio', body.aspect_ratio, ['auto', ...model.constraints.aspectRatios], model.id)
    const images = await load(model, sources, signal)
    const shape = shapeOf(model, body.aspect_ratio, tier, images)
    return jobOf(
      chosen,
      {
        ...shape,
        prompt: body.prompt,
        images,
        tier,
        quality,
        skipsPromptThinking: body.disable_prompt_optimization_thinking,
      },
      {
        isSafe: body.safe_mode ?? true,
        enhances: body.enhance_prompt ?? false,
        format: formatFrom(body.output_format ?? (tier === '1K' ? 'png' : 'jpeg')),
        answer: ({ pictures }) => binary(pictures),
      },
    )
  }

  return {
    /** POST /image/edit. */
    one: (chosen: ChosenModel<'inpaint'>, body: ImageEditRequest, source: PictureSource, signal: StopSignal) =>
      native(chosen, body, [source], signal),

    /** POST /image/multi-edit. */
    many: (
      chosen: ChosenModel<'inpaint'>,
      body: ImageMultiEditRequest,
      sources: readonly PictureSource[],
      signal: StopSignal,
    ) => {
      const { id, constraints } = chosen.model
      if (!constraints.combineImages)
        throw fail('invalidModel', `The model '${id}' takes one image; use POST /image/edit`)
      return native(chosen, body, sources, signal)
    },

    /** POST /images/edits. */
    async compat(
      chosen: ChosenModel<'inpaint'>,
      body: ImagesEditsRequest,
      { images: sources, mask: maskSource }: { images: readonly PictureSource[]; mask: PictureSource | undefined },
      signal: StopSignal,
    ): Promise<ImageJob> {
      const { model } = chosen
      const quality = qualityFrom(model, compatQuality(body.quality))
      const tier = tierOf(model, undefined)
      const format = formatFrom(body.output_format ?? 'png')
      if (body.background === 'transparent' && format === 'jpeg')
        throw failField('output_format', 'must be png or webp with a transparent background')
      checkPromptLength(body.prompt, model.constraints.promptCharacterLimit, model.id)
      const images = await load(model, sources, signal)
      const [mask] = maskSource ? await pictureInput([maskSource], signal) : []
      const asked = sizeFrom(body.size)
      const shape = asked ? { size: asked, hasFixedShape: true } : shapeOf(model, undefined, tier, images)
      return jobOf(
        chosen,
        { ...shape, prompt: body.prompt, images, mask, tier, quality },
        {
          isSafe: true,
          enhances: false,
          format,
          answer: ({ pictures }) => compatImages(pictures, { asUrl: body.response_format === 'url' }),
        },
      )
    },
  }
}

export type Edit = ReturnType<typeof createEdit>
