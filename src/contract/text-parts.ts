import { type Static, type TSchema, Type } from 'typebox'
import { Nullable, StringEnum } from './common.js'

/** The parts of a chat request that messages and tools are made of. Wire names throughout: this is OpenAI's language. */
const Maybe = Type.Optional

/** Either text or a list; written as one schema, so that a mistake is told once and not once per alternative. */
export const TextOr = <T extends TSchema>(item: T, options: Record<string, unknown> = {}) =>
  Type.Unsafe<string | Static<T>[]>({ type: ['string', 'array'], items: item, ...options })

export const TextOrNullOr = <T extends TSchema>(item: T, options: Record<string, unknown> = {}) =>
  Type.Unsafe<string | null | Static<T>[]>({ type: ['string', 'array', 'null'], items: item, ...options })

/** One of several objects, told apart by a field. Only the alternative that the field names is checked. */
export const OneOf = <T extends TSchema[]>(field: string, alternatives: [...T]) =>
  Type.Unsafe<Static<T[number]>>({
    type: 'object',
    required: [field],
    discriminator: { propertyName: field },
    oneOf: alternatives,
  })

const CacheControl = Maybe(
  Type.Object(
    { type: StringEnum(['ephemeral']), ttl: Maybe(Type.String()) },
    { description: 'Asks for this part of the prompt, and all before it, to be cached' },
  ),
)

export const TextPart = Type.Object({
  type: Type.Literal('text'),
  text: Type.String({ minLength: 1 }),
  cache_control: CacheControl,
})
export type TextPart = Static<typeof TextPart>

export const ImagePart = Type.Object({
  type: Type.Literal('image_url'),
  image_url: Type.Object({
    url: Type.String({ minLength: 1, description: 'A data URL, or a public http(s) URL' }),
    detail: Maybe(Type.String()),
  }),
  cache_control: CacheControl,
})
export type ImagePart = Static<typeof ImagePart>

export const audioFormats = ['wav', 'mp3', 'aiff', 'aac', 'ogg', 'flac', 'm4a', 'pcm16', 'pcm24'] as const
export const AudioPart = Type.Object({
  type: Type.Literal('input_audio'),
  input_audio: Type.Object({
    data: Type.String({ minLength: 1, description: 'Base64; URLs are not accepted here' }),
    format: Maybe(StringEnum(audioFormats, { default: 'wav' })),
  }),
  cache_control: CacheControl,
})
export type AudioPart = Static<typeof AudioPart>

export const VideoPart = Type.Object({
  type: Type.Literal('video_url'),
  video_url: Type.Object({
    url: Type.String({ minLength: 1, description: 'A data URL or a public http(s) URL of an mp4, mpeg, mov or webm' }),
  }),
  cache_control: CacheControl,
})
export type VideoPart = Static<typeof VideoPart>

export const FilePart = Type.Object({
  type: Type.Literal('file'),
  file: Type.Object({
    file_data: Type.String({ minLength: 1, description: 'A data URL or a public http(s) URL, 25 MB at most' }),
    filename: Maybe(Type.String({ description: 'Decides the format where the content type says nothing' })),
  }),
  cache_control: CacheControl,
})
export type FilePart = Static<typeof FilePart>

export const ContentPart = OneOf('type', [TextPart, ImagePart, AudioPart, VideoPart, FilePart])
export type ContentPart = TextPart | ImagePart | AudioPart | VideoPart | FilePart

const name = Maybe(Nullable(Type.String()))

export const ToolCall = Type.Object({
  id: Type.String(),
  type: Maybe(Type.String()),
  function: Type.Object({ name: Type.String(), arguments: Type.String({ description: 'JSON text' }) }),
})
export type ToolCall = Static<typeof ToolCall>

const SystemMessage = <R extends 'system' | 'developer'>(role: R) =>
  Type.Object({ role: Type.Literal(role), content: TextOr(TextPart), name })

const ReasoningDetail = Type.Object({
  type: Type.String(),
  id: Maybe(Nullable(Type.String())),
  format: Maybe(Nullable(Type.String())),
  text: Maybe(Nullable(Type.String())),
  data: Maybe(Nullable(Type.String())),
  index: Maybe(Type.Number()),
})
export type ReasoningDetail = Static<typeof ReasoningDetail>

export const ChatMessage = OneOf('role', [
  Type.Object({ role: Type.Literal('user'), content: TextOr(ContentPart, { minItems: 1 }), name }),
  SystemMessage('system'),
  SystemMessage('developer'),
  Type.Object({
    role: Type.Literal('assistant'),
    content: Maybe(TextOrNullOr(TextPart)),
    name,
    reasoning_content: Maybe(Nullable(Type.String())),
    reasoning_details: Maybe(Nullable(Type.Array(ReasoningDetail))),
    thought_signature: Maybe(Nullable(Type.String())),
    tool_calls: Maybe(Nullable(Type.Array(ToolCall))),
  }),
  Type.Object({
    role: Type.Literal('tool'),
    content: TextOr(TextPart),
    tool_call_id: Type.String({ description: 'The call that this is the result of' }),
    name,
  }),
])
export type ChatMessage = Static<typeof ChatMessage>

export const FunctionTool = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 128 }),
  description: Maybe(Nullable(Type.String())),
  parameters: Maybe(Nullable(Type.Record(Type.String(), Type.Unknown(), { description: 'A JSON schema' }))),
  strict: Maybe(Nullable(Type.Boolean())),
})
export type FunctionTool = Static<typeof FunctionTool>

export const Tool = Type.Object({
  type: Type.String({ description: '`function`, or `web_search` or `x_search` where the model has it' }),
  function: Maybe(FunctionTool),
  id: Maybe(Type.String()),
})
export type Tool = Static<typeof Tool>

export const ResponseFormat = Type.Object({
  type: StringEnum(['text', 'json_object', 'json_schema']),
  json_schema: Maybe(
    Type.Record(Type.String(), Type.Unknown(), { description: '`{name, strict, schema}`, or the schema itself' }),
  ),
})
export type ResponseFormat = Static<typeof ResponseFormat>
