import { type TSchema, Type } from 'typebox'
import type { CountTokens } from '#capabilities/text/count-tokens.js'
import { chat } from '#capabilities/text/dialects/chat.js'
import { completions } from '#capabilities/text/dialects/completions.js'
import { messages } from '#capabilities/text/dialects/messages.js'
import { messagesError } from '#capabilities/text/dialects/messages-answer.js'
import { readPrompt } from '#capabilities/text/dialects/messages-read.js'
import { responses } from '#capabilities/text/dialects/responses.js'
import { ChatCompletion, ChatRequest } from '#contract/chat.js'
import { Shared } from '#contract/common.js'
import { CompletionRequest, TextCompletion } from '#contract/completions.js'
import { CountTokensRequest, MessagesAnswer, MessagesError, MessagesRequest, TokenCount } from '#contract/messages.js'
import { ResponsesAnswer, ResponsesRequest } from '#contract/responses.js'
import type { Others } from '#limits/others.js'
import { callerOf } from '../access.js'
import { bodyBytesMax, type PaidPost } from '../paid-post.js'
import { refused } from '../refused.js'
import type { Server } from '../server.js'
import type { TextReply } from '../text-reply.js'

/** What clients of Anthropic expect: their own headers for key and request id, their own shape of errors. */
const anthropic = {
  takesApiKeyHeader: true,
  requestIdHeader: 'request-id',
  refusal: { shape: MessagesError, render: messagesError },
} as const

/** What a request for text is answered with: a whole, or a stream of events. */
const wholeOrStream = (whole: TSchema) => ({
  description: 'The answer; with `stream: true` as an event stream',
  content: {
    'application/json': { schema: Shared(whole) },
    'text/event-stream': { schema: Type.String({ description: 'Events; an error is an event, too' }) },
  },
})

type Needs = { paidPost: PaidPost; answer: TextReply; countTokens: CountTokens; others: Others }

/** Everything that writes text. The dialects differ; what happens is the same. */
export const textRoutes = (app: Server, { paidPost, answer, countTokens, others }: Needs) => {
  const schema = (summary: string, body: TSchema, whole: TSchema, more: object = { 400: refused }) => ({
    tags: ['Text'],
    summary,
    body: Shared(body),
    response: { 200: wholeOrStream(whole), ...more },
  })

  const modelType = 'text'

  paidPost('/chat/completions', {
    modelType,
    schema: schema('Continue a conversation', ChatRequest, ChatCompletion),
    answer: (exchange, chosen) => answer(exchange, chosen, chat),
  })
  paidPost('/completions', {
    modelType,
    schema: schema('Continue a text (legacy; use /chat/completions)', CompletionRequest, TextCompletion),
    answer: (exchange, chosen) => answer(exchange, chosen, completions),
  })
  paidPost('/responses', {
    modelType,
    schema: schema(
      'Continue a conversation in the Responses format; nothing is stored',
      ResponsesRequest,
      ResponsesAnswer,
    ),
    answer: (exchange, chosen) => answer(exchange, chosen, responses),
  })
  paidPost('/messages', {
    modelType,
    config: anthropic,
    schema: schema('Continue a conversation in the Anthropic format', MessagesRequest, MessagesAnswer, {}),
    answer: (exchange, chosen) => answer(exchange, chosen, messages),
  })

  app.post(
    '/messages/count_tokens',
    {
      bodyLimit: bodyBytesMax,
      config: { access: 'key', ...anthropic },
      schema: {
        tags: ['Text'],
        summary: 'About how many tokens a prompt will be; free',
        body: Shared(CountTokensRequest),
        response: {
          200: Shared(TokenCount),
          403: { description: 'The key may not use this model', ...Shared(MessagesError) },
          404: { description: 'There is no such model', ...Shared(MessagesError) },
          410: { description: 'The model was retired', ...Shared(MessagesError) },
        },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const { tokens, headers } = countTokens(caller, readPrompt(request.body as CountTokensRequest))
      // Nobody pays for it, but counting is work as well.
      return reply.headers({ ...headers, ...others.spend(caller, tokens) }).send({ input_tokens: tokens })
    },
  )
}
