import { type Static, Type } from 'typebox'
import { Nullable, Shared, StringEnum } from './common.js'

export const ApiKeyType = StringEnum(['INFERENCE', 'ADMIN'], {
  description: 'INFERENCE keys call models; ADMIN keys also manage the account',
})
export type ApiKeyType = Static<typeof ApiKeyType>

export const LimitPeriod = StringEnum(['EPOCH', 'MONTH', 'LIFETIME'], {
  description: 'EPOCH resets every UTC day, MONTH on the 1st of each UTC month, LIFETIME never',
})
export type LimitPeriod = Static<typeof LimitPeriod>

export const ModelPrivacy = StringEnum(['ALL', 'PRIVATE_TEXT', 'PRIVATE_ONLY'], {
  description:
    'ALL allows every model; PRIVATE_TEXT requires text and embedding models to be private; PRIVATE_ONLY requires it of every model',
})
export type ModelPrivacy = Static<typeof ModelPrivacy>

/** No NUL: PostgreSQL text cannot hold it, and nobody means it. */
const text = { pattern: '^[^\\u0000]*$' }

const limit = (description: string, options: Record<string, unknown> = {}) =>
  Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 9_999_999_999, description, ...options })))

export const ConsumptionLimits = Type.Object(
  {
    usd: limit('Most USD this key may spend per period; null for no limit, 0 for no USD at all'),
    diem: limit('Most diem this key may spend per period; null for no limit'),
    vcu: limit('Former name of diem', { deprecated: true }),
  },
  { additionalProperties: false },
)
export type ConsumptionLimits = Static<typeof ConsumptionLimits>

/** As the record, but open: undocumented fields may be passed in requests. */
const ConsumptionLimitRequest = Type.Object(ConsumptionLimits.properties)

const ExpiresAtRequest = Nullable(
  Type.String({
    pattern: '^$|^\\d{4}-\\d{2}-\\d{2}$|^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{3})?Z$',
    description: 'YYYY-MM-DD or YYYY-MM-DDTHH:MM:SS(.mmm)Z; empty or null for a key that never expires',
  }),
)

const Decimal = Type.String({ description: 'An exact decimal number' })

const keyFields = {
  apiKeyType: ApiKeyType,
  limitPeriod: LimitPeriod,
  modelPrivacy: ModelPrivacy,
  description: Type.Optional(Type.String()),
  expiresAt: Nullable(Type.String({ description: 'Expiration date-time' })),
  id: Type.String(),
}

const recordFields = {
  ...keyFields,
  consumptionLimits: ConsumptionLimits,
  createdAt: Nullable(Type.String({ description: 'Creation date-time' })),
  last6Chars: Type.String(),
  lastUsedAt: Nullable(Type.String({ description: 'Last-used date-time' })),
}

export const ApiKeyRecord = Type.Object(
  {
    ...recordFields,
    usage: Type.Optional(
      Type.Object(
        {
          trailingSevenDays: Type.Object(
            { usd: Decimal, diem: Decimal, vcu: Type.String({ deprecated: true }) },
            { additionalProperties: false },
          ),
        },
        { additionalProperties: false },
      ),
    ),
    currentPeriodUsage: Type.Optional(
      Type.Object(
        { usd: Decimal, diem: Decimal },
        { additionalProperties: false, description: 'Only for keys with a consumption limit' },
      ),
    ),
  },
  { $id: 'ApiKeyRecord', additionalProperties: false },
)
export type ApiKeyRecord = Static<typeof ApiKeyRecord>

export const ApiKeyAnswer = Type.Object({ data: Shared(ApiKeyRecord) }, { additionalProperties: false })
export const ApiKeyList = Type.Object(
  { object: Type.Literal('list'), data: Type.Array(Shared(ApiKeyRecord)) },
  { additionalProperties: false },
)

/** What POST takes for every kind of key, however the caller proved who they are. */
const creationFields = {
  apiKeyType: ApiKeyType,
  consumptionLimit: Type.Optional(ConsumptionLimitRequest),
  limitPeriod: Type.Optional(LimitPeriod),
  modelPrivacy: Type.Optional(ModelPrivacy),
  expiresAt: Type.Optional(ExpiresAtRequest),
}

export const CreateApiKey = Type.Object({ ...creationFields, description: Type.String({ maxLength: 64, ...text }) })
export type CreateApiKey = Static<typeof CreateApiKey>

export const CreatedApiKey = Type.Object(
  {
    success: Type.Literal(true),
    data: Type.Object(
      {
        ...keyFields,
        apiKey: Type.String({ description: 'The secret. Shown once, now, and never again' }),
        consumptionLimit: ConsumptionLimits,
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
)
export type CreatedApiKey = Static<typeof CreatedApiKey>

export const UpdateApiKey = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 64, ...text }),
  consumptionLimit: Type.Optional(ConsumptionLimitRequest),
  limitPeriod: Type.Optional(LimitPeriod),
  modelPrivacy: Type.Optional(ModelPrivacy),
  description: Type.Optional(Type.String({ maxLength: 64, ...text })),
  expiresAt: Type.Optional(ExpiresAtRequest),
})
export type UpdateApiKey = Static<typeof UpdateApiKey>

export const UpdatedApiKey = Type.Object(
  { success: Type.Literal(true), data: Type.Object(recordFields, { additionalProperties: false }) },
  { additionalProperties: false },
)

export const DeletedApiKey = Type.Object({ success: Type.Boolean() }, { additionalProperties: false })

export const WalletKeyToken = Type.Object(
  {
    success: Type.Literal(true),
    data: Type.Object(
      { token: Type.String({ description: 'A JWT, valid for 15 minutes; sign its text with the wallet' }) },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
)

export const CreateWalletKey = Type.Object({
  ...creationFields,
  address: Type.String({ maxLength: 128, description: 'The 0x address of the wallet' }),
  signature: Type.String({ maxLength: 8192, description: 'personal_sign (EIP-191) of the token text by the wallet' }),
  token: Type.String({ maxLength: 4096, description: 'The token of GET /api_keys/generate_web3_key' }),
  description: Type.Optional(Type.String({ maxLength: 64, ...text })),
})
export type CreateWalletKey = Static<typeof CreateWalletKey>
