import { failField } from '#contract/errors.js'
import type { MessageBlock, MessagesRequest, ResultBlock } from '#contract/messages.js'
import type { ChatMessage, ContentPart, ReasoningDetail, TextPart, ToolCall } from '#contract/text-parts.js'
import { unseal } from './sealed.js'

/** Messages made of blocks, as messages of chat. Only there is the result of a tool a message of its own. */
export const toChatMessages = (
  { role, content }: MessagesRequest['messages'][number],
  field: string,
): ChatMessage[] => {
  if (typeof content === 'string') return [{ role, content }]
  return role === 'user' ? fromUser(content, field) : fromAssistant(content, field)
}

export const textParts = (blocks: { text: string; cache_control?: CacheControl }[]): TextPart[] =>
  blocks.filter(({ text }) => text !== '').map((block) => ({ type: 'text', text: block.text, ...cached(block) }))

type CacheControl = NonNullable<TextPart['cache_control']> | null

const cached = ({ cache_control }: { cache_control?: CacheControl }) => (cache_control ? { cache_control } : {})

const fromUser = (blocks: MessageBlock[], field: string): ChatMessage[] => {
  const results: ChatMessage[] = []
  const parts: ContentPart[] = []
  for (const [index, block] of blocks.entries()) {
    const here = `${field}.content.${index}`
    switch (block.type) {
      case 'tool_result': {
        const { message, attached } = toToolMessage(block, here)
        results.push(message)
        parts.push(...attached)
        break
      }
      case 'tool_use':
      case 'thinking':
      case 'redacted_thinking':
        throw failField(`${here}.type`, `must not be '${block.type}' in a message of the user`)
      default:
        parts.push(...toParts(block, here))
    }
  }
  if (parts.length === 0 && results.length === 0) throw failField(`${field}.content`, 'must not be empty')
  return parts.length > 0 ? [...results, { role: 'user', content: plain(parts) }] : results
}

/** One text without wishes for the cache is told as text, which every engine understands. */
const plain = (parts: ContentPart[]): string | ContentPart[] => {
  const [only] = parts
  return parts.length === 1 && only?.type === 'text' && !only.cache_control ? only.text : parts
}

const toToolMessage = (block: MessageBlock & { type: 'tool_result' }, field: string) => {
  const { content = '', tool_use_id, is_error } = block
  const parts =
    typeof content === 'string'
      ? textParts([{ text: content }])
      : content.flatMap((part, index) => toParts(part, `${field}.content.${index}`))
  const texts = parts.filter((part) => part.type === 'text')
  const attached = parts.filter((part) => part.type !== 'text')
  // Chat has only text in the result of a tool; what else there is comes with the words of the user.
  if (texts.length === 0 && attached.length > 0) texts.push({ type: 'text', text: 'The result is attached below.' })
  const text = texts.map((part) => part.text).join('\n')
  const said = is_error ? `Error: ${text}` : text
  const cache = cached({
    cache_control: block.cache_control ?? texts.findLast((part) => part.cache_control)?.cache_control ?? null,
  })
  const message: ChatMessage = {
    role: 'tool',
    tool_call_id: tool_use_id,
    content: cache.cache_control && said !== '' ? [{ type: 'text', text: said, ...cache }] : said,
  }
  return { message, attached }
}

const toParts = (block: ResultBlock, field: string): ContentPart[] => {
  switch (block.type) {
    case 'text':
      return textParts([block])
    case 'image':
      return [{ type: 'image_url', image_url: { url: urlOf(block.source, `${field}.source`) }, ...cached(block) }]
    case 'document':
      return toDocument(block, field)
    case 'search_result': {
      const said = [block.title, block.source, ...block.content.map(({ text }) => text)].join('\n')
      return textParts([{ ...block, text: said }])
    }
    default:
      return dropForeign(block, field)
  }
}

const toDocument = (block: ResultBlock & { type: 'document' }, field: string): ContentPart[] => {
  const { source, title, context } = block
  const about = textParts([title, context].map((text) => ({ text: text ?? '' })))
  switch (source.type) {
    case 'text':
      return [...about, ...textParts([{ ...block, text: source.data }])]
    case 'content': {
      const { content } = source
      const inner =
        typeof content === 'string'
          ? textParts([{ text: content }])
          : content.flatMap((part, index) => toParts(part, `${field}.source.content.${index}`))
      return [
        ...about,
        ...inner.map((part, index) => (index === inner.length - 1 ? { ...part, ...cached(block) } : part)),
      ]
    }
    default: {
      const file = { file_data: urlOf(source, `${field}.source`), ...(title ? { filename: title } : {}) }
      return [...textParts([{ text: context ?? '' }]), { type: 'file', file, ...cached(block) }]
    }
  }
}

type Source = { type: 'base64'; media_type: string; data: string } | { type: 'url'; url: string }

const urlOf = (source: Source, field: string): string => {
  switch (source.type) {
    case 'base64':
      return `data:${source.media_type};base64,${source.data}`
    case 'url':
      return source.url
    default:
      throw failField(`${field}.type`, `must be base64 or url; '${(source as Source).type}' is not supported`)
  }
}

const fromAssistant = (blocks: MessageBlock[], field: string): ChatMessage[] => {
  const texts: TextPart[] = []
  const calls: ToolCall[] = []
  const details: ReasoningDetail[] = []
  let thoughts = ''
  let thoughtSignature: string | undefined
  for (const [index, block] of blocks.entries()) {
    const here = `${field}.content.${index}`
    switch (block.type) {
      case 'text':
        texts.push(...textParts([block]))
        break
      case 'tool_use':
        calls.push({
          id: block.id,
          type: 'function',
          function: { name: block.name, arguments: JSON.stringify(block.input) },
        })
        break
      case 'thinking':
        thoughts += block.thinking
        if (block.signature) details.push({ type: 'thinking', text: block.thinking, data: block.signature })
        break
      case 'redacted_thinking': {
        const sealed = unseal(block.data) ?? { details: [{ type: block.type, data: block.data }] }
        details.push(...sealed.details)
        thoughtSignature = sealed.thoughtSignature ?? thoughtSignature
        break
      }
      case 'image':
      case 'document':
      case 'search_result':
      case 'tool_result':
        throw failField(`${here}.type`, `must not be '${block.type}' in a message of the assistant`)
      default:
        dropForeign(block, here)
    }
  }
  if (texts.length === 0 && calls.length === 0) return []
  const isCached = texts.some((part) => part.cache_control)
  return [
    {
      role: 'assistant',
      content: texts.length === 0 ? null : isCached ? texts : texts.map(({ text }) => text).join(''),
      ...(thoughts && { reasoning_content: thoughts }),
      ...(details.length > 0 && { reasoning_details: details }),
      ...(thoughtSignature !== undefined && { thought_signature: thoughtSignature }),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
  ]
}

/** Traces of tools that another server ran have no place here, and a conversation must not fail because of them. */
const dropForeign = (block: { type: string }, field: string): [] => {
  const { type } = block
  const isForeign = /_tool_result$|^(server|mcp)_tool_use$|^tool_reference$|^container_upload$/.test(type)
  if (!isForeign) throw failField(`${field}.type`, `'${type.slice(0, 64)}' is not a kind of block that is known here`)
  return []
}
