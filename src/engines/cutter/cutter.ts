import type { ImageEngine } from '../image.js'
import { createThreadPool, type ThreadPoolNeeds } from '../threads/pool.js'

export type CutterNeeds = Pick<ThreadPoolNeeds, 'idleMs' | 'waitingMax'>

/** Cuts the subject out of a picture, in a thread that ends when nobody has asked for a while. */
export const createCutter = (needs: CutterNeeds = {}): Pick<ImageEngine, 'cutOut'> & { close(): Promise<void> } => {
  const threads = createThreadPool({ file: new URL('./worker.js', import.meta.url), name: 'the cutter', ...needs })
  return {
    async cutOut({ image, signal }) {
      const bytes = await threads.run<Uint8Array, Uint8Array>('cutOut', image.bytes, { signal })
      return { bytes, format: 'png' }
    },
    close: threads.close,
  }
}
