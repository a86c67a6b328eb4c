import type { ChatCompletion, ChatRequest } from '#contract/chat.js'
import type { Failure } from '#contract/errors.js'
import type { AnswerChoice, ChatChunk, TextPiece } from '#engines/text.js'
import type { Dialect, Finished, Opening, Voice } from '../dialect.js'
import { compatError } from '../failures.js'

/** POST /chat/completions: the language that everything else is translated into, so there is nothing to translate. */
export const chat: Dialect<ChatRequest> = {
  read: (body) => body,
  answer: (finished) => completionOf(finished),
  voice: (opening, { stream_options: options }) => createChatVoice(opening, options?.include_usage === true),
}

const completionOf = ({
  requestId,
  created,
  model,
  choices,
  usage,
  cost,
  echo,
  ...rest
}: Finished): ChatCompletion => ({
  id: `chatcmpl-${requestId}`,
  object: 'chat.completion',
  created,
  model,
  choices: choices.map(choiceOf),
  usage,
  cost,
  prompt_logprobs: null,
  service_parameters: echo,
  ...(rest.system_fingerprint !== undefined && { system_fingerprint: rest.system_fingerprint }),
})

const choiceOf = ({ index, finish_reason, stop_reason = null, logprobs = null, message }: AnswerChoice) => ({
  index,
  finish_reason,
  stop_reason,
  logprobs,
  message: {
    ...message,
    content: message.content ?? null,
    reasoning_content: message.reasoning_content ?? null,
    tool_calls: message.tool_calls ?? [],
  },
})

/**
 * Every chunk carries our id, time and model. Backends write theirs in front of the choices and the same in every chunk,
 * so for a chunk that is otherwise right only that front is exchanged and the rest leaves as it came.
 */
const createChatVoice = ({ requestId, created, model, echo }: Opening, wantsUsage: boolean): Voice => {
  const head = { id: `chatcmpl-${requestId}`, object: 'chat.completion.chunk', created, model }
  const ownFront = `data: ${JSON.stringify(head).slice(0, -1)},`
  let theirFront: string | undefined
  let hasSpoken = false
  const begun = new Set<number>()

  const serialise = (choices: ChatChunk['choices'], more?: object) =>
    `data: ${JSON.stringify({ ...head, choices, ...more })}\n\n`

  /** The first chunk of a choice says who speaks. */
  const beginnings = (chunk: ChatChunk): string => {
    let text = ''
    for (const { index, delta } of chunk.choices) {
      if (begun.has(index)) continue
      begun.add(index)
      if (delta.role !== 'assistant')
        text += serialise([{ index, delta: { role: 'assistant', content: '' }, finish_reason: null }])
    }
    return text
  }

  const asItCame = ({ chunk, json }: TextPiece): string | undefined => {
    // Usage is told once, at the end, and only to those who asked.
    if (json === undefined || (chunk.usage !== undefined && chunk.usage !== null)) return undefined
    if (theirFront === undefined) theirFront = frontOf(json)
    return theirFront !== '' && json.startsWith(theirFront)
      ? `${ownFront}${json.slice(theirFront.length)}\n\n`
      : undefined
  }

  /** docs/specification.md, include_search_results_in_stream: they come before everything else. */
  const searchResults = (): string => {
    if (hasSpoken || !echo.include_search_results_in_stream) return ''
    const { web_search_citations } = echo
    return serialise([], { service_parameters: { web_search_citations } })
  }

  return {
    piece(piece) {
      const { chunk } = piece
      if (chunk.choices.length === 0) return ''
      const first = searchResults()
      hasSpoken = true
      return first + beginnings(chunk) + (asItCame(piece) ?? serialise(chunk.choices))
    },
    end({ usage, cost }) {
      const last = wantsUsage ? serialise([], { usage, cost, service_parameters: echo }) : ''
      return `${last}data: [DONE]\n\n`
    },
    failed: (failure: Failure) => `data: ${JSON.stringify({ error: compatError(failure) })}\n\n`,
  }
}

/** What stands before the choices, '' where that is not just plain values. */
const frontOf = (json: string): string => {
  const end = json.indexOf('"choices":')
  const front = end < 0 ? '' : json.slice(0, end)
  return /^\{(?:"\w+":(?:"[^"\\]*"|\d+|null),)+$/.test(front) ? front : ''
}
