import { type Static, Type } from 'typebox'
import { Nullable, StringEnum } from './common.js'
import { failField } from './errors.js'
import { TextOr } from './text-parts.js'

/** POST /embeddings. */
export const EmbeddingRequest = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 512, description: 'The id or alias of an embedding model' }),
    // What is in the list is checked below: a list of token ids would else be told as one mistake per token.
    input: TextOr(Type.Unknown({ description: 'A text that is not empty' }), {
      minLength: 1,
      minItems: 1,
      maxItems: 2048,
      description: 'One text or up to 2048. Token ids are not accepted.',
    }),
    encoding_format: Type.Optional(
      Nullable(
        StringEnum(['float', 'base64'], {
          description: '`float` if nothing is said; `base64` gives the bytes of little-endian 32-bit floats',
        }),
      ),
    ),
    dimensions: Type.Optional(
      Nullable(Type.Integer({ minimum: 1, description: 'For models that can shorten their vectors' })),
    ),
    user: Type.Optional(Nullable(Type.String({ description: 'Accepted, and not used' }))),
  },
  { $id: 'EmbeddingRequest' },
)
export type EmbeddingRequest = Static<typeof EmbeddingRequest>

/** The texts to embed, in their order. */
export const checkEmbeddingInput = ({ input }: Pick<EmbeddingRequest, 'input'>): string[] =>
  [input].flat().map((text, index) => {
    if (typeof text !== 'string')
      throw failField(
        'input',
        'must be text, not token ids; in LangChain for Python, set check_embedding_ctx_length=False to send text',
      )
    if (text === '') throw failField(`input.${index}`, 'must not be empty')
    return text
  })

const Count = Type.Integer({ minimum: 0 })

export const EmbeddingList = Type.Object(
  {
    object: Type.Literal('list'),
    model: Type.String(),
    data: Type.Array(
      Type.Object({
        object: Type.Literal('embedding'),
        index: Count,
        embedding: Type.Unsafe<number[] | string>({
          type: ['array', 'string'],
          items: { type: 'number' },
          description: 'The vector, or the base64 of its bytes',
        }),
      }),
      { description: 'One for each text, in their order' },
    ),
    usage: Type.Object({ prompt_tokens: Count, total_tokens: Count }),
  },
  { $id: 'EmbeddingList' },
)
export type EmbeddingList = Static<typeof EmbeddingList>
