import { randomInt } from 'node:crypto'
import type { LlamaModel, SequenceEvaluateOptions, Token } from 'node-llama-cpp'
import type { Logprobs } from '#contract/chat.js'
import type { EngineRequest } from '../text.js'

export type TokenLogprob = NonNullable<Logprobs['content']>[number]

export type Sampling = {
  temperature: number
  topK: number
  topP: number
  minP: number
  seed: number
  /** Undefined when nothing is punished. */
  penalties: { penalty: number; frequencyPenalty: number; presencePenalty: number } | undefined
}

const seedMax = 2 ** 32

export const readSampling = (request: EngineRequest): Sampling => {
  const penalties = {
    penalty: request.repetition_penalty || 1,
    frequencyPenalty: request.frequency_penalty ?? 0,
    presencePenalty: request.presence_penalty ?? 0,
  }
  const isNeutral = penalties.penalty === 1 && penalties.frequencyPenalty === 0 && penalties.presencePenalty === 0
  return {
    temperature: request.temperature ?? 1,
    topK: request.top_k ?? 0,
    topP: request.top_p ?? 1,
    minP: request.min_p ?? 0,
    seed: request.seed ? request.seed % seedMax : randomInt(1, seedMax),
    penalties: isNeutral ? undefined : penalties,
  }
}

/** In the words of the library. `written` are the tokens so far: what the model itself wrote is punished, not the prompt. */
export const toEvaluateOptions = (sampling: Sampling, written: readonly Token[], contextTokens: number) => {
  const { temperature, topK, topP, minP, seed, penalties } = sampling
  const options: SequenceEvaluateOptions = { temperature, topK, topP, minP, seed }
  if (penalties !== undefined)
    options.repeatPenalty = { ...penalties, punishTokens: () => [...written], maxPunishTokens: contextTokens }
  return options
}

/**
 * Chooses a token out of all probabilities, which are sorted. The library can only tell the probabilities that are left
 * after its own choosing, so whoever asks for log probabilities gets this choice, by the same rules in the same order.
 */
export const createPick = ({ temperature, topK, topP, minP, seed }: Sampling) => {
  const random = createRandom(seed)
  return (probabilities: Map<Token, number>): Token => {
    const kept: [Token, number][] = []
    let sum = 0
    const least = minP * (probabilities.values().next().value ?? 0)
    for (const [token, probability] of probabilities) {
      const isEnough = (topK > 0 && kept.length >= topK) || (topP < 1 && sum >= topP) || probability < least
      if (kept.length > 0 && (isEnough || probability === 0)) break
      kept.push([token, probability])
      sum += probability
    }
    const weights = kept.map(([, probability]) => probability ** (1 / temperature))
    let rest = random() * weights.reduce((total, weight) => total + weight, 0)
    const at = weights.findIndex((weight) => {
      rest -= weight
      return rest < 0
    })
    return (kept[Math.max(at, 0)] as [Token, number])[0]
  }
}

/** Mulberry32: small, fast, and the same everywhere. */
const createRandom = (seed: number) => {
  let state = seed | 0
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / seedMax
  }
}

/** What OpenAI says for "never": JSON has no minus infinity. */
const never = -9999

/** `temperature` is the one that the library has applied already; it is taken out again. */
export const describeToken = (
  model: LlamaModel,
  token: Token,
  before: readonly Token[],
  probabilities: Map<Token, number>,
  { top, temperature }: { top: number; temperature: number },
): TokenLogprob => {
  const sharpness = temperature > 0 ? temperature : 1
  let total = 1
  if (sharpness !== 1) {
    total = 0
    for (const probability of probabilities.values()) total += probability ** sharpness
  }
  const describe = (each: Token) => {
    const text = model.detokenize([each], true, before.slice(-1))
    const weight = (probabilities.get(each) ?? 0) ** sharpness
    return {
      token: text,
      logprob: weight > 0 ? Math.min(0, Math.log(weight / total)) : never,
      // A token may be a part of a character only; then it has no text of its own.
      bytes: text.includes('\uFFFD') ? null : [...Buffer.from(text)],
    }
  }
  const best: Token[] = []
  for (const each of probabilities.keys()) {
    if (best.length >= top) break
    best.push(each)
  }
  return { ...describe(token), top_logprobs: best.map(describe) }
}
