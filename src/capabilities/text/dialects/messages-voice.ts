import type { MessagesRequest, MessageUsage } from '#contract/messages.js'
import type { TokenUsage } from '#engines/text.js'
import type { Opening, Voice } from '../dialect.js'
import { type Block, createBlocks, emptied } from './blocks.js'
import { contentOf, headOf, messagesError, stopOf, usageOf } from './messages-answer.js'

export const createMessagesVoice = (opening: Opening, body: MessagesRequest): Voice => {
  let hasStarted = false
  let index = -1
  let finishReason: string | undefined
  let stopReason: string | number | null | undefined

  const blocks = createBlocks(
    {
      opened(block) {
        index++
        return event({ type: 'content_block_start', index, content_block: contentOf(emptied(block)) })
      },
      added: (block, text) => event({ type: 'content_block_delta', index, delta: deltaOf(block, text) }),
      closed(block) {
        const signature =
          block.kind === 'reasoning' && block.signature !== ''
            ? event({
                type: 'content_block_delta',
                index,
                delta: { type: 'signature_delta', signature: block.signature },
              })
            : ''
        return signature + event({ type: 'content_block_stop', index })
      },
    },
    (call) => `call_${opening.requestId}_${call}`,
  )

  /** Clients take the size of the prompt from the first event, so it has to be real, or close to it. */
  const start = (usage?: TokenUsage) => {
    if (hasStarted) return ''
    hasStarted = true
    const message = {
      ...headOf(opening),
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: usage ? startingUsage(usage) : estimatedUsage(opening),
    }
    return event({ type: 'message_start', message })
  }

  return {
    piece({ chunk, usage }) {
      let text = start(usage)
      for (const choice of chunk.choices) {
        if (choice.index !== 0) continue
        text += blocks.add(choice.delta, choice.logprobs?.content ?? [])
        finishReason = choice.finish_reason ?? finishReason
        stopReason = choice.stop_reason ?? stopReason
      }
      return text
    },
    end({ usage }) {
      const told = start() + blocks.finish()
      const delta = stopOf({ finishReason, stopReason, hasCalls: blocks.hasCalls }, body)
      return told + event({ type: 'message_delta', delta, usage: usageOf(usage) }) + event({ type: 'message_stop' })
    },
    failed: (failure) => event(messagesError(failure, opening.requestId)),
  }
}

const event = (data: { type: string; [more: string]: unknown }) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`

const deltaOf = ({ kind }: Block, text: string) => {
  switch (kind) {
    case 'reasoning':
      return { type: 'thinking_delta', thinking: text }
    case 'call':
      return { type: 'input_json_delta', partial_json: text }
    default:
      return { type: 'text_delta', text }
  }
}

const startingUsage = ({ fresh, cacheRead, cacheWrite, completion }: TokenUsage): MessageUsage => ({
  input_tokens: fresh,
  cache_read_input_tokens: cacheRead,
  cache_creation_input_tokens: cacheWrite,
  output_tokens: completion,
})

const estimatedUsage = (opening: Opening): MessageUsage => ({
  input_tokens: opening.estimatePromptTokens(),
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  output_tokens: 0,
})
