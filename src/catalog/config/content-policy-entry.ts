import { type Static, Type } from 'typebox'
import { closed, namesStartWithLetter } from './fields.js'

/** Content policies as the config file and our own `catalog/content-policies.yaml` write them. */
const Maybe = Type.Optional
const Names = (description: string) => Type.Array(Type.String({ minLength: 1 }), { minItems: 1, description })

export const ContentWords = Type.Record(
  Type.String(),
  Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), { minItems: 1, maxItems: 5000 }),
  { ...namesStartWithLetter, description: 'Lists of words and phrases, which policies name' },
)
export type ContentWords = Static<typeof ContentWords>

const ContentRule = Type.Object(
  {
    all: Names('Lists; something of each must be in the same sentence'),
    near: Maybe(
      Type.Integer({ minimum: 1, maximum: 1000, description: 'Words apart at most, instead of in the same sentence' }),
    ),
    unless: Maybe(Names('Lists; something of them anywhere in the prompt makes the rule void')),
    evenNegated: Maybe(Type.Boolean({ description: 'For rules that are about an absence, such as "without clothes"' })),
  },
  closed,
)

const ContentPolicyEntry = Type.Object(
  {
    says: Type.String({ minLength: 1, maxLength: 200, description: 'What the model does not make' }),
    rules: Type.Array(ContentRule, { minItems: 1 }),
    harmless: Maybe(Names('Lists of phrases whose words do not count')),
    negations: Maybe(Names('Lists of phrases after which a word does not count')),
  },
  closed,
)
export type ContentPolicyEntry = Static<typeof ContentPolicyEntry>

export const ContentPolicies = Type.Record(Type.String(), ContentPolicyEntry, namesStartWithLetter)
export type ContentPolicies = Static<typeof ContentPolicies>
