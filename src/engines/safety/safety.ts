import type { StopSignal } from '#plumbing/stop-signal.js'
import { createThreadPool, type ThreadPoolNeeds } from '../threads/pool.js'
import type { Verdict } from './verdict.js'

export type { Verdict } from './verdict.js'

export type Safety = {
  /** Judges an encoded picture. Throws `EngineError('unavailable')` only when nothing can be said about adult content. */
  look(picture: Uint8Array, signal: StopSignal): Promise<Verdict>
  close(): Promise<void>
}

export type SafetyNeeds = Pick<ThreadPoolNeeds, 'idleMs' | 'waitingMax'>

/**
 * Looks at pictures before they are delivered: is this adult content, is there a child? Networks answer, so it is an
 * opinion and not a proof. One thread, which ends when nobody has asked for a while and gives its memory (about 150 MB) back.
 */
export const createSafety = (needs: SafetyNeeds = {}): Safety => {
  const pool = createThreadPool({
    file: new URL('./worker.js', import.meta.url),
    name: 'the safety look',
    idleMs: 5 * 60_000,
    limitMs: 60_000,
    ...needs,
  })
  return {
    look: (picture, signal) => pool.run<Uint8Array, Verdict>('look', picture, { signal }),
    close: () => pool.close(),
  }
}
