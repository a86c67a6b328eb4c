import { type Static, Type } from 'typebox'
import { Nullable, StringEnum } from './common.js'
import { reasoningEfforts } from './model-parts.js'
import { ChatMessage, ResponseFormat, TextOrNullOr, Tool } from './text-parts.js'

/**
 * POST /chat/completions. Its request and answers are also the language that text capabilities and engines speak among
 * themselves: other dialects are translated into it and out of it (docs/decisions/0012).
 */
const Maybe = Type.Optional
const Num = (minimum: number, maximum: number, description?: string) =>
  Maybe(Nullable(Type.Number({ minimum, maximum, ...(description !== undefined && { description }) })))
/** Not the keyword `default`: it would be filled in, and then win over what stands in the model name. */
const Flag = (standard: boolean, description: string) =>
  Maybe(Type.Boolean({ description: `${description}; ${standard} unless said` }))

export const ReasoningEffort = StringEnum(reasoningEfforts)

/** docs/specification.md, service_parameters. */
export const ServiceParameters = Type.Object(
  {
    character_slug: Maybe(Type.String({ minLength: 1, description: 'A public character' })),
    strip_thinking_response: Flag(false, 'Removes <think></think> blocks from the answer'),
    disable_thinking: Flag(false, 'Switches reasoning off where the model can, and removes <think></think> blocks'),
    enable_web_search: Maybe(
      Type.Unsafe<'off' | 'on' | 'auto' | boolean>({
        enum: ['off', 'on', 'auto', true, false],
        description: '`auto` leaves it to the model; off unless said',
      }),
    ),
    enable_web_scraping: Flag(false, 'Reads up to 5 URLs of the last user message'),
    enable_x_search: Flag(false, "Uses the provider's own search"),
    enable_web_citations: Flag(false, 'Asks the model to cite its sources as ^1^'),
    include_search_results_in_stream: Flag(false, 'Search results are the first chunk of the stream'),
    return_search_results_as_documents: Flag(false, 'Search results come as a tool call'),
    include_service_system_prompt: Flag(true, "Puts the service's own system prompt before the caller's"),
    enable_e2ee: Flag(true, 'On models that can: encryption is used when its headers are sent'),
  },
  { description: 'What this service adds to the usual request' },
)
export type ServiceParameters = Static<typeof ServiceParameters>

const Reasoning = Type.Object({
  effort: Maybe(Nullable(ReasoningEffort)),
  summary: Maybe(Nullable(StringEnum(['auto', 'concise', 'detailed']))),
  enabled: Maybe(Nullable(Type.Boolean())),
})

const Verbosity = StringEnum(['low', 'medium', 'high', 'auto'])

/** What can be set about how an answer is written; every dialect of text has some of these. */
export const ChatRequest = Type.Object(
  {
    model: Type.String({
      minLength: 1,
      maxLength: 512,
      description: 'An id, a trait or an alias; service parameters may follow: `<model>:enable_web_search=on`',
    }),
    messages: Type.Array(ChatMessage, { minItems: 1 }),
    service_parameters: Maybe(Nullable(ServiceParameters)),
    prompt_cache_key: Maybe(
      Nullable(Type.String({ description: 'Requests with the same text go to the same backend' })),
    ),
    prompt_cache_retention: Maybe(Nullable(StringEnum(['default', 'extended', '24h', 'in_memory', 'in-memory']))),
    frequency_penalty: Num(-2, 2),
    presence_penalty: Num(-2, 2),
    repetition_penalty: Maybe(Nullable(Type.Number({ minimum: 0 }))),
    temperature: Num(0, 2),
    top_p: Num(0, 1),
    top_k: Maybe(Nullable(Type.Integer({ minimum: 0 }))),
    min_p: Num(0, 1),
    min_temp: Num(0, 2),
    max_temp: Num(0, 2),
    seed: Maybe(Nullable(Type.Integer({ exclusiveMinimum: 0 }))),
    n: Maybe(Nullable(Type.Integer({ minimum: 1, maximum: 128, description: 'All choices are charged' }))),
    max_completion_tokens: Maybe(
      Nullable(Type.Integer({ minimum: 1, description: 'Visible and reasoning tokens together' })),
    ),
    max_tokens: Maybe(Nullable(Type.Integer({ description: 'Deprecated; 0 and below mean no limit' }))),
    stop: Maybe(TextOrNullOr(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 4 })),
    stop_token_ids: Maybe(Nullable(Type.Array(Type.Integer({ minimum: 0 })))),
    logprobs: Maybe(Nullable(Type.Boolean())),
    top_logprobs: Maybe(Nullable(Type.Integer({ minimum: 0, maximum: 20 }))),
    stream: Maybe(Nullable(Type.Boolean())),
    stream_options: Maybe(
      Nullable(Type.Object({ include_usage: Maybe(Nullable(Type.Boolean())) }, { additionalProperties: true })),
    ),
    tools: Maybe(Nullable(Type.Array(Tool))),
    tool_choice: Maybe(
      Type.Unsafe<string | null | { type: string; function: { name: string } }>({
        type: ['string', 'object', 'null'],
        required: ['type', 'function'],
        properties: {
          type: { type: 'string' },
          function: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
        },
        description: '`none`, `auto`, `required`, or the one function to call',
      }),
    ),
    parallel_tool_calls: Maybe(Nullable(Type.Boolean())),
    response_format: Maybe(Nullable(ResponseFormat)),
    reasoning: Maybe(Nullable(Reasoning)),
    reasoning_effort: Maybe(Nullable(ReasoningEffort)),
    verbosity: Maybe(Nullable(Verbosity)),
    text: Maybe(Nullable(Type.Object({ verbosity: Maybe(Nullable(Verbosity)) }))),
    include: Maybe(Nullable(Type.Array(Type.String()))),
    metadata: Maybe(Nullable(Type.Record(Type.String(), Type.String()))),
    store: Maybe(Nullable(Type.Boolean())),
    user: Maybe(Nullable(Type.String())),
    fallbacks: Maybe(Nullable(Type.Array(Type.Object({ model: Type.String() }), { maxItems: 10 }))),
  },
  { $id: 'ChatRequest' },
)
export type ChatRequest = Static<typeof ChatRequest>

const Count = Type.Integer({ minimum: 0 })

/** Prompt tokens include cached ones, completion tokens include reasoning. */
export const ChatUsage = Type.Object({
  prompt_tokens: Count,
  completion_tokens: Count,
  total_tokens: Count,
  prompt_tokens_details: Type.Object({ cached_tokens: Count, cache_creation_input_tokens: Count }),
  completion_tokens_details: Type.Object({ reasoning_tokens: Count }),
})
export type ChatUsage = Static<typeof ChatUsage>

export const ChatCost = Type.Object({
  usd: Type.Number({ minimum: 0, description: 'Includes bundled credits' }),
  diem: Type.Number({ minimum: 0 }),
})

const open = { additionalProperties: true }

const TokenLogprob = Type.Object(
  { token: Type.String(), logprob: Type.Number(), bytes: Maybe(Nullable(Type.Array(Type.Integer()))) },
  open,
)
export const Logprobs = Type.Object(
  {
    content: Nullable(
      Type.Array(Type.Object({ ...TokenLogprob.properties, top_logprobs: Maybe(Type.Array(TokenLogprob)) }, open)),
    ),
  },
  open,
)
export type Logprobs = Static<typeof Logprobs>

/** What the caller asked for, with every default filled in, and what was found on the web. */
export const ServiceParametersEcho = Type.Object(
  {
    enable_e2ee: Type.Boolean(),
    enable_web_search: StringEnum(['off', 'on', 'auto']),
    enable_web_citations: Type.Boolean(),
    enable_web_scraping: Type.Boolean(),
    enable_x_search: Type.Boolean(),
    include_service_system_prompt: Type.Boolean(),
    include_search_results_in_stream: Type.Boolean(),
    return_search_results_as_documents: Type.Boolean(),
    strip_thinking_response: Type.Boolean(),
    disable_thinking: Type.Boolean(),
    character_slug: Maybe(Type.String()),
    web_search_citations: Type.Array(
      Type.Object({
        title: Type.String(),
        url: Type.String(),
        content: Maybe(Type.String()),
        date: Maybe(Type.String()),
      }),
    ),
  },
  open,
)
export type ServiceParametersEcho = Static<typeof ServiceParametersEcho>

const ChatChoice = Type.Object(
  {
    index: Count,
    finish_reason: Type.String({ description: 'stop, length or tool_calls' }),
    stop_reason: Maybe(Nullable(Type.Unsafe<string | number>({ type: ['string', 'number'] }))),
    logprobs: Nullable(Logprobs),
    message: Type.Object(
      {
        role: Type.Literal('assistant'),
        content: Nullable(Type.String()),
        reasoning_content: Nullable(Type.String()),
        tool_calls: Type.Array(Type.Object({}, open)),
      },
      open,
    ),
  },
  open,
)

export const ChatCompletion = Type.Object(
  {
    id: Type.String({ description: 'chatcmpl- and the request id' }),
    object: Type.Literal('chat.completion'),
    created: Type.Integer(),
    model: Type.String(),
    choices: Type.Array(ChatChoice),
    usage: ChatUsage,
    cost: ChatCost,
    prompt_logprobs: Maybe(Nullable(Type.Object({}, open))),
    service_parameters: ServiceParametersEcho,
  },
  { ...open, $id: 'ChatCompletion' },
)
export type ChatCompletion = Static<typeof ChatCompletion>
