import type { ApiKey, KeyLimits, NewKey } from '#accounts/api-keys.js'
import { decimalFromNanos } from '#catalog/prices.js'
import type { ApiKeyRecord, ConsumptionLimits, CreateApiKey, CreatedApiKey, UpdateApiKey } from '#contract/api-keys.js'
import { failField } from '#contract/errors.js'
import type { KeyUsage, Spending } from '#ledger/usage/key-usage.js'

/** Wire names stop here: `vcu` is the former name of diem, and limits are numbers outside and exact decimals inside. */
export const limitsFromRequest = ({ usd, diem, vcu }: ConsumptionLimits): Partial<KeyLimits> => {
  const decimal = (value: number | null) => (value === null ? null : String(value))
  const diemOrVcu = diem === undefined ? vcu : diem
  return {
    ...(usd !== undefined && { usd: decimal(usd) }),
    ...(diemOrVcu !== undefined && { diem: decimal(diemOrVcu) }),
  }
}

const limitsForAnswer = ({ usd, diem }: KeyLimits): ConsumptionLimits => {
  const number = (value: string | null) => (value === null ? null : Number(value))
  return { usd: number(usd), diem: number(diem), vcu: number(diem) }
}

/** "" and null mean never. A date alone means its first moment in UTC. */
export const readExpiry = (text: UpdateApiKey['expiresAt'], nowMs: number): Date | null => {
  if (text === undefined || text === null || text === '') return null
  const date = new Date(text)
  // The pattern lets the 30th of February through, and Date would quietly make it March.
  const isReal = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text.slice(0, 10))
  if (!isReal) throw failField('expiresAt', 'is not a date that exists')
  if (date.getTime() <= nowMs) throw failField('expiresAt', 'must lie in the future; to end a key now, delete it')
  return date
}

/** What every way of making a key has in common. */
export const newKeyFromRequest = (
  body: Omit<CreateApiKey, 'description'>,
  nowMs: number,
): Omit<NewKey, 'accountId' | 'description'> => ({
  type: body.apiKeyType,
  limits: { usd: null, diem: null, ...limitsFromRequest(body.consumptionLimit ?? {}) },
  ...(body.limitPeriod !== undefined && { limitPeriod: body.limitPeriod }),
  ...(body.modelPrivacy !== undefined && { modelPrivacy: body.modelPrivacy }),
  expiresAt: readExpiry(body.expiresAt, nowMs),
})

const isoOrNull = (date: Date | null) => date?.toISOString() ?? null

export const keyRecord = (key: ApiKey) => ({
  apiKeyType: key.type,
  consumptionLimits: limitsForAnswer(key.limits),
  limitPeriod: key.limitPeriod,
  modelPrivacy: key.modelPrivacy,
  createdAt: key.createdAt.toISOString(),
  description: key.description,
  expiresAt: isoOrNull(key.expiresAt),
  id: key.id,
  last6Chars: key.last6,
  lastUsedAt: isoOrNull(key.lastUsedAt),
})

/** What counts against the limits is told only for keys that have some. */
export const usageRecord = ({ limits, limitPeriod }: ApiKey, usage: KeyUsage): Pick<ApiKeyRecord, UsageField> => {
  const { usd, diem } = exact(usage.trailingSevenDays)
  const isLimited = limits.usd !== null || limits.diem !== null
  const periods = { EPOCH: usage.day, MONTH: usage.month, LIFETIME: usage.life }
  return {
    usage: { trailingSevenDays: { usd, diem, vcu: diem } },
    ...(isLimited && { currentPeriodUsage: exact(periods[limitPeriod]) }),
  }
}

type UsageField = 'usage' | 'currentPeriodUsage'

const exact = ({ usd, diem }: Spending) => ({ usd: decimalFromNanos(usd), diem: decimalFromNanos(diem) })

export const createdKey = ({ key, secret }: { key: ApiKey; secret: string }): CreatedApiKey => ({
  success: true,
  data: {
    apiKey: secret,
    apiKeyType: key.type,
    consumptionLimit: limitsForAnswer(key.limits),
    limitPeriod: key.limitPeriod,
    modelPrivacy: key.modelPrivacy,
    description: key.description,
    expiresAt: isoOrNull(key.expiresAt),
    id: key.id,
  },
})
