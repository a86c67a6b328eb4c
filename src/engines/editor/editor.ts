import type { ImageEngine } from '../image.js'
import { createThreadPool, type ThreadPoolNeeds } from '../threads/pool.js'
import type { EditInput, EditOutput } from './edit.js'

export type EditorNeeds = Partial<ThreadPoolNeeds>

/** Edits pictures by operations that it reads from English prompts. What it does not understand it refuses, and says so. */
export const createEditor = (needs: EditorNeeds = {}): ImageEngine & { close(): Promise<void> } => {
  const pool = createThreadPool({
    file: new URL('./worker.js', import.meta.url),
    name: 'the editor',
    threadsMax: 2,
    ...needs,
  })
  return {
    async edit({ signal, model, prompt, images, mask, width, height, hasFixedShape, format, quality, seed }) {
      const input: EditInput = { model, prompt, images, mask, width, height, hasFixedShape, format, quality, seed }
      const { bytes } = await pool.run<EditInput, EditOutput>('edit', input, { signal })
      return { bytes, format }
    },
    close: () => pool.close(),
  }
}
