import type { ChatUsage } from '#contract/chat.js'
import type { Failure } from '#contract/errors.js'
import type { MessagesAnswer, MessagesError, MessagesRequest, MessageUsage } from '#contract/messages.js'
import type { Opening } from '../dialect.js'
import type { Block } from './blocks.js'
import { seal } from './sealed.js'

/** The parts of an answer, for a whole one and for a stream. */
export const headOf = ({ requestId, model }: Opening) => ({
  id: `msg_${requestId}`,
  type: 'message' as const,
  role: 'assistant' as const,
  model,
})

export const contentOf = (block: Block) => {
  switch (block.kind) {
    case 'reasoning':
      return { type: 'thinking' as const, thinking: block.text, signature: block.signature }
    case 'sealed':
      return { type: 'redacted_thinking' as const, data: sealedText(block) }
    case 'text':
      return { type: 'text' as const, text: block.text }
    case 'call':
      return { type: 'tool_use' as const, id: block.id, name: block.name, input: inputOf(block.text) }
  }
}

/** A redacted thought is told as it came; what other engines want back is wrapped to look like one. */
const sealedText = ({ sealed }: Block & { kind: 'sealed' }): string => {
  const [first, ...more] = sealed.details
  const isRedacted = first?.type === 'redacted_thinking' && more.length === 0 && sealed.thoughtSignature === undefined
  return isRedacted && first.data ? first.data : seal(sealed)
}

/** Arguments that are not an object are handed over as they are: nobody should run a tool with half of them. */
const inputOf = (text: string): Record<string, unknown> => {
  if (text.trim() === '') return {}
  try {
    const input: unknown = JSON.parse(text)
    if (typeof input === 'object' && input !== null && !Array.isArray(input)) return { ...input }
  } catch {
    // Told below.
  }
  return { invalid_json: text }
}

export type Ending = {
  finishReason: string | undefined
  /** Some engines name the text that stopped them. */
  stopReason: string | number | null | undefined
  hasCalls: boolean
}

export const stopOf = ({ finishReason, stopReason, hasCalls }: Ending, { stop_sequences }: MessagesRequest) => {
  const sequence = stop_sequences?.find((text) => text === stopReason) ?? null
  return { stop_reason: stopReasonOf(finishReason, sequence, hasCalls), stop_sequence: sequence }
}

const stopReasonOf = (
  finishReason: string | undefined,
  sequence: string | null,
  hasCalls: boolean,
): MessagesAnswer['stop_reason'] => {
  if (finishReason === 'length') return 'max_tokens'
  if (finishReason === 'content_filter') return 'refusal'
  if (finishReason === 'tool_calls' || hasCalls) return 'tool_use'
  return sequence === null ? 'end_turn' : 'stop_sequence'
}

export const usageOf = ({ prompt_tokens, prompt_tokens_details, completion_tokens }: ChatUsage): MessageUsage => {
  const { cached_tokens, cache_creation_input_tokens } = prompt_tokens_details
  return {
    input_tokens: prompt_tokens - cached_tokens - cache_creation_input_tokens,
    cache_read_input_tokens: cached_tokens,
    cache_creation_input_tokens,
    output_tokens: completion_tokens,
  }
}

export const messagesError = ({ status, message, extra, body = {} }: Failure, requestId: string): MessagesError => {
  // A wallet is told how to pay here as well, beside the error.
  const { error: _, ...instructions } = body as { error?: unknown; message?: unknown }
  const says = typeof instructions.message === 'string' ? instructions.message : message
  return {
    ...instructions,
    type: 'error',
    error: { type: errorTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error'), message: says },
    request_id: requestId,
    ...(typeof extra.customMessage === 'string' && { customMessage: extra.customMessage }),
  }
}

const errorTypes: Record<number, MessagesError['error']['type']> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}
