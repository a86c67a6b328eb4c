import type { ChatRequest } from '#contract/chat.js'
import { failField } from '#contract/errors.js'
import { type ResponsesRequest, type ResponsesTool, responsesParameters } from '#contract/responses.js'
import type { ChatMessage, FunctionTool, Tool } from '#contract/text-parts.js'
import { toChatMessages } from './responses-items.js'
import { sameFields } from './same-fields.js'

export const readResponses = (body: ResponsesRequest): ChatRequest => {
  refuseWhatNeedsMemory(body)
  return {
    ...sameFields(body, ['model', 'temperature', 'top_p', 'stream', 'reasoning', 'fallbacks']),
    messages: messagesOf(body),
    ...(body.max_output_tokens != null && { max_completion_tokens: body.max_output_tokens }),
    ...toolsOf(body),
    ...formatOf(body),
    ...logprobsOf(body),
    ...parametersOf(body),
  }
}

const refuseWhatNeedsMemory = (body: ResponsesRequest) => {
  const advice = 'is not supported: nothing is kept between calls; send the whole conversation as input'
  for (const field of ['previous_response_id', 'conversation'] as const)
    if (body[field] != null) throw failField(field, advice)
  if (body.background) throw failField('background', 'is not supported: send stream instead')
}

const messagesOf = ({ input, instructions }: ResponsesRequest): ChatMessage[] => {
  const said: ChatMessage[] = typeof input === 'string' ? [{ role: 'user', content: input }] : toChatMessages(input)
  if (said.length === 0) throw failField('input', 'must have a message')
  return instructions ? [{ role: 'system', content: instructions }, ...said] : said
}

/** The tools that are used, as functions in one form; also told in the answer, so that a caller sees what was left out. */
export const keptTools = ({ tools }: ResponsesRequest): Tool[] =>
  (tools ?? []).flatMap((tool, index): Tool[] => {
    if (tool.type === 'function') return [{ type: 'function', function: functionOf(tool, index) }]
    if (tool.type.startsWith('web_search')) return [{ type: 'web_search' }]
    // Other tools are run by a server that has them. Without them the model can still answer.
    return tool.type === 'x_search' ? [{ type: 'x_search' }] : []
  })

const functionOf = ({ name, function: nested, ...flat }: ResponsesTool, index: number): FunctionTool => {
  if (nested) return nested
  if (name === undefined) throw failField(`tools.${index}.name`, 'is required')
  return { name, ...sameFields(flat, ['description', 'parameters', 'strict']) }
}

const toolsOf = (body: ResponsesRequest): Pick<ChatRequest, 'tools' | 'tool_choice' | 'parallel_tool_calls'> => {
  const tools = keptTools(body)
  const choice = toolChoiceOf(body, tools)
  if (tools.length === 0) return {}
  return { tools, ...(choice !== undefined && { tool_choice: choice }), ...sameFields(body, ['parallel_tool_calls']) }
}

const toolChoiceOf = ({ tool_choice: choice }: ResponsesRequest, tools: Tool[]): ChatRequest['tool_choice'] => {
  if (choice == null) return undefined
  if (typeof choice === 'string') {
    if (!['none', 'auto', 'required'].includes(choice))
      throw failField('tool_choice', 'must be none, auto, required or the function to call')
    return choice
  }
  const name = choice.function?.name ?? choice.name
  if (choice.type !== 'function' || name === undefined)
    throw failField('tool_choice', 'must be none, auto, required or the function to call')
  if (!tools.some((tool) => tool.function?.name === name))
    throw failField('tool_choice', 'must name a function that is one of the tools')
  return { type: 'function', function: { name } }
}

const formatOf = ({ text }: ResponsesRequest): Pick<ChatRequest, 'response_format' | 'verbosity'> => {
  const format = text?.format
  const verbosity = text?.verbosity ? { verbosity: text.verbosity } : {}
  if (format?.type !== 'json_schema') return { ...verbosity, ...(format && { response_format: { type: format.type } }) }
  if (!format.schema) throw failField('text.format.schema', 'is required when text.format.type is json_schema')
  const { name = 'answer', schema, strict, description } = format
  return {
    ...verbosity,
    response_format: {
      type: 'json_schema',
      json_schema: { name, schema, ...(strict != null && { strict }), ...(description && { description }) },
    },
  }
}

const logprobsOf = ({
  include,
  top_logprobs: top,
}: ResponsesRequest): Pick<ChatRequest, 'logprobs' | 'top_logprobs'> =>
  include?.includes('message.output_text.logprobs') ? { logprobs: true, ...(top != null && { top_logprobs: top }) } : {}

const parametersOf = ({
  service_parameters: sent,
  web_search: search,
}: ResponsesRequest): Pick<ChatRequest, 'service_parameters'> => {
  const parameters = sameFields(sent ?? {}, responsesParameters)
  if (search != null) parameters.enable_web_search ??= search ? 'on' : 'off'
  return Object.keys(parameters).length > 0 ? { service_parameters: parameters } : {}
}
