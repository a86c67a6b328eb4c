import type { ServerSentEvent } from '#plumbing/event-stream.js'
import type { TextCall, TextEngine, TextPiece } from '../text.js'
import type { UpstreamClient } from '../upstream/client.js'
import { toAnswer } from './message-answer.js'
import { createStreamReader } from './message-stream.js'
import { toMessagesRequest } from './messages-request.js'

const path = '/v1/messages'
const headers = { 'anthropic-version': '2023-06-01' }

type Client = Pick<UpstreamClient, 'postForJson' | 'postForEvents' | 'errorFromEvent'>

/** What a client for this engine must send with every request, for Anthropic does not read bearer tokens. */
export const anthropicCredentials = (apiKey: string): Record<string, string> => ({ 'x-api-key': apiKey })

/** Text from the Messages API of Anthropic, or of whoever speaks it. */
export const createAnthropicText = (client: Client): TextEngine => ({
  async answer(call) {
    const body = JSON.stringify(toMessagesRequest(call))
    const message = await client.postForJson(path, body, { signal: call.signal, headers })
    return toAnswer(message, { hasTools: hasTools(call) })
  },

  async *stream(call) {
    const body = JSON.stringify({ ...toMessagesRequest(call), stream: true })
    const read = createStreamReader({ errorFromEvent: client.errorFromEvent, hasTools: hasTools(call) })
    for await (const events of client.postForEvents(path, body, { signal: call.signal, headers, isLast })) {
      const pieces: TextPiece[] = []
      try {
        for (const { data } of events) {
          const piece = read(data)
          if (piece) pieces.push(piece)
        }
      } catch (error) {
        // What was written before the error still counts.
        if (pieces.length > 0) yield pieces
        throw error
      }
      if (pieces.length > 0) yield pieces
    }
  },
})

const hasTools = ({ request }: TextCall): boolean => (request.tools ?? []).length > 0

const isLast = ({ event }: ServerSentEvent): boolean => event === 'message_stop'
