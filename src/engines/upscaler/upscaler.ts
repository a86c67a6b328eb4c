import { EngineError } from '../engine-error.js'
import type { ImageEngine, UpscaleCall } from '../image.js'
import { createThreadPool, type ThreadPoolNeeds } from '../threads/pool.js'
import type { UpscaleOrder } from './worker.js'

export const upscalerModels = ['esrgan-slim'] as const

export type UpscalerNeeds = Pick<ThreadPoolNeeds, 'idleMs' | 'waitingMax'> & {
  /** A picture is not the network's longer than this, however large it is and however slow we are. */
  networkMs?: number
}

export type Upscaler = ImageEngine & {
  upscale(call: UpscaleCall): ReturnType<NonNullable<ImageEngine['upscale']>>
  close(): Promise<void>
}

/**
 * Makes pictures larger, with a small network that was taught on photographs. One at a time, on all cores, in a thread that
 * ends when nobody has called for a while and gives its memory (about 300 MB and the pixels) back.
 */
export const createUpscaler = ({ networkMs = 45_000, ...needs }: UpscalerNeeds = {}): Upscaler => {
  const pool = createThreadPool({
    file: new URL('./worker.js', import.meta.url),
    name: 'the upscaler',
    waitingMax: 16,
    ...needs,
  })
  return {
    async upscale({ model, image, width, height, creativity, signal }) {
      if (!upscalerModels.some((known) => known === model))
        throw new EngineError('unavailable', `the upscaler has no model ${model}`)
      const order: UpscaleOrder = { model, bytes: image.bytes, width, height, creativity, networkMs }
      const bytes = await pool.run<UpscaleOrder, Uint8Array>('upscale', order, { signal })
      return { bytes, format: 'png' }
    },
    close: () => pool.close(),
  }
}
