import { Worker } from 'node:worker_threads'
import type { StopSignal } from '#plumbing/stop-signal.js'
import type { EmbeddingEngine } from '../embedding.js'
import { EngineError } from '../engine-error.js'
import { type Answer, charactersMax, tokensMax } from './job.js'
import { dimensions } from './model.js'
import type { Order } from './worker.js'

export type EmbedderNeeds = {
  /** A thread without work ends after this long and gives its memory (about 250 MB) back. */
  idleMs?: number
  /** Texts of all calls together that may wait; who comes then is told to come later. */
  textsWaitingMax?: number
  /** Runs something later; gives a function that cancels it. */
  later?: (run: () => void, ms: number) => () => void
  startWorker?: () => Worker
}

type Call = { texts: number; resolve(answer: Answer): void; reject(error: Error): void }
type Thread = { worker: Worker; calls: Map<number, Call> }

const unref = (run: () => void, ms: number) => {
  const timer = setTimeout(run, ms).unref()
  return () => clearTimeout(timer)
}

// A thread that needs more than this is broken; without a limit it would take the whole process with it.
const startEmbedderWorker = () =>
  new Worker(new URL('./worker.js', import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: 512 } })

/**
 * Universal Sentence Encoder lite, English, 512 dimensions. It runs in a thread of its own, which starts with the first
 * call and ends when nobody has called for a while. If it dies, calls that ran fail and the next starts another.
 */
export const createEmbedder = ({
  idleMs = 5 * 60_000,
  textsWaitingMax = 16_384,
  later = unref,
  startWorker = startEmbedderWorker,
}: EmbedderNeeds = {}): EmbeddingEngine & { close(): Promise<void> } => {
  let thread: Thread | undefined
  let cancelIdle = () => {}
  let lastId = 0
  let isClosed = false

  const loseThread = (lost: Thread, cause?: unknown) => {
    if (thread === lost) thread = undefined
    cancelIdle()
    for (const { reject } of lost.calls.values())
      reject(new EngineError('unavailable', 'the embedding thread ended', { cause }))
    lost.calls.clear()
  }

  const openThread = (): Thread => {
    const worker = startWorker()
    const opened: Thread = { worker, calls: new Map() }
    worker.on('message', (answer: Answer) => {
      opened.calls.get(answer.id)?.resolve(answer)
      forget(opened, answer.id)
    })
    worker.on('error', (error) => loseThread(opened, error))
    worker.on('exit', () => loseThread(opened))
    return opened
  }

  const forget = (from: Thread, id: number) => {
    if (!from.calls.delete(id) || from.calls.size > 0) return
    // Alone, it neither keeps the process alive nor its memory forever.
    from.worker.unref()
    cancelIdle = later(() => {
      thread = undefined
      void from.worker.terminate()
    }, idleMs)
  }

  const ask = (texts: string[], signal: StopSignal): Promise<Answer> => {
    thread ??= openThread()
    const asked = thread
    const { worker, calls } = asked
    let waiting = texts.length
    for (const call of calls.values()) waiting += call.texts
    if (calls.size > 0 && waiting > textsWaitingMax)
      throw new EngineError('overloaded', 'too many texts wait to be embedded')
    const id = ++lastId
    return new Promise<Answer>((resolve, reject) => {
      const leave = () => {
        worker.postMessage({ kind: 'forget', id } satisfies Order)
        forget(asked, id)
        reject(signal.reason)
      }
      const done = () => signal.removeEventListener('abort', leave)
      cancelIdle()
      worker.ref()
      calls.set(id, {
        texts: texts.length,
        resolve: (answer) => {
          done()
          resolve(answer)
        },
        reject: (error) => {
          done()
          reject(error)
        },
      })
      signal.addEventListener('abort', leave, { once: true })
      worker.postMessage({ kind: 'embed', id, texts } satisfies Order)
    })
  }

  const tooLong = (index: number, tokens?: number) =>
    new EngineError('tooLong', 'a text is longer than the model can read', {
      said:
        tokens === undefined
          ? `input.${index} is longer than ${tokensMax} tokens, the most that this model reads`
          : `input.${index} has ${tokens} tokens; this model reads at most ${tokensMax}`,
    })

  return {
    async embed({ texts, signal }) {
      signal.throwIfAborted()
      if (isClosed) throw new EngineError('unavailable', 'the embedder is closed')
      if (texts.length === 0) return { vectors: [], promptTokens: 0 }
      const long = texts.findIndex((text) => text.length > charactersMax)
      if (long >= 0) throw tooLong(long)
      const answer = await ask(texts, signal)
      if ('tooLong' in answer) throw tooLong(answer.tooLong.index, answer.tooLong.tokens)
      if ('empty' in answer)
        throw new EngineError('refused', 'a text is empty', { said: `input.${answer.empty.index} must not be empty` })
      if ('broken' in answer) throw new EngineError('broken', answer.broken)
      const vectors = texts.map((_, index) => answer.vectors.subarray(index * dimensions, (index + 1) * dimensions))
      return { vectors, promptTokens: answer.tokens }
    },

    async close() {
      isClosed = true
      const last = thread
      if (!last) return
      loseThread(last)
      await last.worker.terminate()
    },
  }
}
