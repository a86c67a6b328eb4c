import type { TokenUsage } from '../text.js'
import type { MessagesUsage } from './messages-api.js'

/** All others are `stop`. */
const finishReasons = new Map([
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['refusal', 'content_filter'],
])

/** How an answer ended, in the language of chat. */
export const toEnding = (
  { stop_reason, stop_sequence }: { stop_reason?: string | null; stop_sequence?: string | null },
  hasToolCalls: boolean,
) => {
  const finish_reason = finishReasons.get(stop_reason ?? '') ?? 'stop'
  return {
    // The tool behind an answer in JSON is our own, and the caller knows of no call.
    finish_reason: finish_reason === 'tool_calls' && !hasToolCalls ? 'stop' : finish_reason,
    stop_reason: stop_sequence ?? null,
  }
}

/** Anthropic's `input_tokens` are those outside the cache. How many tokens were thoughts, it does not say. */
export const toUsage = (usage: MessagesUsage): TokenUsage => ({
  fresh: usage.input_tokens ?? 0,
  cacheRead: usage.cache_read_input_tokens ?? 0,
  cacheWrite: usage.cache_creation_input_tokens ?? 0,
  completion: usage.output_tokens ?? 0,
  reasoning: 0,
})
