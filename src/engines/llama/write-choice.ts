import type { LlamaContextSequence, LlamaGrammar, LlamaGrammarEvaluationState, Token } from 'node-llama-cpp'
import type { StopSignal } from '#plumbing/stop-signal.js'
import type { EngineRequest } from '../text.js'
import { type AnswerPart, createAnswerReader } from './answer-reader.js'
import type { LoadedModel } from './load-model.js'
import type { Plan } from './plan.js'
import type { Prompt } from './prompt.js'
import { createPick, describeToken, type Sampling, type TokenLogprob, toEvaluateOptions } from './sampling.js'
import { createTokenText } from './token-text.js'

/** What one or several tokens brought. The last step says why the answer ends. */
export type Step = {
  parts: AnswerPart[]
  logprobs: TokenLogprob[]
  finishReason: 'stop' | 'length' | 'tool_calls' | undefined
}

/** Counted while it is written, so that it is exact at any moment. */
export type Tally = { completion: number; reasoning: number }

type Needs = {
  loaded: LoadedModel
  sequence: LlamaContextSequence
  prompt: Prompt
  plan: Plan
  request: EngineRequest
  sampling: Sampling
  tally: Tally
  signal: StopSignal
}

/** An abort is noticed between two of these. */
const chunkTokens = 64

/** Brings the sequence to the prompt, and says how much of it was there already. */
export const adoptPrompt = async (sequence: LlamaContextSequence, { tokens }: Prompt): Promise<number> => {
  // The last token is always read again, for what follows it is what we want to know.
  const shared = Math.min(sequence.compareContextTokens(tokens).firstDifferentIndex, tokens.length - 1)
  await sequence.adaptStateToTokens(tokens.slice(0, shared), false)
  return sequence.nextTokenIndex
}

/** Writes one answer, token by token. Expects that the sequence was brought to the prompt. */
export async function* writeChoice(needs: Needs): AsyncGenerator<Step, void> {
  const { loaded, sequence, prompt, plan, request, sampling, tally, signal } = needs
  const { model, syntax, thought } = loaded
  const limit = Math.min(request.max_completion_tokens, loaded.contextTokens - prompt.tokens.length)
  const stopTokens = new Set<number>(request.stop_token_ids ?? [])
  const text = createTokenText(model, prompt.tokens)
  const reader = createAnswerReader({
    thought,
    isThinking: thought !== undefined && !plan.mustCall && prompt.text.trimEnd().endsWith(thought.open),
    stops: typeof request.stop === 'string' ? [request.stop] : (request.stop ?? []),
    tools: plan.callGrammar && { syntax, names: plan.names },
  })
  const written: Token[] = []
  let hasCalled = false

  const startGrammar = (grammar: LlamaGrammar | undefined) => grammar && loaded.startGrammar(grammar)
  const contentState = startGrammar(plan.contentGrammar)
  let callState: LlamaGrammarEvaluationState | undefined
  const enterCall = () => {
    callState = startGrammar(plan.callGrammar)
    hasCalled = true
  }

  const wantsLogprobs = request.logprobs === true
  // A grammar has to see each choice, so with one the library chooses.
  const pick =
    wantsLogprobs && sampling.temperature > 0 && contentState === undefined && !plan.mustCall
      ? createPick(sampling)
      : undefined
  const native = pick === undefined ? sampling : { ...sampling, temperature: 0 }
  let position = 0
  let entries: { from: number; entry: TokenLogprob }[] = []

  const toStep = (parts: AnswerPart[], finishReason: Step['finishReason']): Step => {
    const logprobs: TokenLogprob[] = []
    for (const part of parts) {
      if (part.kind !== 'content') continue
      logprobs.push(...entries.filter(({ from }) => from >= part.from && from < part.to).map(({ entry }) => entry))
      entries = entries.filter(({ from }) => from >= part.to)
    }
    return { parts, logprobs, finishReason }
  }

  let forced: Token[] = []
  if (plan.mustCall) {
    forced = model.tokenize(syntax.start, true).slice(0, limit)
    reader.startCall()
    enterCall()
    written.push(...forced)
    tally.completion += forced.length
  }
  const ahead = [...prompt.tokens.slice(sequence.nextTokenIndex), ...forced]
  while (ahead.length > chunkTokens) {
    await sequence.evaluateWithoutGeneratingNewTokens(ahead.splice(0, chunkTokens))
    signal.throwIfAborted()
  }

  const steps = sequence.evaluateWithMetadata(
    ahead,
    { probabilities: wantsLogprobs },
    {
      ...toEvaluateOptions(native, written, loaded.contextTokens),
      grammarEvaluationState: () => callState ?? (reader.isThinking() ? undefined : contentState),
      yieldEogToken: true,
    },
  )
  try {
    let instead: Token | Token[] | undefined
    while (written.length < limit) {
      const { value, done } = await steps.next(instead)
      signal.throwIfAborted()
      if (done) break
      const step: { token: Token; probabilities?: Map<Token, number> } = value
      const { probabilities } = step
      let { token } = step
      if (pick !== undefined && callState === undefined && probabilities !== undefined) token = pick(probabilities)
      instead = token
      if (model.isEogToken(token) || stopTokens.has(token)) break

      const wasThinking = reader.isThinking()
      if (wantsLogprobs && probabilities !== undefined) {
        const top = { top: request.top_logprobs ?? 0, temperature: native.temperature }
        entries.push({ from: position, entry: describeToken(model, token, written, probabilities, top) })
      }
      written.push(token)
      tally.completion++
      const piece = text.push(token)
      position += piece.length
      const { parts, isStopped, overshoot } = reader.read(piece)
      if (wasThinking || reader.isThinking()) tally.reasoning++
      if (overshoot !== undefined) {
        // The call is announced. The rest of its beginning is always the same, so it is written for the model.
        const rest = syntax.start.slice(syntax.start.indexOf(syntax.trigger) + syntax.trigger.length)
        const kept = piece.slice(0, piece.length - overshoot.length)
        const start = overshoot === '' ? [token, ...model.tokenize(rest, true)] : model.tokenize(kept + rest, true)
        instead = start.slice(0, limit - written.length + 1)
        written.splice(-1, 1, ...instead)
        tally.completion += instead.length - 1
        enterCall()
      }
      if (isStopped) {
        yield toStep(parts, 'stop')
        return
      }
      if (parts.length > 0) yield toStep(parts, undefined)
    }
    const isCut = written.length >= limit
    const rest = [...reader.read(text.end()).parts, ...reader.end().parts]
    yield toStep(rest, isCut ? 'length' : hasCalled ? 'tool_calls' : 'stop')
  } finally {
    await steps.return()
  }
}
