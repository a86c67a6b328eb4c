import { createStop, type StopSignal } from '#plumbing/stop-signal.js'
import type { EmbeddingEngine } from './embedding.js'
import { EngineError } from './engine-error.js'
import type { TextEngine } from './text.js'

/** A signal that fires with the caller's, or when the time is up; and what to say then. */
const limit = (caller: StopSignal, limitMs: number) => {
  const { signal, stop } = createStop()
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    stop()
  }, limitMs)
  if (caller.aborted) stop()
  else caller.addEventListener('abort', stop, { once: true })
  return {
    signal,
    end() {
      clearTimeout(timer)
      caller.removeEventListener('abort', stop)
    },
    explain: (error: unknown): unknown => {
      if (isLate) return new EngineError('timeout', `the engine was not finished after ${limitMs} ms`)
      return caller.aborted ? caller.reason : error
    },
  }
}

/** Upstreams bound their calls themselves; an engine inside this process is bounded here. */
export const limitText = (engine: TextEngine, limitMs: number): TextEngine => ({
  async answer(call) {
    const { signal, end, explain } = limit(call.signal, limitMs)
    try {
      return await engine.answer({ ...call, signal })
    } catch (error) {
      throw explain(error)
    } finally {
      end()
    }
  },
  async *stream(call) {
    const { signal, end, explain } = limit(call.signal, limitMs)
    try {
      yield* engine.stream({ ...call, signal })
    } catch (error) {
      throw explain(error)
    } finally {
      end()
    }
  },
})

export const limitEmbedding = (engine: EmbeddingEngine, limitMs: number): EmbeddingEngine => ({
  async embed(call) {
    const { signal, end, explain } = limit(call.signal, limitMs)
    try {
      return await engine.embed({ ...call, signal })
    } catch (error) {
      throw explain(error)
    } finally {
      end()
    }
  },
})
