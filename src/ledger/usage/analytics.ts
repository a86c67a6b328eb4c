import { fail } from '#contract/errors.js'
import type { Row, Sql } from '#store/sql.js'
import type { AnalyticsType, UnitType } from '../goods.js'
import type { Spending } from './key-usage.js'
import { distinctNames } from './series-names.js'

/** UTC days, both included, as `2026-11-15`. */
export type DayRange = { first: string; last: string }

export type PartUsage = Spending & { part: string; unitType: UnitType; units: bigint }
export type ModelUsage = Spending & {
  model: string
  modelType: AnalyticsType | null
  unitType: UnitType
  /** Of that type only, should there be others among the parts. */
  units: bigint
  parts: PartUsage[]
}
export type KeyTotal = Spending & { keyId: string | null; description: string; units: bigint }
export type DayUsage = Spending & { day: string }
/** What each of a few was spent on, day by day. The names are distinct. */
export type Series = { names: string[]; days: { day: string; spentNanos: bigint[] }[] }

export type Analytics = {
  days: DayUsage[]
  models: ModelUsage[]
  modelSeries: Series
  keys: KeyTotal[]
  keySeries: Series
}

const seriesMax = 8
const dayMs = 24 * 60 * 60 * 1000

/**
 * Sums of the roll-ups, highest spending first. Single requests are never looked at, so it does not matter how many
 * there were. All figures are of one moment, and agree with each other.
 */
export const readAnalytics = (sql: Sql, accountId: string, range: DayRange, timeoutMs: number): Promise<Analytics> =>
  sql
    .transaction(async (sql) => {
      await sql.script('set transaction isolation level repeatable read, read only')
      await sql`select set_config('statement_timeout', ${String(timeoutMs)}, true)`
      const models = groupByModel(await readParts(sql, accountId, range))
      const topModels = models.slice(0, seriesMax).map(({ model }) => model)
      const modelDays = await readModelDays(sql, accountId, range, topModels)
      const keys = (await readKeys(sql, accountId, range)).sort(bySpending(({ id }) => id))
      const topKeys = keys.slice(0, seriesMax)
      const keyDays = await readKeyDays(
        sql,
        accountId,
        range,
        topKeys.map(({ id }) => id),
      )
      const days = daysOf(range)
      return {
        days: sumByDay(days, modelDays),
        models,
        modelSeries: series(days, topModels, distinctNames(topModels.map((name) => ({ name }))), modelDays),
        keys: keys.map((key) => keyTotal(key, accountId)),
        keySeries: series(
          days,
          topKeys.map(({ id }) => id),
          distinctNames(topKeys.map((key) => ({ name: keyTotal(key, accountId).description, hint: key.last6 }))),
          keyDays,
        ),
      }
    })
    .catch((error) => {
      throw isTimeout(error) ? fail('analyticsTimeout').because(error) : error
    })

/** The SQLSTATE of a statement that was ended by statement_timeout. */
const isTimeout = (error: unknown) => (error as { code?: unknown }).code === '57014'

type PartRow = Row &
  Spending & { model: string; part: string; units: bigint; type: AnalyticsType | null; unit: UnitType }
type DayRow = Row & Spending & { day: string; name: string | null }
type KeyRow = Row & Spending & { id: string; description: string | null; last6: string | null; units: bigint }

const readParts = (sql: Sql, accountId: string, { first, last }: DayRange) => sql<PartRow>`
  select model, part, unit_type unit, max(model_type) as type,
         sum(units)::bigint units, sum(usd)::bigint usd, sum(diem)::bigint diem
  from usage_by_model where account_id = ${accountId} and day between ${first} and ${last}
  group by model, part, unit_type`

/** The models named, and all others as one without a name. */
const readModelDays = (sql: Sql, accountId: string, { first, last }: DayRange, named: string[]) => sql<DayRow>`
  select day::text, case when model = any(${named}) then model end as name, sum(usd)::bigint usd, sum(diem)::bigint diem
  from usage_by_model where account_id = ${accountId} and day between ${first} and ${last}
  group by 1, 2`

const readKeys = (sql: Sql, accountId: string, { first, last }: DayRange) => sql<KeyRow>`
  select u.*, k.description, k.last6
  from (select api_key_id id, sum(units)::bigint units, sum(usd)::bigint usd, sum(diem)::bigint diem
        from usage_by_key where account_id = ${accountId} and day between ${first} and ${last}
        group by api_key_id) u
  left join api_key k on k.id = u.id`

const readKeyDays = (sql: Sql, accountId: string, { first, last }: DayRange, named: string[]) => sql<DayRow>`
  select day::text, api_key_id as name, usd, diem from usage_by_key
  where account_id = ${accountId} and api_key_id = any(${named}) and day between ${first} and ${last}`

/** Highest first; where the spending is the same, by name, so that two answers can be compared. */
const bySpending =
  <T extends Spending>(nameOf: (item: T) => string) =>
  (one: T, other: T): number => {
    const difference = other.usd + other.diem - (one.usd + one.diem)
    return difference === 0n ? (nameOf(one) < nameOf(other) ? -1 : 1) : difference > 0n ? 1 : -1
  }

const sum = <T>(items: T[], amountOf: (item: T) => bigint) => items.reduce((total, item) => total + amountOf(item), 0n)

const groupByModel = (rows: PartRow[]): ModelUsage[] => {
  const models = new Map<string, PartRow[]>()
  for (const row of rows.sort(bySpending(({ part }) => part)))
    models.set(row.model, [...(models.get(row.model) ?? []), row])
  return [...models]
    .map(([model, parts]) => ({
      model,
      modelType: parts[0]!.type,
      unitType: parts[0]!.unit,
      usd: sum(parts, ({ usd }) => usd),
      diem: sum(parts, ({ diem }) => diem),
      units: sum(parts, ({ unit, units }) => (unit === parts[0]!.unit ? units : 0n)),
      parts: parts.map(({ part, unit, usd, diem, units }) => ({ part, unitType: unit, usd, diem, units })),
    }))
    .sort(bySpending(({ model }) => model))
}

/** Callers without a key are counted under the id of the account. */
const keyTotal = ({ id, description, units, usd, diem }: KeyRow, accountId: string): KeyTotal => {
  const isWithoutKey = id === accountId
  return {
    keyId: isWithoutKey ? null : id,
    description: isWithoutKey ? 'Without API key' : (description ?? ''),
    units,
    usd,
    diem,
  }
}

const daysOf = ({ first, last }: DayRange): string[] => {
  const days: string[] = []
  for (let ms = Date.parse(first); ms <= Date.parse(last); ms += dayMs)
    days.push(new Date(ms).toISOString().slice(0, 10))
  return days
}

const sumByDay = (days: string[], rows: DayRow[]): DayUsage[] => {
  const byDay = new Map(days.map((day) => [day, { day, usd: 0n, diem: 0n }]))
  for (const { day, usd, diem } of rows) {
    const total = byDay.get(day)!
    total.usd += usd
    total.diem += diem
  }
  return [...byDay.values()]
}

const series = (days: string[], ids: string[], names: string[], rows: DayRow[]): Series => {
  const spent = new Map(rows.map(({ day, name, usd, diem }) => [`${day} ${name}`, usd + diem]))
  return {
    names,
    days: days.map((day) => ({ day, spentNanos: ids.map((id) => spent.get(`${day} ${id}`) ?? 0n) })),
  }
}
