import type { Workflow } from './workflow.js'

/**
 * What is done for a model without a workflow of its own: plain Stable Diffusion from one checkpoint file, with nodes that
 * every ComfyUI has. Results are previews, so that they do not pile up in the output folder of the server.
 */
const node = (class_type: string, inputs: Record<string, unknown>) => ({ class_type, inputs })

const checkpoint = {
  checkpoint: node('CheckpointLoaderSimple', { ckpt_name: '{{model}}' }),
  positive: node('CLIPTextEncode', { text: '{{prompt}}', clip: ['checkpoint', 1] }),
  negative: node('CLIPTextEncode', { text: '{{negative_prompt}}', clip: ['checkpoint', 1] }),
}

const sampler = (latent: string, denoise: number) =>
  node('KSampler', {
    ...{ model: ['checkpoint', 0], positive: ['positive', 0], negative: ['negative', 0], latent_image: [latent, 0] },
    ...{ seed: '{{seed}}', steps: '{{steps}}', cfg: '{{cfg}}', sampler_name: 'euler', scheduler: 'normal', denoise },
  })

const decoded = node('VAEDecode', { samples: ['sampler', 0], vae: ['checkpoint', 2] })
const size = { width: '{{width}}', height: '{{height}}' }
const scaled = (image: string) =>
  node('ImageScale', { image: [image, 0], upscale_method: 'lanczos', ...size, crop: 'center' })
const result = (image: string) => node('PreviewImage', { images: [image, 0] })

export const usualGenerate: Workflow = {
  ...checkpoint,
  empty: node('EmptyLatentImage', { ...size, batch_size: '{{count}}' }),
  sampler: sampler('empty', 1),
  decoded,
  result: result('decoded'),
}

export const usualEdit: Workflow = {
  ...checkpoint,
  image: node('LoadImage', { image: '{{image}}' }),
  scaled: scaled('image'),
  encoded: node('VAEEncode', { pixels: ['scaled', 0], vae: ['checkpoint', 2] }),
  sampler: sampler('encoded', 0.75),
  decoded,
  result: result('decoded'),
}

/** The mask that LoadImage gives is where its picture is transparent. It is scaled and cropped as the image is. */
export const usualInpaint: Workflow = {
  ...checkpoint,
  image: node('LoadImage', { image: '{{image}}' }),
  scaled: scaled('image'),
  mask: node('LoadImage', { image: '{{mask}}' }),
  mask_image: node('MaskToImage', { mask: ['mask', 1] }),
  mask_scaled: scaled('mask_image'),
  where: node('ImageToMask', { image: ['mask_scaled', 0], channel: 'red' }),
  encoded: node('VAEEncodeForInpaint', {
    ...{ pixels: ['scaled', 0], vae: ['checkpoint', 2], mask: ['where', 0], grow_mask_by: 6 },
  }),
  sampler: sampler('encoded', 1),
  decoded,
  // Encoding changes every pixel a little; what is not masked comes from the image itself.
  composed: node('ImageCompositeMasked', {
    ...{ destination: ['scaled', 0], source: ['decoded', 0], mask: ['where', 0], x: 0, y: 0, resize_source: false },
  }),
  result: result('composed'),
}

/** Here the model is an upscale model. */
export const usualUpscale: Workflow = {
  image: node('LoadImage', { image: '{{image}}' }),
  upscaler: node('UpscaleModelLoader', { model_name: '{{model}}' }),
  upscaled: node('ImageUpscaleWithModel', { upscale_model: ['upscaler', 0], image: ['image', 0] }),
  scaled: scaled('upscaled'),
  result: result('scaled'),
}
