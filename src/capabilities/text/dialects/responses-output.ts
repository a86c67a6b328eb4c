import type { ChatUsage } from '#contract/chat.js'
import type { ResponsesRequest, ResponsesUsage } from '#contract/responses.js'
import type { Opening } from '../dialect.js'
import type { Block, TokenLogprobs } from './blocks.js'
import { keptTools } from './responses-read.js'
import { seal } from './sealed.js'

/** The parts of an answer, for a whole one and for a stream. */
export const headOf = ({ requestId, created, model, echo }: Opening, body: ResponsesRequest) => ({
  id: `resp_${requestId}`,
  object: 'response' as const,
  created_at: created,
  model,
  background: false,
  instructions: body.instructions ?? null,
  max_output_tokens: body.max_output_tokens ?? null,
  metadata: body.metadata ?? {},
  parallel_tool_calls: body.parallel_tool_calls ?? true,
  previous_response_id: null,
  reasoning: { effort: body.reasoning?.effort ?? null, summary: body.reasoning?.summary ?? null },
  store: false,
  temperature: body.temperature ?? null,
  text: {
    format: body.text?.format ?? { type: 'text' },
    ...(body.text?.verbosity && { verbosity: body.text.verbosity }),
  },
  tool_choice: toolChoiceOf(body),
  tools: toolsOf(body),
  top_p: body.top_p ?? null,
  truncation: 'disabled' as const,
  service_parameters: echo,
})

/** Tools and choices are told in the flat form, however they were sent: the SDKs know only that one. */
const toolsOf = (body: ResponsesRequest) =>
  keptTools(body).map(({ type, function: called }) =>
    called
      ? {
          type: 'function' as const,
          name: called.name,
          description: called.description ?? null,
          parameters: called.parameters ?? null,
          strict: called.strict ?? false,
        }
      : { type },
  )

const toolChoiceOf = ({ tool_choice: choice }: ResponsesRequest) => {
  if (choice == null || typeof choice === 'string') return choice ?? 'auto'
  return { type: 'function' as const, name: choice.function?.name ?? choice.name }
}

export type Status = 'completed' | 'incomplete' | 'in_progress'

/** How an answer ended. */
export const endingOf = (finishReason: string | undefined) => {
  const reason =
    finishReason === 'length' ? 'max_output_tokens' : finishReason === 'content_filter' ? 'content_filter' : undefined
  return {
    status: reason ? ('incomplete' as const) : ('completed' as const),
    incomplete_details: reason ? { reason } : null,
  }
}

const prefixes = { reasoning: 'rs', sealed: 'rs', text: 'msg', call: 'fc' } as const

type Place = { requestId: string; index: number; echo: Opening['echo'] }

export const itemIdOf = ({ kind }: Block, { requestId, index }: Pick<Place, 'requestId' | 'index'>) =>
  `${prefixes[kind]}_${requestId}_${index}`

export const itemOf = (block: Block, status: Status, place: Place) => {
  const { echo } = place
  const id = itemIdOf(block, place)
  switch (block.kind) {
    case 'reasoning': {
      const { text, signature } = block
      return {
        id,
        type: 'reasoning' as const,
        summary: status === 'in_progress' ? [] : [summaryPart(text)],
        ...(signature !== '' && {
          encrypted_content: seal({ details: [{ type: 'thinking', text, data: signature }] }),
        }),
        status,
      }
    }
    case 'sealed':
      return { id, type: 'reasoning' as const, summary: [], encrypted_content: seal(block.sealed), status }
    case 'text':
      return {
        id,
        type: 'message' as const,
        role: 'assistant' as const,
        content: status === 'in_progress' ? [] : [textPart(block, echo)],
        status,
      }
    case 'call':
      return { id, type: 'function_call' as const, call_id: block.id, name: block.name, arguments: block.text, status }
  }
}

export const summaryPart = (text: string) => ({ type: 'summary_text' as const, text })

export const textPart = ({ text, logprobs }: Block & { kind: 'text' }, echo: Opening['echo']) => ({
  type: 'output_text' as const,
  text,
  annotations: citationsIn(text, echo),
  logprobs: logprobsOf(logprobs),
})

export const logprobsOf = (logprobs: TokenLogprobs) =>
  logprobs.map(({ token, logprob, bytes, top_logprobs = [] }) => ({
    token,
    logprob,
    bytes: bytes ?? [],
    top_logprobs: top_logprobs.map((top) => ({ token: top.token, logprob: top.logprob, bytes: top.bytes ?? [] })),
  }))

/** `^1^` and `^1,2^` in the text refer to what was found on the web. */
const citationsIn = (text: string, { web_search_citations: found }: Opening['echo']) => {
  if (found.length === 0) return []
  return [...text.matchAll(/\^(\d+(?:,\s*\d+)*)\^/g)].flatMap(({ 0: mark, 1: numbers = '', index }) =>
    numbers.split(',').flatMap((number) => {
      const source = found[Number(number) - 1]
      if (!source) return []
      const { url, title } = source
      return [{ type: 'url_citation' as const, url, title, start_index: index, end_index: index + mark.length }]
    }),
  )
}

/** Tells that the web was searched, before anything else. */
export const searchOf = ({ requestId, echo }: Opening) =>
  echo.web_search_citations.length === 0
    ? undefined
    : {
        id: `ws_${requestId}_0`,
        type: 'web_search_call' as const,
        status: 'completed' as const,
        action: {
          type: 'search' as const,
          sources: echo.web_search_citations.map(({ url }) => ({ type: 'url' as const, url })),
        },
      }

export const usageOf = ({
  prompt_tokens,
  prompt_tokens_details,
  completion_tokens,
  completion_tokens_details,
  total_tokens,
}: ChatUsage): ResponsesUsage => ({
  input_tokens: prompt_tokens,
  input_tokens_details: {
    cached_tokens: prompt_tokens_details.cached_tokens,
    cache_write_tokens: prompt_tokens_details.cache_creation_input_tokens,
  },
  output_tokens: completion_tokens,
  output_tokens_details: { reasoning_tokens: completion_tokens_details.reasoning_tokens },
  total_tokens,
})
