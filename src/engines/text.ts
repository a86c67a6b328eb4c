import type { ChatRequest, Logprobs } from '#contract/chat.js'
import type { ReasoningDetail } from '#contract/text-parts.js'
import type { StopSignal } from '#plumbing/stop-signal.js'

/**
 * An engine that writes text. It is asked in the language of POST /chat/completions, and answers in it; it knows nothing of
 * prices, keys, statuses or of who asks.
 */
export type TextEngine = {
  /** A whole answer. Throws `EngineError`. */
  answer(call: TextCall): Promise<TextAnswer>
  /**
   * The answer as it is written. Each item holds the pieces that came together, so that they can leave together. It ends
   * only when the engine said that the answer is complete; whatever else happens is thrown as an `EngineError`. Leaving
   * the loop, or `signal`, stops the engine's work.
   */
  stream(call: TextCall): AsyncIterable<TextPiece[]>
}

export type TextCall = {
  /** The engine's own name for the model. */
  model: string
  /**
   * Checked and resolved: all system prompts are in `messages`, files are text, `max_completion_tokens` is set and
   * `max_tokens` is not, and what is ours (`service_parameters`, `model`, `stream`, `stream_options`) is gone. Fields
   * that nobody knows may be in it, too.
   */
  request: EngineRequest
  /**
   * Nobody asked for this limit, and prompt and limit together may exceed the context of the model: an engine that
   * refuses such a sum leaves the limit out, and the context ends the answer.
   */
  isLimitLoose?: boolean
  /** Requests with the same key find their prompt cached if they go the same way. */
  cacheKey?: string | undefined
  signal: StopSignal
}

export type EngineRequest = Omit<
  ChatRequest,
  'model' | 'stream' | 'stream_options' | 'service_parameters' | 'max_tokens' | 'max_completion_tokens'
> & { max_completion_tokens: number }

/** Tokens in parts that do not overlap: each is charged once, at its own price. */
export type TokenUsage = {
  /** Prompt tokens that were neither read from a cache nor written to one. */
  fresh: number
  cacheRead: number
  cacheWrite: number
  /** Reasoning included. */
  completion: number
  /** How many of `completion` were reasoning. */
  reasoning: number
}

export type AnswerToolCall = { id: string; type: 'function'; function: { name: string; arguments: string } }

/** A choice as engines give it; fields that we do not know pass through. */
export type AnswerChoice = {
  index: number
  finish_reason: string
  stop_reason?: string | number | null
  logprobs?: Logprobs | null
  message: {
    role: 'assistant'
    content: string | null
    reasoning_content?: string | null
    reasoning_details?: ReasoningDetail[] | null
    thought_signature?: string | null
    tool_calls?: AnswerToolCall[] | null
    [more: string]: unknown
  }
}

export type TextAnswer = {
  choices: AnswerChoice[]
  /** Undefined when the engine did not say; then it is counted. */
  usage: TokenUsage | undefined
  system_fingerprint?: string | undefined
}

export type ToolCallDelta = {
  index: number
  id?: string
  type?: 'function'
  function?: { name?: string; arguments?: string }
}

export type ChoiceDelta = {
  role?: 'assistant' | '' | null
  content?: string | null
  reasoning_content?: string | null
  reasoning_details?: ReasoningDetail[] | null
  thought_signature?: string | null
  tool_calls?: ToolCallDelta[] | null
  [more: string]: unknown
}

/** A `chat.completion.chunk`. Its id, model and time are the engine's and never reach a caller. */
export type ChatChunk = {
  choices: {
    index: number
    delta: ChoiceDelta
    finish_reason: string | null
    stop_reason?: string | number | null
    logprobs?: Logprobs | null
  }[]
  [more: string]: unknown
}

/** One step of a stream. */
export type TextPiece = {
  chunk: ChatChunk
  /** The same as JSON, as it came from an upstream: passed on as it is when nothing in it has to change. */
  json?: string | undefined
  /** On the last piece, or on several: then each stands for everything so far. */
  usage?: TokenUsage | undefined
}
