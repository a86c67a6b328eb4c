import { setTimeout as wait } from 'node:timers/promises'
import { toAbortSignal } from '#plumbing/stop-signal.js'
import { EngineError } from '../engine-error.js'
import type { ImageEngine } from '../image.js'
import { createThreadPool, type ThreadPoolNeeds } from '../threads/pool.js'
import type { CutOutJob } from './worker.js'

export type CutterNeeds = Pick<ThreadPoolNeeds, 'idleMs' | 'waitingMax'>

/** The most that a timer can wait. */
const timerMaxMs = 2 ** 31 - 1

const lookEveryMs = 20

/**
 * Cuts the subject out of a picture, in a thread that ends when nobody has asked for a while. The runtime of the network
 * takes the process with it when its thread is ended in the middle of a run, so a thread that works is never ended: a call
 * that nobody wants ends at its next step, and closing waits for that.
 */
export const createCutter = (needs: CutterNeeds = {}): Pick<ImageEngine, 'cutOut'> & { close(): Promise<void> } => {
  const threads = createThreadPool({
    file: new URL('./worker.js', import.meta.url),
    name: 'the cutter',
    ...needs,
    stopPatienceMs: timerMaxMs,
  })
  const closing = new AbortController()
  const working = new Int32Array(new SharedArrayBuffer(4))
  const whenOver = async () => {
    while (Atomics.load(working, 0) === 1) await wait(lookEveryMs)
  }
  // A thread that ended by itself in the middle cannot say so.
  const forgetDead = (error: unknown) => {
    if (error instanceof EngineError && /ended in the middle/.test(error.message)) Atomics.store(working, 0, 0)
    throw error
  }
  return {
    async cutOut({ image, signal }) {
      const wanted = AbortSignal.any([toAbortSignal(signal), closing.signal])
      const job: CutOutJob = { bytes: image.bytes, working }
      const bytes = await threads.run<CutOutJob, Uint8Array>('cutOut', job, { signal: wanted }).catch(forgetDead)
      return { bytes, format: 'png' }
    },
    async close() {
      closing.abort(new EngineError('unavailable', 'the cutter is closed'))
      await whenOver()
      await threads.close()
    },
  }
}
