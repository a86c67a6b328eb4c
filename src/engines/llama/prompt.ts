import type { LlamaModel, Token } from 'node-llama-cpp'
import type { ChatMessage, FunctionTool } from '#contract/text-parts.js'
import { EngineError } from '../engine-error.js'
import type { EngineRequest } from '../text.js'
import type { ChatTemplate } from './native.js'

/** A message as chat templates know it: plain text, and arguments as objects. */
type TemplateMessage = { role: string; content: string; [more: string]: unknown }

type Needs = {
  model: LlamaModel
  template: ChatTemplate
  /** Whether the template has a place for tools; otherwise they are told in words. */
  rendersTools: boolean
  /** Whether the model thinks aloud, but only when it is told to. */
  thinksWhenTold: boolean
  contextTokens: number
}

export type Prompt = { tokens: Token[]; text: string }

/** Renders requests with the chat template that the model brings along. */
export const createPromptWriter = (needs: Needs) => {
  const { model, template, rendersTools, thinksWhenTold, contextTokens } = needs

  const render = (messages: TemplateMessage[], tools: FunctionTool[], isThinkingOff: boolean): string =>
    template.render({
      messages,
      ...(tools.length > 0 && { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
      add_generation_prompt: true,
      bos_token: model.tokens.bosString ?? '',
      eos_token: model.tokens.eosString ?? '',
      ...(isThinkingOff && { enable_thinking: false }),
    })

  const tokenize = (text: string, contents: string[], renderMarked: () => string): Token[] => {
    const isControl = (token: Token) => model.isSpecialToken(token)
    if (!contents.some((content) => model.tokenize(content, true).some(isControl))) return model.tokenize(text, true)
    // Somebody wrote the model's own control tokens, such as the end of a turn, into a message. There they are text.
    const pieces = renderMarked().split(mark)
    const texts = [contents, contents.map((content) => content.trim())].find(
      (candidates) => pieces.map((piece, at) => (at % 2 === 0 ? piece : candidates[Number(piece)])).join('') === text,
    )
    if (texts === undefined) throw refused('a message contains control tokens of the model')
    return pieces.flatMap((piece, at) =>
      at % 2 === 0 ? model.tokenize(piece, true) : model.tokenize(texts[Number(piece)] ?? '', false),
    )
  }

  return (request: EngineRequest, tools: FunctionTool[]): Prompt => {
    const told = rendersTools || tools.length === 0 ? undefined : describeTools(tools)
    let messages = addToSystem(request.messages.map(toTemplateMessage(request.messages)), [
      told,
      thinksWhenTold && asksToThink(request)
        ? 'Think step by step inside <think></think> before you answer.'
        : undefined,
      describeFormat(request),
    ])
    if (!rendersTools) messages = messages.map(tellInWords)
    const asked = rendersTools ? tools : []
    const isThinkingOff = request.reasoning?.enabled === false || request.reasoning_effort === 'none'

    // 64 characters per token are more than any text has, so this is too long without looking at each of them.
    const characters = messages.reduce((sum, { content }) => sum + content.length, 0)
    if (characters > contextTokens * 64) throw tooLong()

    let text: string
    try {
      text = render(messages, asked, isThinkingOff)
    } catch {
      // Some templates refuse system messages, or two messages in a row from the same side.
      messages = simplify(messages)
      try {
        text = render(messages, asked, isThinkingOff)
      } catch (cause) {
        throw refused('the chat template of the model does not accept this order of messages', cause)
      }
    }
    const contents = messages.map(({ content }) => content)
    const marked = () =>
      render(
        messages.map((message, at) => (message.content === '' ? message : { ...message, content: mark + at + mark })),
        asked,
        isThinkingOff,
      )
    const tokens = tokenize(text, contents, marked)
    const { bos, shouldPrependBosToken } = model.tokens
    if (shouldPrependBosToken && bos !== null && tokens[0] !== bos) tokens.unshift(bos)
    if (tokens.length >= contextTokens) throw tooLong()
    return { tokens, text }
  }
}

/** From the private use area: no template looks for it. */
const mark = '\uE0F7'

const tooLong = () => new EngineError('tooLong', 'the prompt does not fit the context of the model')
const refused = (said: string, cause?: unknown) => new EngineError('refused', said, { said, cause })

const flatten = (content: ChatMessage['content']): string => {
  if (content === undefined || content === null) return ''
  if (typeof content === 'string') return content
  return content
    .map((part) => {
      if (part.type === 'text') return part.text
      throw new EngineError('unsupported', `content of type ${part.type}`, { said: `content of type ${part.type}` })
    })
    .join('\n')
}

const toTemplateMessage =
  (all: readonly ChatMessage[]) =>
  (message: ChatMessage): TemplateMessage => {
    const content = flatten(message.content)
    if (message.role === 'developer') return { role: 'system', content }
    if (message.role === 'tool') {
      const { tool_call_id } = message
      const name = message.name ?? findCall(all, tool_call_id)?.function.name
      return { role: 'tool', content, tool_call_id, ...(name !== undefined && { name }) }
    }
    if (message.role !== 'assistant') return { role: message.role, content }
    const { tool_calls, reasoning_content } = message
    return {
      role: 'assistant',
      content,
      ...(reasoning_content && { reasoning_content }),
      ...(tool_calls?.length && {
        tool_calls: tool_calls.map(({ id, function: { name, arguments: text } }) => ({
          id,
          type: 'function',
          function: { name, arguments: parseOrKeep(text) },
        })),
      }),
    }
  }

const findCall = (messages: readonly ChatMessage[], id: string) =>
  messages
    .flatMap((message) => (message.role === 'assistant' ? (message.tool_calls ?? []) : []))
    .find((call) => call.id === id)

const parseOrKeep = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const addToSystem = (messages: TemplateMessage[], additions: (string | undefined)[]): TemplateMessage[] => {
  const text = additions.filter((addition) => addition !== undefined).join('\n\n')
  if (text === '') return messages
  const [first, ...rest] = messages
  if (first?.role !== 'system') return [{ role: 'system', content: text }, ...messages]
  return [{ ...first, content: `${first.content}\n\n${text}` }, ...rest]
}

const asksToThink = ({ reasoning, reasoning_effort }: EngineRequest): boolean => {
  const effort = reasoning_effort ?? reasoning?.effort ?? 'none'
  return reasoning?.enabled !== false && (reasoning?.enabled === true || effort !== 'none')
}

/** The grammar alone would force the form, but the model should also know what it is asked for. */
const describeFormat = ({ response_format }: EngineRequest): string | undefined => {
  if (response_format?.type === 'json_object') return 'Respond only with JSON.'
  if (response_format?.type !== 'json_schema') return undefined
  return `Respond only with JSON that matches this schema:\n${JSON.stringify(schemaOf(response_format))}`
}

/** `{name, strict, schema}`, or the schema itself. */
export const schemaOf = ({ json_schema = {} }: { json_schema?: Record<string, unknown> }): unknown =>
  typeof json_schema.schema === 'object' && json_schema.schema !== null ? json_schema.schema : json_schema

const describeTools = (tools: FunctionTool[]): string =>
  `You can call these tools:\n<tools>\n${tools
    .map((tool) => JSON.stringify({ type: 'function', function: tool }))
    .join(
      '\n',
    )}\n</tools>\nWhen a tool is needed, reply only with <tool_call>{"name": "tool", "arguments": {}}</tool_call>.`

/** Calls and results for a template that knows neither. */
const tellInWords = ({ tool_calls, ...message }: TemplateMessage): TemplateMessage => {
  if (message.role === 'tool') return { role: 'user', content: `<tool_response>\n${message.content}\n</tool_response>` }
  if (!Array.isArray(tool_calls)) return message
  const calls = tool_calls.map(({ function: call }) => `<tool_call>${JSON.stringify(call)}</tool_call>`)
  return { ...message, content: [message.content, ...calls].filter((text) => text !== '').join('\n') }
}

/** System messages become part of what the user says, and neighbours of the same side become one. */
const simplify = (messages: TemplateMessage[]): TemplateMessage[] => {
  const simple: TemplateMessage[] = []
  for (const message of messages) {
    const next = message.role === 'system' ? { ...message, role: 'user' } : message
    const last = simple.at(-1)
    if (last?.role === next.role && next.role === 'user') last.content += `\n\n${next.content}`
    else simple.push({ ...next })
  }
  return simple
}
