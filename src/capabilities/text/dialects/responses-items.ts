import { failField } from '#contract/errors.js'
import type { ResponsesItem, ResponsesPart } from '#contract/responses.js'
import type { ChatMessage, ContentPart, ReasoningDetail, TextPart, ToolCall } from '#contract/text-parts.js'
import { unseal } from './sealed.js'

/** What one turn of the assistant says, calls and thought; items tell it apart, chat puts it into one message. */
type Turn = {
  text: string
  calls: ToolCall[]
  thoughts: string[]
  details: ReasoningDetail[]
  thoughtSignature?: string
}

/** Items, as messages of chat. */
export const toChatMessages = (items: ResponsesItem[]): ChatMessage[] => {
  const messages: ChatMessage[] = []
  let turn = newTurn()
  /** Images that tools returned: chat has only text in the result of a tool, so they follow as words of the user. */
  let attached: ContentPart[] = []

  const endTurn = () => {
    messages.push(...toAssistant(turn))
    turn = newTurn()
  }
  const endResults = () => {
    if (attached.length > 0) messages.push({ role: 'user', content: attached })
    attached = []
  }

  for (const [index, item] of items.entries()) {
    const field = `input.${index}`
    if (item.type !== 'function_call_output') endResults()
    switch (item.type) {
      case undefined:
      case 'message':
        if (item.role === 'assistant') {
          const text = assistantText(item.content, `${field}.content`)
          // Two messages in a row stay two, unless calls are between them: those wait for their results.
          if (turn.text !== '' && turn.calls.length === 0) endTurn()
          turn.text += text
        } else {
          endTurn()
          messages.push(toMessage(item.role, item.content, `${field}.content`))
        }
        break
      case 'reasoning':
        if (turn.text !== '' || turn.calls.length > 0) endTurn()
        addReasoning(turn, item)
        break
      case 'function_call':
        turn.calls.push({
          id: item.call_id,
          type: 'function',
          function: { name: item.name, arguments: item.arguments },
        })
        break
      case 'function_call_output': {
        endTurn()
        const { text, others } = toResult(item.output, `${field}.output`)
        messages.push({ role: 'tool', tool_call_id: item.call_id, content: text })
        attached.push(...others)
        break
      }
      default:
        dropForeign(item, field)
    }
  }
  endTurn()
  endResults()
  return messages
}

const newTurn = (): Turn => ({ text: '', calls: [], thoughts: [], details: [] })

const toAssistant = ({ text, calls, thoughts, details, thoughtSignature }: Turn): ChatMessage[] => {
  if (text === '' && calls.length === 0) return []
  return [
    {
      role: 'assistant',
      content: text === '' ? null : text,
      ...(thoughts.length > 0 && { reasoning_content: thoughts.join('\n\n') }),
      ...(details.length > 0 && { reasoning_details: details }),
      ...(thoughtSignature !== undefined && { thought_signature: thoughtSignature }),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
  ]
}

const addReasoning = (
  turn: Turn,
  { id, summary, content, encrypted_content }: ResponsesItem & { type: 'reasoning' },
) => {
  const said = [content ?? []].flat()
  for (const part of said.length > 0 ? said : (summary ?? [])) {
    const text = typeof part === 'string' ? part : part.text
    if (text !== '') turn.thoughts.push(text)
  }
  if (!encrypted_content) return
  const sealed = unseal(encrypted_content)
  if (!sealed) turn.details.push({ type: 'reasoning.encrypted', data: encrypted_content, ...(id && { id }) })
  else {
    turn.details.push(...sealed.details)
    if (sealed.thoughtSignature !== undefined) turn.thoughtSignature = sealed.thoughtSignature
  }
}

const assistantText = (content: string | ResponsesPart[], field: string): string =>
  typeof content === 'string' ? content : textsOf(content, field, 'assistant').join('')

const toMessage = (
  role: 'user' | 'system' | 'developer',
  content: string | ResponsesPart[],
  field: string,
): ChatMessage => {
  if (typeof content === 'string') return { role, content }
  if (role !== 'user') return { role, content: textsOf(content, field, role).join('\n') }
  const parts = content.flatMap((part, index) => toPart(part, `${field}.${index}`))
  if (parts.length === 0) throw failField(field, 'must not be empty')
  const [only] = parts
  return { role, content: parts.length === 1 && only?.type === 'text' ? only.text : parts }
}

const textsOf = (content: ResponsesPart[], field: string, role: string): string[] =>
  content
    .flatMap((part, index) => toPart(part, `${field}.${index}`))
    .map((part) => {
      if (part.type !== 'text') throw failField(field, `must be only text in a message of the ${role}`)
      return part.text
    })

const textPart = (text: string): TextPart[] => (text === '' ? [] : [{ type: 'text', text }])

const toPart = (part: ResponsesPart, field: string): ContentPart[] => {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return textPart(part.text)
    case 'refusal':
      return textPart(part.refusal)
    case 'input_image':
    case 'image_url': {
      const image = typeof part.image_url === 'string' ? { url: part.image_url } : part.image_url
      if (!image)
        throw failField(`${field}.image_url`, 'is required; files that were uploaded elsewhere cannot be found here')
      return [{ type: 'image_url', image_url: { ...(part.detail && { detail: part.detail }), ...image } }]
    }
    case 'input_file': {
      const data = part.file_data || part.file_url
      if (!data)
        throw failField(
          `${field}.file_data`,
          'or file_url is required; files that were uploaded elsewhere cannot be found here',
        )
      return [{ type: 'file', file: { file_data: data, ...(part.filename && { filename: part.filename }) } }]
    }
    case 'input_audio':
      return [{ type: 'input_audio', input_audio: part.input_audio }]
    default:
      throw failField(`${field}.type`, `'${nameOf(part)}' is not a kind of content that is known here`)
  }
}

/** Tools return text, parts, or any JSON. */
const toResult = (output: unknown, field: string): { text: string; others: ContentPart[] } => {
  if (typeof output === 'string') return { text: output, others: [] }
  if (!Array.isArray(output) || !output.every(isPart)) return { text: JSON.stringify(output), others: [] }
  const parts = output.flatMap((part, index) => toPart(part, `${field}.${index}`))
  const texts = parts.filter((part) => part.type === 'text').map((part) => part.text)
  const others = parts.filter((part) => part.type !== 'text')
  return { text: texts.length === 0 && others.length > 0 ? 'The result is attached below.' : texts.join('\n'), others }
}

/** Outputs are not checked by the schema, because anything may be in them. */
const isPart = (value: unknown): value is ResponsesPart => {
  const { type, text, image_url: image, file_data: data, file_url: url, filename } = Object(value)
  const isText = (field: unknown) => typeof field === 'string'
  const isMaybeText = (field: unknown) => field == null || isText(field)
  if (type === 'input_text' || type === 'output_text') return isText(text)
  if (type === 'input_image') return (isText(image) && image !== '') || (isText(Object(image).url) && image.url !== '')
  return type === 'input_file' && [data, url, filename].every(isMaybeText)
}

/** Traces of tools that another server ran have no place here, and a conversation must not fail because of them. */
const dropForeign = (item: object, field: string) => {
  const type = nameOf(item)
  if (type === 'item_reference')
    throw failField(`${field}.type`, 'must not be item_reference: nothing is kept between calls, send the item itself')
  if (!/^(web_search|file_search|code_interpreter|image_generation|mcp)_call$|^mcp_/.test(type))
    throw failField(`${field}.type`, `'${type}' is not a kind of item that is known here`)
}

const nameOf = (value: object) => String((value as { type?: unknown }).type).slice(0, 64)
