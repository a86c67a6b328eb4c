import type { CatalogModelOfType } from '#catalog/catalog.js'
import type { ChatRequest, ServiceParametersEcho } from '#contract/chat.js'
import type { ChatMessage, TextPart } from '#contract/text-parts.js'
import type { EngineRequest } from '#engines/text.js'

/** The service's own words go before the caller's, in one system message: some models accept only one. */
export const withSystemPrompt = (messages: ChatMessage[], prompt: string): ChatMessage[] => {
  if (prompt === '') return messages
  const [first, ...rest] = messages
  if (first?.role !== 'system' && first?.role !== 'developer') return [{ role: 'system', content: prompt }, ...messages]
  const content =
    typeof first.content === 'string'
      ? `${prompt}\n\n${first.content}`
      : [{ type: 'text', text: prompt } satisfies TextPart, ...first.content]
  return [{ ...first, content }, ...rest]
}

/**
 * What an engine is sent: the caller's request without what is meant for us, with the model's defaults, and with one
 * meaning per thing. Fields that nobody knows pass: a backend may have more to offer than we know of.
 */
export const engineRequest = (
  chat: ChatRequest,
  model: CatalogModelOfType<'text'>,
  messages: ChatMessage[],
  parameters: ServiceParametersEcho,
): Omit<EngineRequest, 'max_completion_tokens'> => {
  const {
    model: _model,
    messages: _messages,
    service_parameters: _parameters,
    stream: _stream,
    stream_options: _options,
    max_tokens: _maxTokens,
    max_completion_tokens: _maxCompletionTokens,
    reasoning,
    reasoning_effort: effort,
    text,
    verbosity = text?.verbosity,
    prompt_cache_retention: retention,
    // Not for an engine: they say who asks, or ask for what we do not do.
    user: _user,
    metadata: _metadata,
    store: _store,
    include: _include,
    fallbacks: _fallbacks,
    ...rest
  } = chat
  const request: Omit<EngineRequest, 'max_completion_tokens'> = { ...rest, messages }
  request.temperature ??= model.constraints.temperature.default
  if (model.constraints.topP.default !== 1) request.top_p ??= model.constraints.topP.default
  for (const name of ['frequencyPenalty', 'presencePenalty', 'repetitionPenalty'] as const) {
    const standard = model.constraints[name]?.default
    if (standard !== undefined) request[wireNames[name]] ??= standard
  }
  if (verbosity && verbosity !== 'auto') request.verbosity = verbosity
  if (retention === 'extended' || retention === '24h') request.prompt_cache_retention = '24h'
  if (parameters.disable_thinking) return { ...request, ...thinkingOff(model) }
  if (reasoning?.enabled === false) return request
  const asked = effort ?? reasoning?.effort ?? model.capabilities.defaultReasoningEffort
  return asked && model.capabilities.supportsReasoningEffort ? { ...request, reasoning_effort: asked } : request
}

const wireNames = {
  frequencyPenalty: 'frequency_penalty',
  presencePenalty: 'presence_penalty',
  repetitionPenalty: 'repetition_penalty',
} as const

/** How models are told not to think: by their lowest effort, else by the switch in the templates of open models. */
const thinkingOff = ({ capabilities }: CatalogModelOfType<'text'>): object => {
  if (!capabilities.supportsReasoning) return {}
  if (capabilities.reasoningEffortOptions?.includes('none')) return { reasoning_effort: 'none' }
  return { chat_template_kwargs: { enable_thinking: false, thinking: false } }
}
