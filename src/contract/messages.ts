import { type Static, Type } from 'typebox'
import { ChatRequest } from './chat.js'
import { Nullable, StringEnum } from './common.js'
import { Known } from './known.js'
import { TextOr } from './text-parts.js'

/** POST /messages and POST /messages/count_tokens, for clients of the Anthropic API. */
const Maybe = Type.Optional
const open = { additionalProperties: true }

const CacheControl = Maybe(
  Nullable(
    Type.Object(
      { type: StringEnum(['ephemeral']), ttl: Maybe(Type.String()) },
      { description: 'Asks for this part of the prompt, and all before it, to be cached' },
    ),
  ),
)

const TextBlock = Type.Object({ type: Type.Literal('text'), text: Type.String(), cache_control: CacheControl })

const base64 = { type: Type.Literal('base64'), media_type: Type.String({ minLength: 1 }), data: Type.String() }
const url = { type: Type.Literal('url'), url: Type.String({ minLength: 1 }) }

const ImageBlock = Type.Object({
  type: Type.Literal('image'),
  source: Known([Type.Object(base64), Type.Object(url)], { description: '`base64` or `url`' }),
  cache_control: CacheControl,
})

const DocumentBlock = Type.Object({
  type: Type.Literal('document'),
  source: Known(
    [
      Type.Object(base64),
      Type.Object(url),
      Type.Object({ type: Type.Literal('text'), data: Type.String() }),
      Type.Object({ type: Type.Literal('content'), content: TextOr(Known([TextBlock, ImageBlock])) }),
    ],
    { description: '`base64`, `url`, `text` or `content`' },
  ),
  title: Maybe(Nullable(Type.String())),
  context: Maybe(Nullable(Type.String())),
  cache_control: CacheControl,
})

const SearchResultBlock = Type.Object({
  type: Type.Literal('search_result'),
  source: Type.String(),
  title: Type.String(),
  content: Type.Array(TextBlock),
  cache_control: CacheControl,
})

export const ResultBlock = Known([TextBlock, ImageBlock, DocumentBlock, SearchResultBlock])
export type ResultBlock = Static<typeof ResultBlock>

const ToolResultBlock = Type.Object({
  type: Type.Literal('tool_result'),
  tool_use_id: Type.String({ description: 'The call that this is the result of' }),
  content: Maybe(TextOr(ResultBlock)),
  is_error: Maybe(Nullable(Type.Boolean())),
  cache_control: CacheControl,
})

const ToolUseBlock = Type.Object({
  type: Type.Literal('tool_use'),
  id: Type.String(),
  name: Type.String({ minLength: 1 }),
  input: Type.Record(Type.String(), Type.Unknown()),
})

const ThinkingBlock = Type.Object({
  type: Type.Literal('thinking'),
  thinking: Type.String(),
  signature: Maybe(Nullable(Type.String({ description: 'To be sent back as it was given' }))),
})

const RedactedThinkingBlock = Type.Object({
  type: Type.Literal('redacted_thinking'),
  data: Type.String({ minLength: 1, description: 'To be sent back as it was given' }),
})

export const MessageBlock = Known(
  [
    TextBlock,
    ImageBlock,
    DocumentBlock,
    SearchResultBlock,
    ToolUseBlock,
    ToolResultBlock,
    ThinkingBlock,
    RedactedThinkingBlock,
  ],
  { description: 'What a server tool of another service left in the conversation is dropped' },
)
export type MessageBlock = Static<typeof MessageBlock>

/** `input_schema` belongs to tools of the caller; tools that a server would run have a type of their own instead. */
export const MessageTool = Type.Object({
  type: Maybe(Nullable(Type.String({ description: '`custom`; of the others only `web_search_...` is used' }))),
  name: Maybe(Type.String({ minLength: 1, maxLength: 128 })),
  description: Maybe(Nullable(Type.String())),
  input_schema: Maybe(Nullable(Type.Record(Type.String(), Type.Unknown(), { description: 'A JSON schema' }))),
  strict: Maybe(Nullable(Type.Boolean())),
})
export type MessageTool = Static<typeof MessageTool>

const chat = ChatRequest.properties

const prompt = {
  model: chat.model,
  messages: Type.Array(
    Type.Object({ role: StringEnum(['user', 'assistant']), content: TextOr(MessageBlock, { minItems: 1 }) }),
    { minItems: 1 },
  ),
  system: Maybe(
    Type.Unsafe<string | null | Static<typeof TextBlock>[]>({
      type: ['string', 'array', 'null'],
      items: TextBlock,
      description: 'The system prompt',
    }),
  ),
  tools: Maybe(Nullable(Type.Array(MessageTool))),
  tool_choice: Maybe(
    Nullable(
      Type.Object({
        type: StringEnum(['auto', 'any', 'tool', 'none']),
        name: Maybe(Type.String({ description: 'Required when the type is `tool`' })),
        disable_parallel_tool_use: Maybe(Nullable(Type.Boolean())),
      }),
    ),
  ),
  thinking: Maybe(
    Nullable(
      Type.Object({
        type: StringEnum(['enabled', 'disabled', 'adaptive']),
        budget_tokens: Maybe(Nullable(Type.Integer({ description: 'Accepted, and not used' }))),
      }),
    ),
  ),
  output_config: Maybe(
    Nullable(
      Type.Object({
        format: Maybe(
          Nullable(
            Type.Object({
              type: StringEnum(['json_schema']),
              schema: Type.Record(Type.String(), Type.Unknown(), { description: 'A JSON schema' }),
            }),
          ),
        ),
      }),
    ),
  ),
  service_parameters: chat.service_parameters,
}

export const MessagesRequest = Type.Object(
  {
    ...prompt,
    max_tokens: Type.Integer({ minimum: 1, description: "Cut to the model's maximum where it is higher" }),
    stop_sequences: Maybe(Nullable(Type.Array(Type.String({ minLength: 1 }), { maxItems: 4 }))),
    temperature: Maybe(Nullable(Type.Number({ minimum: 0, maximum: 1 }))),
    top_p: chat.top_p,
    top_k: chat.top_k,
    metadata: Maybe(Nullable(Type.Object({}, { ...open, description: 'Accepted, and not used' }))),
    stream: chat.stream,
  },
  { $id: 'MessagesRequest' },
)
export type MessagesRequest = Static<typeof MessagesRequest>

export const CountTokensRequest = Type.Object(prompt, { $id: 'CountTokensRequest' })
export type CountTokensRequest = Static<typeof CountTokensRequest>

const Count = Type.Integer({ minimum: 0 })

export const TokenCount = Type.Object({ input_tokens: Count }, { $id: 'TokenCount' })
export type TokenCount = Static<typeof TokenCount>

/** Input tokens leave out what was read from a cache or written to one. */
export const MessageUsage = Type.Object(
  {
    input_tokens: Count,
    cache_read_input_tokens: Count,
    cache_creation_input_tokens: Count,
    output_tokens: Count,
  },
  open,
)
export type MessageUsage = Static<typeof MessageUsage>

export const MessagesAnswer = Type.Object(
  {
    id: Type.String({ description: 'msg_ and the request id' }),
    type: Type.Literal('message'),
    role: Type.Literal('assistant'),
    model: Type.String(),
    content: Type.Array(
      Type.Object({ type: Type.String({ description: 'thinking, redacted_thinking, text or tool_use' }) }, open),
    ),
    stop_reason: Nullable(StringEnum(['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'refusal'])),
    stop_sequence: Nullable(Type.String()),
    usage: MessageUsage,
  },
  { ...open, $id: 'MessagesAnswer' },
)
export type MessagesAnswer = Static<typeof MessagesAnswer>

export const messageErrorTypes = [
  'invalid_request_error',
  'authentication_error',
  'billing_error',
  'permission_error',
  'not_found_error',
  'request_too_large',
  'rate_limit_error',
  'timeout_error',
  'overloaded_error',
  'api_error',
] as const

export const MessagesError = Type.Object(
  {
    type: Type.Literal('error'),
    error: Type.Object({ type: StringEnum(messageErrorTypes), message: Type.String() }, open),
    request_id: Type.String(),
    customMessage: Type.Optional(Type.String({ description: 'With 429, when too many requests failed' })),
  },
  { ...open, $id: 'MessagesError' },
)
export type MessagesError = Static<typeof MessagesError>
