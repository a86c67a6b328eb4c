import { type Static, type TSchema, Type } from 'typebox'

/** docs/specification.md: every failure is an object with a string `error`; `code` is its machine-readable name. */
export const StandardError = Type.Object(
  {
    error: Type.String({ description: 'What went wrong, for a person' }),
    code: Type.Optional(Type.String({ description: 'The same for a program, such as INSUFFICIENT_BALANCE' })),
    customMessage: Type.Optional(
      Type.String({ description: 'With 429, when too many requests failed: the threshold, and when to come again' }),
    ),
  },
  { $id: 'StandardError' },
)
export type StandardError = Static<typeof StandardError>

/** A 400 that names the fields: `details` as a tree with `_errors` at each node, `issues` as a flat list. */
export const DetailedError = Type.Object(
  {
    error: Type.String(),
    code: Type.Optional(Type.String()),
    details: Type.Optional(Type.Object({ _errors: Type.Array(Type.String()) }, { additionalProperties: true })),
    issues: Type.Optional(
      Type.Array(
        Type.Object(
          {
            code: Type.String({ description: 'The rule that was broken, such as too_big or invalid_type' }),
            path: Type.Array(Type.Union([Type.String(), Type.Integer()])),
            message: Type.String(),
          },
          { additionalProperties: true },
        ),
      ),
    ),
  },
  { $id: 'DetailedError' },
)
export type DetailedError = Static<typeof DetailedError>

/** An error as an object, where clients of the chat API expect one: in event streams, and when a prompt is too long. */
export const CompatError = Type.Object(
  {
    error: Type.Object({
      message: Type.String(),
      type: Type.String({ description: 'invalid_request_error, rate_limit_error or server_error' }),
      param: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
      code: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'Such as context_length_exceeded' }),
    }),
  },
  { $id: 'CompatError' },
)

/** `type: ['number', 'null']` instead of a union, because a broken union is reported as three errors instead of one. */
export const Nullable = <T extends TSchema>(schema: T) => {
  const { type, enum: values } = schema as { type?: string | string[]; enum?: unknown[] }
  return Type.Unsafe<Static<T> | null>({
    ...schema,
    type: [...[type ?? []].flat(), 'null'],
    ...(values && { enum: [...values, null] }),
  })
}

/** A union of string literals that shows up as a plain `enum` in OpenAPI and gives short validation messages. */
export const StringEnum = <const T extends readonly string[]>(values: T, options: Record<string, unknown> = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options })

/** A reference to a schema with an `$id`, so that OpenAPI names it once instead of repeating it. */
export const Shared = <T extends TSchema>(schema: T & { $id?: string }) =>
  Type.Unsafe<Static<T>>({ $ref: `${schema.$id}#` })
