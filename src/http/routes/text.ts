import { type TSchema, Type } from 'typebox'
import { chatDialect } from '#capabilities/text/dialects/chat.js'
import { ChatCompletion, ChatRequest } from '#contract/chat.js'
import { CompatError, DetailedError, Shared } from '#contract/common.js'
import type { Server } from '../server.js'
import type { TextReply } from '../text-reply.js'

/** A file of 25 MB takes a third more in base64, and there may be several. */
const bodyBytesMax = 64 * 1024 * 1024

/** Answers are finished bytes, so no serialiser is built for them. */
const paid = { access: 'key', isPaid: true } as const
const finished = { bodyLimit: bodyBytesMax, serializerCompiler: () => JSON.stringify } as const

/** What a request for text is answered with: a whole, or a stream of events. */
const wholeOrStream = (whole: TSchema) => ({
  description: 'The answer; with `stream: true` as an event stream',
  content: {
    'application/json': { schema: Shared(whole) },
    'text/event-stream': { schema: Type.String({ description: 'Events; an error is an event, too' }) },
  },
})
const refused = {
  description: 'The request is not valid, the model cannot do it, or the prompt is too long for it',
  anyOf: [Shared(DetailedError), Shared(CompatError)],
}

type Needs = { reply: TextReply }

/** Everything that writes text; each dialect is one line. */
export const textRoutes = (app: Server, { reply: answer }: Needs) => {
  app.post(
    '/chat/completions',
    {
      ...finished,
      config: paid,
      schema: {
        tags: ['Text'],
        summary: 'Continue a conversation',
        description: 'With `stream: true` the answer is an event stream of chunks that ends with `data: [DONE]`.',
        body: Shared(ChatRequest),
        response: { 200: wholeOrStream(ChatCompletion), 400: refused },
      },
    },
    (request, reply) => answer(request, reply, chatDialect),
  )
}
