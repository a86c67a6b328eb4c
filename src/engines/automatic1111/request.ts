import { EngineError } from '../engine-error.js'
import type { EditCall, GenerateCall, InputPicture, Quality, UpscaleCall } from '../image.js'
import { mediaTypeOf } from '../upstream/pictures.js'
import { unsupported, withStyle } from '../upstream/prompt-words.js'
import { toWhiteMask } from '../upstream/reshape.js'

/** What the number of steps is when nobody says it; the API's own 50 is twice what current samplers need. */
const stepsFor: Record<Quality, number> = { low: 12, medium: 20, high: 30 }
const guidanceDefault = 7
/** Enough to follow the prompt, little enough to recognise the picture. */
const denoising = 0.75

/** Its latents have one value for 8 x 8 pixels, and a rest would be cut off. */
const rounded = (pixels: number) => Math.ceil(pixels / 8) * 8
const toDataUrl = (bytes: Uint8Array) =>
  `data:${mediaTypeOf(bytes)};base64,${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')}`

type Task = { taskId: string /** The one that is loaded unless given. */; checkpoint: string | undefined }

const shared = ({ width, height, seed }: GenerateCall | EditCall, { taskId, checkpoint }: Task) => ({
  seed,
  width: rounded(width),
  height: rounded(height),
  batch_size: 1,
  send_images: true,
  save_images: false,
  override_settings: checkpoint === undefined ? {} : { sd_model_checkpoint: checkpoint },
  // Otherwise the former checkpoint is loaded again after every picture.
  override_settings_restore_afterwards: false,
  force_task_id: taskId,
})

export const toTextToImage = (call: GenerateCall, task: Task) => {
  if (call.styleReferences?.length) throw unsupported('style references')
  return {
    ...shared(call, task),
    prompt: withStyle(call.prompt, call.style),
    negative_prompt: call.negativePrompt ?? '',
    // One after the other: a batch needs the memory of all of them together.
    n_iter: call.count,
    steps: call.steps ?? stepsFor[call.quality ?? 'medium'],
    cfg_scale: call.guidance ?? guidanceDefault,
  }
}

export const toImageToImage = async (call: EditCall, task: Task) => {
  const [image, ...others] = call.images
  if (image === undefined) throw new EngineError('refused', 'an edit without an image', { said: 'an image is missing' })
  if (others.length > 0) throw unsupported('more than one image')
  return {
    ...shared(call, task),
    prompt: call.prompt,
    n_iter: 1,
    steps: stepsFor[call.quality ?? 'medium'],
    cfg_scale: guidanceDefault,
    init_images: [toDataUrl(image.bytes)],
    // Resize and crop, so that nothing is stretched.
    resize_mode: 1,
    denoising_strength: denoising,
    ...(call.mask && (await toMaskFields(call.mask, image))),
  }
}

/** The mask is white where something changes; what is there now is where it starts from, and the rest stays. */
const toMaskFields = async (mask: InputPicture, image: InputPicture) => ({
  mask: toDataUrl(await toWhiteMask(mask, image)),
  mask_blur: 4,
  inpainting_fill: 1,
  inpaint_full_res: false,
  inpainting_mask_invert: 0,
})

/** The model is the name of an upscaler, as its web page shows them. */
export const toExtras = ({ model, image, width, height }: UpscaleCall) => ({
  image: toDataUrl(image.bytes),
  resize_mode: 1,
  upscaling_resize_w: width,
  upscaling_resize_h: height,
  upscaling_crop: true,
  upscaler_1: model,
})
