import type { Currency } from '#contract/billing.js'
import type { Row, Sql } from '#store/sql.js'
import { linesFromText } from '../bill.js'
import { type Payment, paymentsOf, pricePerUnit } from './entries.js'
import type { Cursors, Place, Rest } from './history-cursor.js'
import { dateFromMicros, type Micros, timeFromMicros } from './micros.js'

/** One payment for one line of a request's bill. */
export type HistoryEntry = Payment & {
  place: Place
  settledAt: Date
  sku: string
  pricePerUnitUsd: string
  isAborted: boolean
  promptTokens: number | null
  completionTokens: number | null
  executionMs: number
}

export type HistoryPage = { entries: HistoryEntry[]; nextCursor: string | null }

/** The first page, or one that goes on where another ended; that one may have another size. */
export type HistoryQuestion = FirstPage | NextPage
type FirstPage = { currency: Currency | null; fromMicros: Micros; untilMicros: Micros | null; pageSize: number }
type NextPage = { cursor: string; pageSize: number | undefined }

/**
 * A filter that fits little must not read millions of requests at once, so they are looked at slice by slice, and a page
 * ends early, perhaps empty, when it has seen too many. Its cursor goes on behind them. The first slice is what a usual
 * page needs.
 */
export type Reach = { firstSliceRows: number; sliceRows: number; slicesMax: number }
const usualReach: Reach = { firstSliceRows: 2_000, sliceRows: 50_000, slicesMax: 10 }

export const readHistory = async (
  sql: Sql,
  cursors: Cursors,
  accountId: string,
  question: HistoryQuestion,
  reach = usualReach,
): Promise<HistoryPage> => {
  const rest = 'cursor' in question ? await goOn(cursors, accountId, question) : await begin(sql, accountId, question)
  const { pageSize } = rest
  const entries: HistoryEntry[] = []
  let place = await skipDays(sql, accountId, rest.next, rest.currency)
  for (let slice = 0; place !== null && slice < reach.slicesMax && entries.length <= pageSize; slice++) {
    const rowsMax = slice === 0 ? reach.firstSliceRows : reach.sliceRows
    const sliceEnd = await skipRows(sql, accountId, place, rest.untilMicros, rowsMax)
    entries.push(...(await readEntries(sql, accountId, { ...rest, next: place }, sliceEnd)))
    place = sliceEnd && (await skipDays(sql, accountId, sliceEnd, rest.currency))
  }
  const next = entries[pageSize]?.place ?? place
  return {
    entries: entries.slice(0, pageSize),
    nextCursor: next && (await cursors.seal(accountId, { ...rest, next })),
  }
}

const goOn = async (cursors: Cursors, accountId: string, { cursor, pageSize }: NextPage): Promise<Rest> => {
  const rest = await cursors.open(accountId, cursor)
  return { ...rest, pageSize: pageSize ?? rest.pageSize }
}

const firstId = '00000000-0000-0000-0000-000000000000'

/**
 * A history ends with the request that was settled last when its first page is read. Later ones of the same account
 * have a later time, whichever process settles them, so they never appear in its pages.
 */
const begin = async (
  sql: Sql,
  accountId: string,
  { fromMicros, untilMicros, currency, pageSize }: FirstPage,
): Promise<Rest> => {
  const { last } = await sql.one<{ last: bigint | null }>`
    select (extract(epoch from max(settled_at)) * 1000000)::bigint last from usage_record where account_id = ${accountId}`
  const end = (last ?? 0n) + 1n
  return {
    next: { settledMicros: fromMicros, requestId: firstId, index: 0 },
    untilMicros: untilMicros !== null && untilMicros < end ? untilMicros : end,
    currency,
    pageSize,
  }
}

type RecordRow = Row & {
  request_id: string
  settled_micros: bigint
  began_at: Date
  is_aborted: boolean
  lines: string
  bundled: bigint
  prompt_tokens: bigint | null
  completion_tokens: bigint | null
}

/**
 * Goes to the next day on which a currency may have been used, or to null when there is none, by what the roll-ups say.
 * They do not tell bundled credits from USD, nor on which days something was free, which is listed as USD.
 */
const skipDays = async (
  sql: Sql,
  accountId: string,
  place: Place,
  currency: Currency | null,
): Promise<Place | null> => {
  if (currency === null || currency === 'USD') return place
  const { day } = await sql.one<{ day: string | null }>`
    select min(day)::text as day from usage_by_model
    where account_id = ${accountId} and day >= (${timeFromMicros(place.settledMicros)}::timestamptz at time zone 'UTC')::date
      and case ${currency} when 'DIEM' then diem > 0 else usd > 0 and exists (
            select from ledger_account where owner = ${accountId} and currency = 'BUNDLED_CREDITS') end`
  if (day === null) return null
  const dayMicros = BigInt(Date.parse(day)) * 1000n
  return dayMicros > place.settledMicros ? { settledMicros: dayMicros, requestId: firstId, index: 0 } : place
}

/** The place behind so many requests, or null when there are not so many. It is found in the index alone. */
const skipRows = async (
  sql: Sql,
  accountId: string,
  from: Place,
  untilMicros: Micros,
  rows: number,
): Promise<Place | null> => {
  const row = await sql.maybeOne<Pick<RecordRow, 'request_id' | 'settled_micros'>>`
    select request_id, (extract(epoch from settled_at) * 1000000)::bigint settled_micros
    from usage_record
    where account_id = ${accountId}
      and (settled_at, request_id) >= (${timeFromMicros(from.settledMicros)}::timestamptz, ${from.requestId}::uuid)
      and settled_at < ${timeFromMicros(untilMicros)}::timestamptz
    order by settled_at, request_id offset ${rows} limit 1`
  return row ? { settledMicros: row.settled_micros, requestId: row.request_id, index: 0 } : null
}

/**
 * The entries from a place on, up to another or to the end: at least one more than a page holds, if there are so many,
 * because every row that fits has one or more.
 */
const readEntries = async (
  sql: Sql,
  accountId: string,
  { next, untilMicros, currency, pageSize }: Rest,
  before: Place | null,
): Promise<HistoryEntry[]> => {
  const until = before ?? { settledMicros: untilMicros, requestId: firstId }
  const [fromTime, untilTime] = [timeFromMicros(next.settledMicros), timeFromMicros(until.settledMicros)]
  const rows = await sql<RecordRow>`
    select request_id, (extract(epoch from settled_at) * 1000000)::bigint settled_micros, began_at,
           outcome = 'aborted' is_aborted, lines, bundled, prompt_tokens, completion_tokens
    from usage_record
    where account_id = ${accountId}
      and (settled_at, request_id) >= (${fromTime}::timestamptz, ${next.requestId}::uuid)
      and (settled_at, request_id) < (${untilTime}::timestamptz, ${until.requestId}::uuid)
      -- Says nothing new, but is all that the planner goes by: without it, it reads the whole table.
      and settled_at between ${fromTime} and ${untilTime}
      and case ${currency}::text
            when 'DIEM' then diem > 0
            when 'BUNDLED_CREDITS' then bundled > 0
            -- Or a line that was free. Looking for its text first spares most rows the parsing, which is slow.
            when 'USD' then usd > 0 or (lines like '%"usd":"0"%' and lines like '%"diem":"0"%' and exists (
              select from json_array_elements(lines::json) line where line->>'usd' = '0' and line->>'diem' = '0'))
            else lines <> '[]' end
    order by settled_at, request_id limit ${pageSize + 1}`
  return rows
    .flatMap((row) => entriesOf(row, currency))
    .filter(({ place }) => place.requestId !== next.requestId || place.index >= next.index)
}

const entriesOf = (row: RecordRow, currency: Currency | null): HistoryEntry[] => {
  const lines = linesFromText(row.lines)
  const settledAt = dateFromMicros(row.settled_micros)
  return paymentsOf(lines, row.bundled)
    .flatMap((payments, index) => payments.map((payment) => ({ payment, line: lines[index]! })))
    .filter(({ payment }) => currency === null || payment.currency === currency)
    .map(({ payment, line }, index) => ({
      ...payment,
      place: { settledMicros: row.settled_micros, requestId: row.request_id, index },
      settledAt,
      sku: line.sku,
      pricePerUnitUsd: pricePerUnit(line.usdPerMillion, line),
      isAborted: row.is_aborted,
      promptTokens: row.prompt_tokens === null ? null : Number(row.prompt_tokens),
      completionTokens: row.completion_tokens === null ? null : Number(row.completion_tokens),
      executionMs: Math.max(0, settledAt.getTime() - row.began_at.getTime()),
    }))
}
