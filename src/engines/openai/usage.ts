import type { TokenUsage } from '../text.js'

/** Tokens as OpenAI-compatible servers report them. */
type Reported = {
  prompt_tokens?: unknown
  completion_tokens?: unknown
  total_tokens?: unknown
  prompt_tokens_details?: {
    cached_tokens?: unknown
    cache_creation_input_tokens?: unknown
    cache_write_tokens?: unknown
  } | null
  completion_tokens_details?: { reasoning_tokens?: unknown } | null
  prompt_cache_hit_tokens?: unknown
  cache_creation_input_tokens?: unknown
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
const firstCount = (...values: unknown[]): number => values.find(isCount) ?? 0

/**
 * Splits reported tokens into parts that do not overlap. Servers count cached tokens inside the prompt; a part that is
 * larger than the whole is cut, so nothing is ever negative or charged twice. Undefined when there is nothing to rely on.
 */
export const readUsage = (usage: unknown): TokenUsage | undefined => {
  if (typeof usage !== 'object' || usage === null) return undefined
  const reported: Reported = usage
  const { prompt_tokens: prompt, completion_tokens: visible = 0, prompt_tokens_details: details } = reported
  if (!isCount(prompt) || !isCount(visible)) return undefined

  const cacheRead = Math.min(prompt, firstCount(details?.cached_tokens, reported.prompt_cache_hit_tokens))
  const cacheWrite = Math.min(
    prompt - cacheRead,
    firstCount(details?.cache_creation_input_tokens, details?.cache_write_tokens, reported.cache_creation_input_tokens),
  )
  const reasoned = firstCount(reported.completion_tokens_details?.reasoning_tokens)
  // Some servers (Grok, Gemini) count reasoning beside the completion; only their total tells.
  const isBeside = reasoned > 0 && reported.total_tokens === prompt + visible + reasoned
  const completion = isBeside ? visible + reasoned : visible
  return {
    fresh: prompt - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    completion,
    reasoning: Math.min(reasoned, completion),
  }
}
