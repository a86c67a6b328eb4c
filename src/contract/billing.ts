import { type Static, Type } from 'typebox'
import { Nullable, StringEnum } from './common.js'

const closed = { additionalProperties: false }

const NullableEnum = <const T extends readonly string[]>(values: T, options: Record<string, unknown> = {}) =>
  Type.Unsafe<T[number] | null>({ type: ['string', 'null'], enum: [...values, null], ...options })

/** What a payment is made in. Bundled credits are worth the same as USD. */
export const Currency = StringEnum(['USD', 'DIEM', 'BUNDLED_CREDITS'])
export type Currency = Static<typeof Currency>

export const BillingBalance = Type.Object(
  {
    canConsume: Type.Boolean({ description: 'Whether there is anything to spend' }),
    consumptionCurrency: NullableEnum(['DIEM', 'BUNDLED_CREDITS', 'USD'], {
      description: 'What the next request is paid with: diem first, then bundled credits, then USD; null for nothing',
    }),
    balances: Type.Object(
      {
        diem: Nullable(Type.Number({ description: 'What is left of today; null when nothing is staked' })),
        usd: Nullable(Type.Number({ description: 'USD, including bundled credits' })),
      },
      { ...closed, description: 'What can be spent now: credit, less what is held for requests that run' },
    ),
    diemEpochAllocation: Type.Number({ description: 'Diem that is granted at 00:00 UTC of every day' }),
  },
  closed,
)
export type BillingBalance = Static<typeof BillingBalance>

const Timestamp = (description: string) =>
  Type.Optional(
    Type.String({
      maxLength: 40,
      pattern: '^[12]\\d{3}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?Z$',
      description: `${description}; YYYY-MM-DDTHH:MM:SS(.mmm)Z`,
    }),
  )

export const UsageHistoryQuery = Type.Object({
  currency: Type.Optional(
    StringEnum(['USD', 'DIEM', 'BUNDLED_CREDITS'], { description: 'Only entries in this currency' }),
  ),
  startTimestamp: Timestamp('Entries from this time on'),
  endTimestamp: Timestamp('Entries before this time'),
  pageSize: Type.Optional(
    Type.Integer({ minimum: 10, maximum: 1000, description: 'Entries per page; unless given 1000, or as before' }),
  ),
  cursor: Type.Optional(
    Type.String({
      maxLength: 512,
      pattern: '^[A-Za-z0-9_-]+$',
      description: 'The `nextCursor` of the page before. It remembers the filters, so none may be sent with it',
    }),
  ),
})
export type UsageHistoryQuery = Static<typeof UsageHistoryQuery>

const InferenceDetails = Type.Object(
  {
    requestId: Type.String({
      description: 'The x-request-id of the answer; GET /billing/requests/{requestId} explains it',
    }),
    promptTokens: Nullable(Type.Number()),
    completionTokens: Nullable(Type.Number()),
    inferenceExecutionTime: Nullable(Type.Number({ description: 'Milliseconds' })),
  },
  closed,
)

export const UsageEntry = Type.Object(
  {
    timestamp: Type.String({ description: 'When the request was settled' }),
    sku: Type.String({ description: 'What was charged, such as acme-chat-llm-output-mtoken' }),
    units: Type.Number({ description: 'How many; millions where the price is one per million' }),
    pricePerUnitUsd: Type.Number(),
    amount: Type.Number({ description: 'What it changed the balance by; negative for a debit' }),
    currency: Currency,
    notes: Type.String(),
    inferenceDetails: Type.Unsafe<Static<typeof InferenceDetails> | null>({
      ...InferenceDetails,
      type: ['object', 'null'],
    }),
  },
  closed,
)
export type UsageEntry = Static<typeof UsageEntry>

export const UsageHistory = Type.Object(
  {
    data: Type.Array(UsageEntry),
    nextCursor: Nullable(Type.String({ description: 'For the next page; null on the last one' })),
  },
  closed,
)
export type UsageHistory = Static<typeof UsageHistory>

const Day = (description: string) =>
  Type.Optional(
    Type.String({ pattern: '^[12]\\d{3}-\\d{2}-\\d{2}$', description: `${description}, YYYY-MM-DD in UTC` }),
  )

export const UsageAnalyticsQuery = Type.Object({
  lookback: Type.Optional(
    Type.String({
      pattern: '^([1-9]|[1-8][0-9]|90)d$',
      description: 'So many days, today among them: 1d to 90d; 7d unless other days are given',
    }),
  ),
  startDate: Day('The first day'),
  endDate: Day('The last day, at most 366 days in all'),
})
export type UsageAnalyticsQuery = Static<typeof UsageAnalyticsQuery>

/** A row of a chart: the day, and beside it a number for each name in the list of top names. */
const DailyRow = Type.Unsafe<{ date: number } & Record<string, number>>(
  Type.Object(
    { date: Type.Integer({ description: 'The first moment of the UTC day, in Unix milliseconds' }) },
    { additionalProperties: Type.Number({ description: 'Spending, USD and diem together' }) },
  ),
)

const totals = {
  totalUsd: Type.Number({ description: 'Including bundled credits' }),
  totalDiem: Type.Number(),
  totalUnits: Type.Number(),
}

export const UsageAnalytics = Type.Object(
  {
    lookback: Type.String({ description: 'The days that are counted: 7d, or first:last' }),
    byDate: Type.Array(Type.Object({ date: Type.String(), USD: Type.Number(), DIEM: Type.Number() }, closed), {
      description: 'Every day, also those without usage',
    }),
    byModel: Type.Array(
      Type.Object(
        {
          modelName: Type.String(),
          unitType: StringEnum(['tokens', 'images', 'chars', 'minutes', 'seconds', 'requests']),
          modelType: NullableEnum(['LLM', 'IMAGE', 'TTS', 'ASR', 'VIDEO']),
          ...totals,
          breakdown: Type.Optional(
            Type.Array(
              Type.Object(
                {
                  type: Type.String({ description: 'Input, Output, Cache Read, ...' }),
                  usd: Type.Number(),
                  diem: Type.Number(),
                  units: Type.Number(),
                },
                closed,
              ),
            ),
          ),
        },
        closed,
      ),
      { description: 'Highest spending first' },
    ),
    byModelDaily: Type.Array(DailyRow, { description: 'The models of topModels, day by day' }),
    topModels: Type.Array(Type.String(), { description: 'Up to 8; the names that byModelDaily uses' }),
    byKey: Type.Array(
      Type.Object(
        {
          apiKeyId: Nullable(Type.String({ description: 'null for requests without an API key' })),
          description: Type.String(),
          ...totals,
        },
        closed,
      ),
      { description: 'Highest spending first; revoked keys too' },
    ),
    byKeyDaily: Type.Array(DailyRow, { description: 'The keys of topKeyNames, day by day' }),
    topKeyNames: Type.Array(Type.String(), {
      description: 'Up to 8; the names that byKeyDaily uses: descriptions, with more characters where two are the same',
    }),
  },
  closed,
)
export type UsageAnalytics = Static<typeof UsageAnalytics>

export const RequestOutcome = StringEnum(['completed', 'aborted', 'failed', 'expired', 'running'], {
  description:
    'running: not settled yet; aborted: the caller left, and pays for what was delivered; failed and expired cost nothing',
})
export type RequestOutcome = Static<typeof RequestOutcome>

const Money = (description: string) => Type.String({ description: `${description}; an exact decimal` })

const AmountsRecord = (description: string) =>
  Type.Object(
    { usd: Money('USD without bundled credits'), bundled: Money('Bundled credits'), diem: Money('Diem') },
    { ...closed, description },
  )

export const RequestBillAnswer = Type.Object(
  {
    requestId: Type.String({ description: '32 hexadecimal digits, as in x-request-id' }),
    model: Type.String(),
    apiKeyId: Nullable(Type.String({ description: 'null for requests without an API key' })),
    outcome: RequestOutcome,
    startedAt: Type.String(),
    settledAt: Nullable(Type.String({ description: 'null while the request runs' })),
    countedBy: Nullable(Type.String({ description: 'Who counted the units: upstream, running stats or estimate' })),
    lines: Type.Array(
      Type.Object(
        {
          sku: Type.String(),
          part: Type.String({ description: 'Input, Output, Cache Read, ...' }),
          units: Type.Number({ description: 'How many; millions where the price is one per million' }),
          pricePerUnitUsd: Money('The price of a unit in USD'),
          pricePerUnitDiem: Money('The price of a unit in diem'),
          usd: Money('What was paid for this line in USD and bundled credits'),
          diem: Money('What was paid for this line in diem'),
        },
        closed,
      ),
    ),
    held: AmountsRecord('What was set aside before the work began'),
    captured: AmountsRecord('What was paid'),
    released: AmountsRecord('What was given back; nothing while the request runs'),
  },
  closed,
)
export type RequestBillAnswer = Static<typeof RequestBillAnswer>
