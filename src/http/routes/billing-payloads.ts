import { decimalFrom, decimalFromNanos } from '#catalog/prices.js'
import type {
  BillingBalance,
  RequestBillAnswer,
  UsageAnalytics,
  UsageAnalyticsQuery,
  UsageEntry,
  UsageHistoryQuery,
} from '#contract/billing.js'
import { failField } from '#contract/errors.js'
import { type Amounts, nothing } from '#ledger/bill.js'
import { type Balances, spendableUsd, stakeMinNanos } from '#ledger/credit/balances.js'
import type { UnitType } from '#ledger/goods.js'
import type { Analytics, DayRange, Series } from '#ledger/usage/analytics.js'
import { pricePerUnit, unitsOf } from '#ledger/usage/entries.js'
import type { HistoryEntry, HistoryQuestion } from '#ledger/usage/history.js'
import { microsFromTime } from '#ledger/usage/micros.js'
import type { RequestBill } from '#ledger/usage/request-bill.js'

/** A JSON number is the nearest to an exact decimal; nothing is calculated with it. */
const money = (nanos: bigint): number => Number(decimalFromNanos(nanos))

/** Ids of requests as x-request-id shows them. */
export const compactId = (id: string): string => id.replaceAll('-', '')

export const balanceAnswer = (balances: Balances): BillingBalance => {
  const { usd, bundled, diem, stake } = balances
  const currency = (diem ?? 0n) > 0n ? 'DIEM' : bundled > 0n ? 'BUNDLED_CREDITS' : usd > 0n ? 'USD' : null
  return {
    canConsume: currency !== null,
    consumptionCurrency: currency,
    balances: { diem: diem === null ? null : money(diem), usd: money(spendableUsd(balances)) },
    diemEpochAllocation: money(stake < stakeMinNanos ? 0n : stake),
  }
}

const pageSizeDefault = 1000

export const historyQuestion = (query: UsageHistoryQuery): HistoryQuestion => {
  const { cursor, pageSize, currency, startTimestamp, endTimestamp } = query
  if (cursor !== undefined) {
    for (const filter of ['currency', 'startTimestamp', 'endTimestamp'] as const)
      if (query[filter] !== undefined) throw failField(filter, 'cannot be sent with cursor, which remembers it')
    return { cursor, pageSize }
  }
  const fromMicros = readTime('startTimestamp', startTimestamp)
  const untilMicros = readTime('endTimestamp', endTimestamp)
  if (fromMicros !== null && untilMicros !== null && untilMicros <= fromMicros)
    throw failField('endTimestamp', 'must be later than startTimestamp')
  return {
    currency: currency ?? null,
    fromMicros: fromMicros ?? 0n,
    untilMicros,
    pageSize: pageSize ?? pageSizeDefault,
  }
}

const readTime = (field: string, text: string | undefined): bigint | null => {
  if (text === undefined) return null
  const micros = microsFromTime(text)
  if (micros === undefined) throw failField(field, 'is not a time that exists')
  return micros
}

export const notesOf = ({ isAborted }: HistoryEntry) => (isAborted ? 'API Inference (aborted)' : 'API Inference')

export const usageEntry = (entry: HistoryEntry): UsageEntry => ({
  timestamp: entry.settledAt.toISOString(),
  sku: entry.sku,
  units: Number(entry.units),
  pricePerUnitUsd: Number(entry.pricePerUnitUsd),
  amount: money(-entry.amountNanos),
  currency: entry.currency,
  notes: notesOf(entry),
  inferenceDetails: {
    requestId: compactId(entry.place.requestId),
    promptTokens: entry.promptTokens,
    completionTokens: entry.completionTokens,
    inferenceExecutionTime: entry.executionMs,
  },
})

const dayMs = 24 * 60 * 60 * 1000
const daysMax = 366
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** The days that are asked for, and what the answer calls them. */
export const analyticsRange = (
  { lookback, startDate, endDate }: UsageAnalyticsQuery,
  nowMs: number,
): DayRange & { label: string } => {
  if (startDate === undefined && endDate === undefined) {
    const label = lookback ?? '7d'
    return { label, first: dayOf(nowMs - (Number.parseInt(label, 10) - 1) * dayMs), last: dayOf(nowMs) }
  }
  if (lookback !== undefined) throw failField('lookback', 'cannot be sent with startDate and endDate')
  if (startDate === undefined) throw failField('startDate', 'is required with endDate')
  if (endDate === undefined) throw failField('endDate', 'is required with startDate')
  const days = (readDay('endDate', endDate) - readDay('startDate', startDate)) / dayMs + 1
  if (days < 1) throw failField('endDate', 'must not be before startDate')
  if (days > daysMax) throw failField('endDate', `must be at most ${daysMax} days from startDate, both counted`)
  return { label: `${startDate}:${endDate}`, first: startDate, last: endDate }
}

const readDay = (field: string, text: string): number => {
  const ms = Date.parse(text)
  if (Number.isNaN(ms) || dayOf(ms) !== text) throw failField(field, 'is not a day that exists')
  return ms
}

/** Seconds are counted in millionths. */
const units = (count: bigint, type: UnitType): number => Number(type === 'seconds' ? decimalFrom(count, 6) : count)

export const analyticsAnswer = (label: string, analytics: Analytics): UsageAnalytics => ({
  lookback: label,
  byDate: analytics.days.map(({ day, usd, diem }) => ({ date: day, USD: money(usd), DIEM: money(diem) })),
  byModel: analytics.models.map((model) => ({
    modelName: model.model,
    unitType: model.unitType,
    modelType: model.modelType,
    totalUsd: money(model.usd),
    totalDiem: money(model.diem),
    totalUnits: units(model.units, model.unitType),
    breakdown: model.parts.map((part) => ({
      type: part.part,
      usd: money(part.usd),
      diem: money(part.diem),
      units: units(part.units, part.unitType),
    })),
  })),
  byModelDaily: dailyRows(analytics.modelSeries),
  topModels: analytics.modelSeries.names,
  byKey: analytics.keys.map(({ keyId, description, usd, diem, units }) => ({
    apiKeyId: keyId,
    description,
    totalUsd: money(usd),
    totalDiem: money(diem),
    totalUnits: Number(units),
  })),
  byKeyDaily: dailyRows(analytics.keySeries),
  topKeyNames: analytics.keySeries.names,
})

/** From entries, so that a name such as `__proto__` is a name like any other. */
const dailyRows = ({ names, days }: Series) =>
  days.map(({ day, spentNanos }) => {
    const spending = names.map((name, index): [string, number] => [name, money(spentNanos[index] ?? 0n)])
    return Object.fromEntries([['date', Date.parse(day)], ...spending]) as { date: number } & Record<string, number>
  })

const amounts = ({ usd, bundled, diem }: Amounts) => ({
  usd: decimalFromNanos(usd),
  bundled: decimalFromNanos(bundled),
  diem: decimalFromNanos(diem),
})

export const requestBillAnswer = ({ held, captured, ...bill }: RequestBill): RequestBillAnswer => ({
  requestId: compactId(bill.requestId),
  model: bill.model,
  apiKeyId: bill.apiKeyId,
  outcome: bill.outcome,
  startedAt: bill.startedAt.toISOString(),
  settledAt: bill.settledAt?.toISOString() ?? null,
  countedBy: bill.countedBy,
  lines: bill.lines.map((line) => ({
    sku: line.sku,
    part: line.part,
    units: Number(unitsOf(line)),
    pricePerUnitUsd: pricePerUnit(line.usdPerMillion, line),
    pricePerUnitDiem: pricePerUnit(line.diemPerMillion, line),
    usd: decimalFromNanos(line.usd),
    diem: decimalFromNanos(line.diem),
  })),
  held: amounts(held),
  captured: amounts(captured),
  released: amounts(
    bill.outcome === 'running'
      ? nothing
      : { usd: held.usd - captured.usd, bundled: held.bundled - captured.bundled, diem: held.diem - captured.diem },
  ),
})
