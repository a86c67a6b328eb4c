import { type Static, Type } from 'typebox'
import { Nullable, StringEnum } from './common.js'

const closed = { additionalProperties: false }

const RateLimit = Type.Object(
  {
    amount: Type.Number({ description: 'At most so many in each window' }),
    type: StringEnum(['RPM', 'RPD', 'TPM'], {
      description: 'Requests per minute, requests per UTC day, or tokens per minute',
    }),
  },
  closed,
)

/** docs/specification.md, Limits 1: the canonical source of the current limits of a key. */
export const RateLimitsAnswer = Type.Object(
  {
    data: Type.Object(
      {
        accessPermitted: Type.Boolean({ description: 'Whether there is credit to run a request' }),
        apiTier: Type.Object(
          { id: Type.String({ description: 'Such as paid or partner' }), isCharged: Type.Boolean() },
          closed,
        ),
        balances: Type.Object(
          {
            USD: Type.Optional(Type.Number({ description: 'USD, including bundled credits' })),
            DIEM: Type.Optional(Type.Number({ description: 'What is left of today; absent when nothing is staked' })),
          },
          closed,
        ),
        keyExpiration: Nullable(Type.String({ description: 'When the key ends; null for never' })),
        nextEpochBegins: Type.String({ description: 'The next 00:00 UTC, when diem and limits per day begin anew' }),
        rateLimits: Type.Array(
          Type.Object(
            {
              apiModelId: Type.Optional(
                Type.String({ description: 'Absent for limits that are not those of one model' }),
              ),
              scope: StringEnum(['api_key', 'user', 'global'], {
                description:
                  'Who shares it: this key, the account with all keys and models, or all callers. Without a model, `api_key` is about requests that need none',
              }),
              rateLimits: Type.Array(RateLimit, { description: 'Empty where nothing is limited' }),
            },
            closed,
          ),
        ),
      },
      closed,
    ),
  },
  closed,
)
export type RateLimitsAnswer = Static<typeof RateLimitsAnswer>

export const RateLimitLog = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(
      Type.Object(
        {
          apiKeyId: Nullable(Type.String({ description: 'Null for callers without a key' })),
          modelId: Type.String({ description: "'' for requests without a model" }),
          rateLimitTier: Type.String(),
          rateLimitType: StringEnum(['RPD', 'RPM', 'TPM', 'FAILED_REQUESTS', 'UNSUPPORTED_FEATURE_REQUESTS']),
          timestamp: Type.String({ description: 'ISO 8601' }),
        },
        closed,
      ),
    ),
  },
  closed,
)
export type RateLimitLog = Static<typeof RateLimitLog>
