import type { ImageEngine, Picture } from '../image.js'
import { createThreadPool, type ThreadPoolNeeds } from '../threads/pool.js'
import type { ComposeOrder } from './compose-picture.js'

export type ComposerNeeds = Pick<ThreadPoolNeeds, 'threadsMax' | 'idleMs' | 'waitingMax'>

/**
 * Pictures without a model: it reads the prompt, arranges vector art of open emoji sets in a painted place, and renders
 * that. Nouns beyond its vocabulary are drawn as what WordNet says they are kinds of; what it does not understand becomes an
 * abstract composition. The same seed gives the same bytes.
 */
export const createComposer = (needs: ComposerNeeds = {}): ImageEngine & { close(): Promise<void> } => {
  const file = new URL('./worker.js', import.meta.url)
  const threads = createThreadPool({ file, name: 'the composer', threadsMax: 2, ...needs })
  return {
    generate({ signal, model: _model, steps: _steps, guidance: _guidance, ...order }) {
      return threads.run<ComposeOrder, Picture[]>('compose', order, { signal })
    },
    close: threads.close,
  }
}
