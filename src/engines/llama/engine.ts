import { randomBytes } from 'node:crypto'
import { type Clock, systemClock } from '#plumbing/clock.js'
import type { StopSignal } from '#plumbing/stop-signal.js'
import { EngineError } from '../engine-error.js'
import type {
  AnswerChoice,
  ChatChunk,
  ChoiceDelta,
  TextAnswer,
  TextCall,
  TextEngine,
  TextPiece,
  TokenUsage,
} from '../text.js'
import type { AnswerPart } from './answer-reader.js'
import { type LoadedModel, loadModel } from './load-model.js'
import { createModelShelf, type Schedule, systemSchedule } from './model-shelf.js'
import { type Native, type OnTrouble, openNative } from './native.js'
import { readSampling } from './sampling.js'
import { adoptPrompt, type Step, type Tally, writeChoice } from './write-choice.js'

type Needs = {
  /** Where the GGUF file is that the engine calls so; undefined when there is none. */
  modelFile(name: string): string | undefined
  /** Never more than there are cores; all but one by default. Processes that share a machine share its cores. */
  threads?: number | undefined
  /** How many models are in memory at the same time. */
  loadedMax?: number | undefined
  /** After this time without a request, a model leaves the memory. */
  idleMs?: number | undefined
  clock?: Clock | undefined
  schedule?: Schedule | undefined
  onTrouble?: OnTrouble | undefined
}

/** One choice at one moment. */
type ChoiceStep = Step & { index: number; usage: TokenUsage }

/** Runs GGUF models inside this process, on threads of their own. Nothing is loaded before the first request. */
export const createLlamaEngine = (needs: Needs): { text: TextEngine; close(): Promise<void> } => {
  const { modelFile, threads, loadedMax = 2, idleMs = 5 * 60_000 } = needs
  const onTrouble = needs.onTrouble ?? (() => {})
  let native: Promise<Native> | undefined

  const open = (): Promise<Native> => {
    native ??= openNative(threads, onTrouble).catch((cause) => {
      native = undefined
      throw cause
    })
    return native
  }

  const shelf = createModelShelf<LoadedModel>({
    async load(name) {
      const path = modelFile(name)
      if (path === undefined) throw new EngineError('unavailable', `there is no file for the model ${name}`)
      try {
        return await loadModel(await open(), path)
      } catch (cause) {
        throw new EngineError('unavailable', `the model ${name} could not be loaded`, { cause })
      }
    },
    loadedMax,
    idleMs,
    clock: needs.clock ?? systemClock,
    schedule: needs.schedule ?? systemSchedule,
    onTrouble,
  })

  /** Everything that happens to one request, choice after choice on one sequence, so that the prompt is read once. */
  async function* write(call: TextCall): AsyncGenerator<ChoiceStep, void> {
    const { request, cacheKey, signal } = call
    const taking = shelf.take(call.model)
    const { model: loaded, giveBack } = await orAborted(taking, signal, ({ giveBack }) => giveBack())
    try {
      const plan = await loaded.plan(request)
      const prompt = loaded.writePrompt(request, plan.tools)
      const isSeeded = typeof request.seed === 'number'
      const pool = isSeeded ? await loaded.seededPool() : loaded.pool
      const { sequence, release } = await pool.take({ tokens: prompt.tokens, cacheKey, signal })
      try {
        if (isSeeded) await sequence.clearHistory()
        const cacheRead = await adoptPrompt(sequence, prompt)
        const fresh = prompt.tokens.length - cacheRead
        const tally: Tally = { completion: 0, reasoning: 0 }
        const sampling = readSampling(request)
        for (let index = 0; index < (request.n ?? 1); index++) {
          if (index > 0) await adoptPrompt(sequence, prompt)
          const seed = (sampling.seed + index) % 2 ** 32
          const needs = { loaded, sequence, prompt, plan, request, sampling: { ...sampling, seed }, tally, signal }
          for await (const step of writeChoice(needs)) {
            yield { ...step, index, usage: { fresh, cacheRead, cacheWrite: 0, ...tally } }
          }
        }
      } catch (error) {
        // After a fault of the library, nobody knows what the sequence remembers.
        if (!signal.aborted) await sequence.clearHistory().catch(() => {})
        throw error
      } finally {
        release()
      }
    } finally {
      giveBack()
    }
  }

  async function* stream(call: TextCall): AsyncGenerator<TextPiece[], void> {
    const begun = new Set<number>()
    try {
      for await (const { index, parts, logprobs, finishReason, usage } of write(call)) {
        const pieces: TextPiece[] = []
        if (!begun.has(index)) {
          const isFirst = begun.size === 0
          begun.add(index)
          const chunk = toChunk(index, { role: 'assistant', content: '' }, null)
          pieces.push(isFirst ? { chunk, usage: { ...usage, completion: 0, reasoning: 0 } } : { chunk })
        }
        let waiting = logprobs
        for (const part of parts) {
          const chunk = toChunk(index, toDelta(part), null)
          if (part.kind === 'content' && waiting.length > 0) {
            Object.assign(chunk.choices[0] as object, { logprobs: { content: waiting } })
            waiting = []
          }
          pieces.push({ chunk })
        }
        if (finishReason !== undefined) pieces.push({ chunk: toChunk(index, {}, finishReason) })
        // Told with every step, so that a caller who leaves pays exactly what was written.
        const last = pieces.at(-1)
        if (last !== undefined) last.usage ??= usage
        yield pieces
      }
    } catch (error) {
      throw toEngineError(error, call.signal)
    }
  }

  const answer = async (call: TextCall): Promise<TextAnswer> => {
    const choices: AnswerChoice[] = []
    let usage: TokenUsage | undefined
    try {
      for await (const step of write(call)) {
        usage = step.usage
        const choice = choices[step.index] ?? emptyChoice(step.index, call.request.logprobs === true)
        choices[step.index] = choice
        for (const part of step.parts) addPart(choice.message, part)
        choice.logprobs?.content?.push(...step.logprobs)
        if (step.finishReason !== undefined) choice.finish_reason = step.finishReason
      }
    } catch (error) {
      throw toEngineError(error, call.signal)
    }
    return { choices, usage }
  }

  return {
    text: { answer, stream },
    async close() {
      await shelf.close()
      const opened = await native?.catch(() => undefined)
      await opened?.llama.dispose()
    },
  }
}

const toChunk = (index: number, delta: ChoiceDelta, finish_reason: string | null): ChatChunk => ({
  choices: [{ index, delta, finish_reason }],
})

const newCallId = () => `call_${randomBytes(12).toString('hex')}`

const toDelta = (part: AnswerPart): ChoiceDelta => {
  if (part.kind === 'content') return { content: part.text }
  if (part.kind === 'reasoning') return { reasoning_content: part.text }
  const { index } = part
  if (part.kind === 'arguments') return { tool_calls: [{ index, function: { arguments: part.text } }] }
  return {
    tool_calls: [{ index, id: newCallId(), type: 'function', function: { name: part.name, arguments: '' } }],
  }
}

const emptyChoice = (index: number, hasLogprobs: boolean): AnswerChoice => ({
  index,
  finish_reason: 'stop',
  logprobs: hasLogprobs ? { content: [] } : null,
  message: { role: 'assistant', content: null },
})

const addPart = (message: AnswerChoice['message'], part: AnswerPart): void => {
  if (part.kind === 'content') message.content = (message.content ?? '') + part.text
  else if (part.kind === 'reasoning') message.reasoning_content = (message.reasoning_content ?? '') + part.text
  else if (part.kind === 'call') {
    message.tool_calls ??= []
    message.tool_calls.push({ id: newCallId(), type: 'function', function: { name: part.name, arguments: '' } })
  } else {
    const call = message.tool_calls?.[part.index]
    if (call !== undefined) call.function.arguments += part.text
  }
}

/** Leaves at once when the signal fires; what comes too late is cleaned up. */
const orAborted = <T>(work: Promise<T>, signal: StopSignal, cleanUp: (late: T) => void): Promise<T> =>
  new Promise((resolve, reject) => {
    const leave = () => {
      reject(signal.reason)
      work.then(cleanUp, () => {})
    }
    if (signal.aborted) return leave()
    signal.addEventListener('abort', leave, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })

const toEngineError = (error: unknown, signal: StopSignal): unknown => {
  if (error instanceof EngineError) return error
  if (signal.aborted) return new EngineError('broken', 'the request was stopped', { cause: signal.reason })
  return new EngineError('broken', 'the model stopped in the middle of its work', { cause: error })
}
