import { createStop, type StopSignal } from '#plumbing/stop-signal.js'
import type { EmbeddingEngine } from './embedding.js'
import { EngineError } from './engine-error.js'
import type { ImageEngine } from './image.js'
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
  embed: limitCall((call) => engine.embed(call), limitMs),
})

/** Each skill that the engine has. */
export const limitImage = ({ generate, edit, upscale, cutOut }: ImageEngine, limitMs: number): ImageEngine => ({
  ...(generate && { generate: limitCall(generate, limitMs) }),
  ...(edit && { edit: limitCall(edit, limitMs) }),
  ...(upscale && { upscale: limitCall(upscale, limitMs) }),
  ...(cutOut && { cutOut: limitCall(cutOut, limitMs) }),
})

const limitCall =
  <Call extends { signal: StopSignal }, Answer>(ask: (call: Call) => Promise<Answer>, limitMs: number) =>
  async (call: Call): Promise<Answer> => {
    const { signal, end, explain } = limit(call.signal, limitMs)
    try {
      return await ask({ ...call, signal })
    } catch (error) {
      throw explain(error)
    } finally {
      end()
    }
  }
