import type { ChatMessage, ContentPart, ReasoningDetail, TextPart, ToolCall } from '#contract/text-parts.js'
import { EngineError } from '../engine-error.js'
import type { CacheControl, ImageBlock, InputBlock, TextBlock, Turn } from './messages-api.js'

type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>

/** The conversation as Anthropic wants it: system texts apart, and neighbours of one role joined into one turn. */
export const toTurns = (messages: readonly ChatMessage[]): { system: TextBlock[]; turns: Turn[] } => {
  const system: TextBlock[] = []
  const turns: Turn[] = []
  const say = (role: Turn['role'], blocks: InputBlock[]) => {
    const last = turns.at(-1)
    if (blocks.length === 0) return
    if (last?.role === role) last.content.push(...blocks)
    else turns.push({ role, content: blocks })
  }
  for (const message of messages) {
    if (message.role === 'system' || message.role === 'developer') system.push(...toTexts(message.content))
    else if (message.role === 'user') say('user', toUserBlocks(message.content))
    else if (message.role === 'assistant') say('assistant', toAssistantBlocks(message))
    else say('user', [toToolResult(message.tool_call_id, message.content)])
  }
  for (const turn of turns) if (turn.role === 'user') turn.content.sort(byResultsFirst)
  return { system, turns }
}

/** Anthropic wants the results of tools at the start of a turn; the sort keeps the order otherwise. */
const byResultsFirst = (one: InputBlock, other: InputBlock): number =>
  Number(other.type === 'tool_result') - Number(one.type === 'tool_result')

const cached = ({ cache_control }: { cache_control?: CacheControl }) => cache_control && { cache_control }

/** Texts without a word are left out, because Anthropic refuses them. */
const toTexts = (content: string | TextPart[] | null | undefined): TextBlock[] => {
  const parts: Omit<TextPart, 'type'>[] = typeof content === 'string' ? [{ text: content }] : (content ?? [])
  return parts
    .filter(({ text }) => text.trim() !== '')
    .map((part) => ({ type: 'text', text: part.text, ...cached(part) }))
}

const toUserBlocks = (content: string | ContentPart[]): InputBlock[] =>
  typeof content === 'string' ? toTexts(content) : content.flatMap(toUserBlock)

const toUserBlock = (part: ContentPart): InputBlock[] => {
  if (part.type === 'text') return toTexts([part])
  if (part.type === 'image_url') return [{ type: 'image', source: toImageSource(part.image_url.url), ...cached(part) }]
  throw new EngineError('unsupported', `the Messages API has no ${part.type}`, { said: part.type })
}

const toImageSource = (url: string): ImageBlock['source'] => {
  if (!url.startsWith('data:')) return { type: 'url', url }
  const comma = url.indexOf(',')
  const [media_type = '', ...parameters] = url.slice('data:'.length, comma).split(';')
  if (comma === -1 || media_type === '' || parameters.at(-1) !== 'base64')
    throw new EngineError('refused', 'an image is not a base64 data URL', { said: 'an image is not a base64 data URL' })
  return { type: 'base64', media_type, data: url.slice(comma + 1) }
}

const toAssistantBlocks = ({ content, reasoning_details, tool_calls }: AssistantMessage): InputBlock[] => [
  ...(reasoning_details ?? []).flatMap(toThinking),
  ...toTexts(content),
  ...(tool_calls ?? []).map(toToolUse),
]

/** Thoughts go back as they came, signature included; those of other makers mean nothing here. */
const toThinking = ({ type, text, data }: ReasoningDetail): InputBlock[] => {
  if (!data) return []
  if (type === 'thinking') return [{ type, thinking: text ?? '', signature: data }]
  return type === 'redacted_thinking' ? [{ type, data }] : []
}

const toToolUse = ({ id, function: { name, arguments: text } }: ToolCall): InputBlock => ({
  type: 'tool_use',
  id,
  name,
  input: parseArguments(text),
})

const parseArguments = (text: string): unknown => {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {}
  const said = 'the arguments of a tool call are not a JSON object'
  throw new EngineError('refused', said, { said })
}

/** Only the result as a whole can be marked for caching. */
const toToolResult = (tool_use_id: string, content: string | TextPart[]): InputBlock => {
  const texts = toTexts(content)
  const mark = texts.findLast(({ cache_control }) => cache_control)
  return {
    type: 'tool_result',
    tool_use_id,
    content: texts.map(({ type, text }) => ({ type, text })),
    ...(mark && cached(mark)),
  }
}
