import type { Tool } from '#contract/text-parts.js'
import { EngineError } from '../engine-error.js'
import type { EngineRequest } from '../text.js'
import type { CacheControl, MessagesRequest, MessagesTool, ToolChoice } from './messages-api.js'

/** JSON of a schema is got as the arguments of this tool. Its call is not the caller's business: they become content. */
const jsonToolName = 'answer_in_json'

export type Tools = Pick<MessagesRequest, 'tools' | 'tool_choice'> & {
  /** Added to the system prompt. */
  instruction?: string
}

/** Anthropic's `cache_control` is not in the contract of tools, but passes as every field does that nobody knows. */
type MarkedTool = Tool & { cache_control?: CacheControl }

export const toTools = ({ tools, tool_choice, parallel_tool_calls, response_format }: EngineRequest): Tools => {
  const schema = response_format?.type === 'json_schema' ? schemaIn(response_format.json_schema) : undefined
  const mayCallTools = tools && tools.length > 0
  if (schema?.type === 'object' && !mayCallTools)
    return {
      tools: [{ name: jsonToolName, description: 'Gives the answer to the user.', input_schema: schema }],
      tool_choice: { type: 'tool', name: jsonToolName, disable_parallel_tool_use: true },
    }
  return {
    ...(mayCallTools && {
      tools: tools.map(toTool),
      ...toChoice(tool_choice, parallel_tool_calls === false),
    }),
    ...(response_format && response_format.type !== 'text' && { instruction: instructionFor(schema) }),
  }
}

const toTool = (tool: MarkedTool): MessagesTool => {
  const { type, function: declared, cache_control } = tool
  if (type !== 'function' || declared === undefined)
    throw new EngineError('unsupported', 'the Messages API has only tools of the type function', {
      said: `tools.${type}`,
    })
  return {
    name: declared.name,
    ...(declared.description && { description: declared.description }),
    input_schema: { type: 'object', ...declared.parameters },
    ...(cache_control && { cache_control }),
  }
}

const toChoice = (asked: EngineRequest['tool_choice'], isOneAtATime: boolean): { tool_choice?: ToolChoice } => {
  const one = isOneAtATime ? { disable_parallel_tool_use: true as const } : {}
  if (asked === 'none') return { tool_choice: { type: 'none' } }
  if (asked === 'required') return { tool_choice: { type: 'any', ...one } }
  if (asked && typeof asked === 'object') return { tool_choice: { type: 'tool', name: asked.function.name, ...one } }
  return isOneAtATime ? { tool_choice: { type: 'auto', ...one } } : {}
}

/** `{name, strict, schema}`, or the schema itself. */
const schemaIn = (given: Record<string, unknown> | undefined): Record<string, unknown> | undefined => {
  const inner = given?.schema
  return typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : given
}

const instructionFor = (schema: object | undefined): string => {
  const plain = 'Your answer to the user must be JSON only, without any text around it and without a code fence.'
  return schema === undefined ? plain : `${plain} It must match this JSON schema: ${JSON.stringify(schema)}`
}
