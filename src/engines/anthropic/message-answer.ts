import type { ReasoningDetail } from '#contract/text-parts.js'
import { EngineError } from '../engine-error.js'
import type { AnswerToolCall, TextAnswer } from '../text.js'
import { toEnding, toUsage } from './ending.js'
import type { Message } from './messages-api.js'

/**
 * A whole message of Anthropic as an answer in the language of chat. A call of a tool is an answer in JSON when the caller
 * has no tools, for then the tool is our own.
 */
export const toAnswer = (body: unknown, { hasTools }: { hasTools: boolean }): TextAnswer => {
  if (!isMessage(body)) throw new EngineError('broken', 'what the upstream answered is not a message')
  const texts: string[] = []
  const thoughts: string[] = []
  const details: ReasoningDetail[] = []
  const calls: AnswerToolCall[] = []
  for (const [index, block] of body.content.entries()) {
    if (block.type === 'text') texts.push(block.text)
    else if (block.type === 'thinking') {
      thoughts.push(block.thinking)
      details.push(toDetail(block.thinking, block.signature, index))
    } else if (block.type === 'redacted_thinking') details.push({ type: block.type, data: block.data, index })
    else if (block.type === 'tool_use') {
      const text = JSON.stringify(block.input)
      if (!hasTools) texts.push(text)
      else calls.push({ id: block.id, type: 'function', function: { name: block.name, arguments: text } })
    }
  }
  return {
    choices: [
      {
        index: 0,
        ...toEnding(body, calls.length > 0),
        message: {
          role: 'assistant',
          content: texts.length === 0 && calls.length > 0 ? null : texts.join(''),
          ...(thoughts.length > 0 && { reasoning_content: thoughts.join('') }),
          ...(details.length > 0 && { reasoning_details: details }),
          ...(calls.length > 0 && { tool_calls: calls }),
        },
      },
    ],
    usage: body.usage && toUsage(body.usage),
  }
}

/** A thought with what is needed to send it back. */
export const toDetail = (text: string, signature: string | undefined, index: number): ReasoningDetail => ({
  type: 'thinking',
  text,
  ...(signature && { data: signature }),
  index,
})

const isMessage = (body: unknown): body is Message =>
  typeof body === 'object' && body !== null && Array.isArray((body as Partial<Message>).content)
