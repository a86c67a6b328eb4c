import type { CatalogModelOfType } from '#catalog/catalog.js'
import type { ChatRequest } from '#contract/chat.js'
import { fail, failField } from '#contract/errors.js'
import type { TextCapabilities } from '#contract/model-parts.js'
import type { ContentPart } from '#contract/text-parts.js'

type TextModel = CatalogModelOfType<'text'>

/** Refuses what the model cannot do and what does not fit together, before anything is fetched, held or asked. */
export const checkFeatures = (request: ChatRequest, model: TextModel) => {
  checkMessages(request, model)
  checkTools(request, model)
  const { capabilities } = model
  if (request.response_format?.type === 'json_schema') {
    if (!request.response_format.json_schema)
      throw failField('response_format', 'needs json_schema when its type is json_schema')
    need(capabilities, 'supportsResponseSchema', model, 'response_format of type json_schema')
  }
  if (request.logprobs) need(capabilities, 'supportsLogProbs', model, 'logprobs')
  else if (typeof request.top_logprobs === 'number') throw failField('top_logprobs', 'needs logprobs: true')
  checkReasoning(request, model)
  const { max_completion_tokens: asked } = request
  const most = model.maxCompletionTokens ?? Number.POSITIVE_INFINITY
  if (typeof asked === 'number' && asked > most)
    throw failField('max_completion_tokens', `must be at most ${most}, the longest answer of '${model.id}'`)
}

const need = (capabilities: TextCapabilities, flag: keyof TextCapabilities, { id }: TextModel, what: string) => {
  if (!capabilities[flag]) throw fail('unsupportedFeature', what, `the model '${id}' does not have it (${flag})`)
}

const partNeeds: Partial<Record<ContentPart['type'], keyof TextCapabilities>> = {
  image_url: 'supportsVision',
  input_audio: 'supportsAudioInput',
  video_url: 'supportsVideoInput',
}

const checkMessages = ({ messages }: ChatRequest, model: TextModel) => {
  messages.forEach((message, index) => {
    if (message.role === 'assistant' && !message.content && !message.tool_calls?.length && !message.reasoning_content)
      throw failField(`messages.${index}`, 'must have content or tool_calls')
    if (message.role !== 'user' || typeof message.content === 'string') return
    message.content.forEach((part, place) => {
      const flag = partNeeds[part.type]
      if (flag) need(model.capabilities, flag, model, `messages.${index}.content.${place} of type ${part.type}`)
    })
  })
}

const nativeTools: Record<string, keyof TextCapabilities> = {
  web_search: 'supportsWebSearch',
  x_search: 'supportsXSearch',
}

const checkTools = ({ tools, tool_choice: choice }: ChatRequest, model: TextModel) => {
  for (const [index, tool] of (tools ?? []).entries()) {
    const native = nativeTools[tool.type]
    if (native === undefined && (tool.type !== 'function' || !tool.function))
      throw failField(`tools.${index}`, "must be of type 'function' and have function")
    if (native) need(model.capabilities, native, model, `tools.${index} of type ${tool.type}`)
    else need(model.capabilities, 'supportsFunctionCalling', model, 'tools')
  }
  if (choice === undefined || choice === null || choice === 'none') return
  if (typeof choice === 'string') {
    if (choice !== 'auto' && choice !== 'required')
      throw failField('tool_choice', 'must be none, auto, required or a function')
    if (choice === 'required' && !tools?.length) throw failField('tool_choice', 'is required, but there are no tools')
    return
  }
  const { name } = choice.function
  if (!tools?.some((tool) => tool.function?.name === name))
    throw failField('tool_choice', `names the function '${name}', which is not among the tools`)
}

const checkReasoning = ({ reasoning, reasoning_effort: effort }: ChatRequest, { id, capabilities }: TextModel) => {
  const asked = effort ?? reasoning?.effort
  if (!asked || reasoning?.enabled === false) return
  const field = effort ? 'reasoning_effort' : 'reasoning.effort'
  if (!capabilities.supportsReasoningEffort)
    throw fail('unsupportedFeature', field, `the model '${id}' does not have it (supportsReasoningEffort)`)
  const options = capabilities.reasoningEffortOptions
  if (options && !options.includes(asked))
    throw fail('unsupportedFeature', field, `the model '${id}' knows ${options.join(', ')}, not ${asked}`)
}
