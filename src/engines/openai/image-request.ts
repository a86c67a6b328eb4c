import { FormData } from 'undici'
import type { EditCall, GenerateCall, InputPicture, Quality } from '../image.js'
import { fileNameOf, mediaTypeOf } from '../upstream/pictures.js'
import { unsupported, withStyle } from '../upstream/prompt-words.js'

export type Fields = Record<string, string | number>

/** Fields that only say how pictures are handed over, or that may be left undone: a server that refuses one gets none. */
export const droppable = ['response_format', 'output_format', 'background', 'seed', 'n'] as const

/** DALL-E 3 has its own words, and DALL-E 2 has none. */
const qualityFor = (model: string, quality: Quality | undefined): string | undefined => {
  if (quality === undefined || model.startsWith('dall-e-2')) return undefined
  return model.startsWith('dall-e-3') ? (quality === 'high' ? 'hd' : 'standard') : quality
}

const given = (fields: Record<string, string | number | undefined>): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields

/**
 * What every server knows, and four fields more. vLLM-Omni, SGLang and FastVideo call these by the same names
 * (`negative_prompt`, `num_inference_steps`, `guidance_scale`, `seed`), LocalAI knows two of them, and other servers we
 * know of pass over what they do not know. OpenAI refuses unknown fields, so it is sent none of them.
 */
export const toGenerateFields = (call: GenerateCall, isOpenAi: boolean): Fields => {
  const { model, count, width, height, format, seed, steps, guidance, negativePrompt, quality, isTransparent } = call
  if (call.styleReferences?.length) throw unsupported('style references')
  if (isOpenAi && steps !== undefined) throw unsupported('a number of steps')
  if (isOpenAi && guidance !== undefined) throw unsupported('a guidance scale')
  const prompt = withStyle(call.prompt, call.style)
  return given({
    model,
    prompt: isOpenAi && negativePrompt ? `${prompt}\n\nAvoid: ${negativePrompt}` : prompt,
    n: count,
    size: `${width}x${height}`,
    quality: qualityFor(model, quality),
    response_format: 'b64_json',
    output_format: isTransparent && format === 'jpeg' ? 'png' : format,
    background: isTransparent ? 'transparent' : undefined,
    ...(!isOpenAi && { negative_prompt: negativePrompt, num_inference_steps: steps, guidance_scale: guidance, seed }),
  })
}

/** Without a size where the shape follows the base image: servers know best which of their sizes is nearest. */
export const toEditFields = (call: EditCall, isOpenAi: boolean): Fields =>
  given({
    model: call.model,
    prompt: call.prompt,
    n: 1,
    size: call.hasFixedShape ? `${call.width}x${call.height}` : undefined,
    quality: qualityFor(call.model, call.quality),
    response_format: 'b64_json',
    output_format: call.format,
    seed: isOpenAi ? undefined : call.seed,
  })

const toBlob = ({ bytes }: InputPicture) => new Blob([bytes as Uint8Array<ArrayBuffer>], { type: mediaTypeOf(bytes) })

/** One image is `image`; OpenAI wants several of them as `image[]`. */
export const toEditForm = (fields: Fields, { images, mask }: EditCall): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value))
  const name = images.length > 1 ? 'image[]' : 'image'
  for (const [index, image] of images.entries())
    form.append(name, toBlob(image), fileNameOf(`image-${index + 1}`, image.bytes))
  if (mask) form.append('mask', toBlob(mask), fileNameOf('mask', mask.bytes))
  return form
}
