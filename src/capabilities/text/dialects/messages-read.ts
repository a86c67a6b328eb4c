import type { ChatRequest } from '#contract/chat.js'
import { failField } from '#contract/errors.js'
import type { CountTokensRequest, MessagesRequest, MessageTool } from '#contract/messages.js'
import type { ChatMessage, Tool } from '#contract/text-parts.js'
import { textParts, toChatMessages } from './messages-blocks.js'
import { sameFields } from './same-fields.js'

export const readMessages = (body: MessagesRequest): ChatRequest => ({
  ...readPrompt(body),
  ...sameFields(body, ['temperature', 'top_p', 'top_k', 'stream']),
  // The older field, which is cut to what the model can: these clients send one number for all models.
  max_tokens: body.max_tokens,
  ...(body.stop_sequences?.length && { stop: body.stop_sequences }),
})

/** What counts as prompt: all there is where tokens are only counted. */
export const readPrompt = (body: CountTokensRequest): ChatRequest => {
  const messages = body.messages.flatMap((message, index) => toChatMessages(message, `messages.${index}`))
  if (messages.length === 0) throw failField('messages', 'must have a message that says something')
  return {
    ...sameFields(body, ['model', 'service_parameters']),
    messages: [...systemOf(body), ...messages],
    ...toolsOf(body),
    ...reasoningOf(body),
    ...formatOf(body),
  }
}

const systemOf = ({ system }: CountTokensRequest): ChatMessage[] => {
  const content = typeof system === 'string' ? system : textParts(system ?? [])
  return content.length > 0 ? [{ role: 'system', content }] : []
}

const toolsOf = (body: CountTokensRequest): Pick<ChatRequest, 'tools' | 'tool_choice' | 'parallel_tool_calls'> => {
  const tools = (body.tools ?? []).flatMap(toTool)
  if (tools.length === 0) return {}
  const choice = body.tool_choice
  return {
    tools,
    ...toolChoiceOf(body, tools),
    ...(choice?.disable_parallel_tool_use && { parallel_tool_calls: false }),
  }
}

const toTool = (tool: MessageTool, index: number): Tool[] => {
  const { type, name, description, input_schema: parameters, strict } = tool
  if (type == null || type === 'custom' || parameters) {
    if (name === undefined) throw failField(`tools.${index}.name`, 'is required')
    if (!parameters) throw failField(`tools.${index}.input_schema`, 'is required')
    return [
      {
        type: 'function',
        function: { name, parameters, ...(description && { description }), ...(strict != null && { strict }) },
      },
    ]
  }
  // Other tools are run by a server that has them. Without them the model can still answer.
  return []
}

const toolChoiceOf = ({ tools, tool_choice }: CountTokensRequest, kept: Tool[]): Pick<ChatRequest, 'tool_choice'> => {
  switch (tool_choice?.type) {
    case undefined:
      return {}
    case 'any':
      return { tool_choice: 'required' }
    case 'tool': {
      const { name } = tool_choice
      if (name === undefined) throw failField('tool_choice.name', 'is required when tool_choice.type is tool')
      if (kept.some((tool) => tool.function?.name === name))
        return { tool_choice: { type: 'function', function: { name } } }
      if (tools?.some((tool) => tool.name === name)) return {}
      throw failField('tool_choice.name', 'must be the name of one of the tools')
    }
    default:
      return { tool_choice: tool_choice!.type }
  }
}

/** A budget is no effort, and not every model knows efforts: only on or off is passed on. */
const reasoningOf = ({ thinking }: CountTokensRequest): Pick<ChatRequest, 'reasoning'> =>
  thinking ? { reasoning: { enabled: thinking.type !== 'disabled' } } : {}

const formatOf = ({ output_config }: CountTokensRequest): Pick<ChatRequest, 'response_format'> => {
  const schema = output_config?.format?.schema
  return schema
    ? { response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } } }
    : {}
}
