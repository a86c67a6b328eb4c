import { type Static, Type } from 'typebox'
import { ChatCost, ChatRequest, ServiceParameters, ServiceParametersEcho } from './chat.js'
import { Nullable, StringEnum } from './common.js'
import { Known } from './known.js'
import { audioFormats, FunctionTool, TextOr } from './text-parts.js'

/** POST /responses. Nothing is kept between calls, so every request carries the whole conversation. */
const Maybe = Type.Optional
const open = { additionalProperties: true }

const Text = <T extends string>(type: T) => Type.Object({ type: Type.Literal(type), text: Type.String() })

const imageUrl = Maybe(
  Type.Unsafe<string | null | { url: string; detail?: string }>({
    type: ['string', 'object', 'null'],
    minLength: 1,
    required: ['url'],
    properties: { url: { type: 'string', minLength: 1 }, detail: { type: 'string' } },
    description: 'A data URL or a public http(s) URL, alone or as `{url, detail}`',
  }),
)
const Image = <T extends string>(type: T) =>
  Type.Object({ type: Type.Literal(type), image_url: imageUrl, detail: Maybe(Nullable(Type.String())) })

const maybeText = (description: string) => Maybe(Nullable(Type.String({ description })))

export const ResponsesPart = Known(
  [
    Text('input_text'),
    Text('output_text'),
    Text('text'),
    Image('input_image'),
    Image('image_url'),
    Type.Object({
      type: Type.Literal('input_file'),
      file_data: maybeText('A data URL'),
      file_url: maybeText('A public http(s) URL'),
      filename: maybeText('Decides the format where the content type says nothing'),
    }),
    Type.Object({
      type: Type.Literal('input_audio'),
      input_audio: Type.Object({
        data: Type.String({ minLength: 1, description: 'Base64' }),
        format: Maybe(StringEnum(audioFormats)),
      }),
    }),
    Type.Object({ type: Type.Literal('refusal'), refusal: Type.String() }),
  ],
  { description: 'What has an id at another service cannot be found here: send the data itself' },
)
export type ResponsesPart = Static<typeof ResponsesPart>

const SummaryText = Type.Unsafe<string | { text: string }>({
  type: ['string', 'object'],
  required: ['text'],
  properties: { text: { type: 'string' } },
})

export const ResponsesItem = Known(
  [
    Type.Object({
      type: Maybe(Type.Literal('message')),
      role: StringEnum(['user', 'assistant', 'system', 'developer']),
      content: TextOr(ResponsesPart, { minItems: 1 }),
    }),
    Type.Object({
      type: Type.Literal('reasoning'),
      id: maybeText('As it was given'),
      summary: Maybe(Nullable(Type.Array(SummaryText))),
      content: Maybe(
        Type.Unsafe<string | null | (string | { text: string })[]>({
          type: ['string', 'array', 'null'],
          items: SummaryText,
        }),
      ),
      encrypted_content: maybeText('To be sent back as it was given'),
    }),
    Type.Object({
      type: Type.Literal('function_call'),
      call_id: Type.String(),
      name: Type.String({ minLength: 1 }),
      arguments: Type.String({ description: 'JSON text' }),
    }),
    Type.Object({
      type: Type.Literal('function_call_output'),
      call_id: Type.String({ description: 'The call that this is the result of' }),
      output: Type.Unknown({ description: 'A text, a list of parts, or any other JSON' }),
    }),
  ],
  { required: [], description: 'An item without a type is a message' },
)
export type ResponsesItem = Static<typeof ResponsesItem>

export const ResponsesTool = Type.Object({
  type: Type.String({
    description: '`function`, `web_search` or `x_search`; tools that are not known here are left out',
  }),
  name: Maybe(Type.String({ minLength: 1, maxLength: 128 })),
  description: FunctionTool.properties.description,
  parameters: FunctionTool.properties.parameters,
  strict: FunctionTool.properties.strict,
  function: Maybe(FunctionTool),
})
export type ResponsesTool = Static<typeof ResponsesTool>

const chat = ChatRequest.properties
const refused = 'Not supported, because nothing is kept between calls'

/** Others are dropped without an error. */
export const responsesParameters = [
  'character_slug',
  'enable_e2ee',
  'enable_web_search',
  'enable_web_scraping',
  'enable_web_citations',
  'include_service_system_prompt',
  'include_search_results_in_stream',
] as const

export const ResponsesRequest = Type.Object(
  {
    model: chat.model,
    input: TextOr(ResponsesItem, { minItems: 1, description: 'A text of the user, or the conversation as items' }),
    instructions: maybeText('A system prompt, put before everything else'),
    tools: Maybe(Nullable(Type.Array(ResponsesTool))),
    tool_choice: Maybe(
      Type.Unsafe<string | null | { type: string; name?: string; function?: { name: string } }>({
        type: ['string', 'object', 'null'],
        required: ['type'],
        properties: {
          type: { type: 'string' },
          name: { type: 'string' },
          function: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
        },
        description: '`none`, `auto`, `required`, or the one function to call',
      }),
    ),
    parallel_tool_calls: chat.parallel_tool_calls,
    text: Maybe(
      Nullable(
        Type.Object({
          format: Maybe(
            Nullable(
              Type.Object({
                type: StringEnum(['text', 'json_object', 'json_schema']),
                name: Maybe(Type.String()),
                description: maybeText('What the answer is for'),
                schema: Maybe(Type.Record(Type.String(), Type.Unknown(), { description: 'A JSON schema' })),
                strict: Maybe(Nullable(Type.Boolean())),
              }),
            ),
          ),
          verbosity: chat.verbosity,
        }),
      ),
    ),
    reasoning: chat.reasoning,
    max_output_tokens: Maybe(
      Nullable(Type.Integer({ minimum: 1, description: 'Visible and reasoning tokens together' })),
    ),
    temperature: chat.temperature,
    top_p: chat.top_p,
    top_logprobs: chat.top_logprobs,
    include: chat.include,
    web_search: Maybe(Nullable(Type.Boolean({ description: 'The same as the service parameter enable_web_search' }))),
    stream: chat.stream,
    metadata: Maybe(Nullable(Type.Object({}, { ...open, description: 'Comes back with the answer' }))),
    store: Maybe(Nullable(Type.Boolean({ description: 'Accepted; nothing is stored' }))),
    fallbacks: chat.fallbacks,
    service_parameters: Maybe(Nullable(Type.Pick(ServiceParameters, responsesParameters))),
    previous_response_id: maybeText(refused),
    conversation: Maybe(Type.Unknown({ description: refused })),
    background: Maybe(Nullable(Type.Boolean({ description: refused }))),
  },
  { $id: 'ResponsesRequest' },
)
export type ResponsesRequest = Static<typeof ResponsesRequest>

const Count = Type.Integer({ minimum: 0 })

export const ResponsesUsage = Type.Object(
  {
    input_tokens: Count,
    input_tokens_details: Type.Object({ cached_tokens: Count, cache_write_tokens: Count }, open),
    output_tokens: Count,
    output_tokens_details: Type.Object({ reasoning_tokens: Count }, open),
    total_tokens: Count,
  },
  open,
)
export type ResponsesUsage = Static<typeof ResponsesUsage>

export const ResponsesAnswer = Type.Object(
  {
    id: Type.String({ description: 'resp_ and the request id' }),
    object: Type.Literal('response'),
    created_at: Type.Integer(),
    status: StringEnum(['completed', 'incomplete', 'failed', 'in_progress']),
    model: Type.String(),
    output: Type.Array(
      Type.Object({ type: Type.String({ description: 'reasoning, message, function_call or web_search_call' }) }, open),
    ),
    usage: Maybe(ResponsesUsage),
    cost: Maybe(ChatCost),
    error: Nullable(Type.Object({ code: Type.String(), message: Type.String() })),
    incomplete_details: Nullable(Type.Object({ reason: Type.String() })),
    service_parameters: ServiceParametersEcho,
  },
  { ...open, $id: 'ResponsesAnswer' },
)
export type ResponsesAnswer = Static<typeof ResponsesAnswer>
