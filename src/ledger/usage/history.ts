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

export const readHistory = async (
  sql: Sql,
  cursors: Cursors,
  accountId: string,
  question: HistoryQuestion,
): Promise<HistoryPage> => {
  const rest = 'cursor' in question ? await goOn(cursors, accountId, question) : await begin(sql, accountId, question)
  const entries = await readEntries(sql, accountId, rest)
  const after = entries[rest.pageSize]
  return {
    entries: entries.slice(0, rest.pageSize),
    nextCursor: after ? await cursors.seal(accountId, { ...rest, next: after.place }) : null,
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

/** At least one entry more than a page holds, if there are so many: every row that is read has one or more. */
const readEntries = async (
  sql: Sql,
  accountId: string,
  { next, untilMicros, currency, pageSize }: Rest,
): Promise<HistoryEntry[]> => {
  const rows = await sql<RecordRow>`
    select request_id, (extract(epoch from settled_at) * 1000000)::bigint settled_micros, began_at,
           outcome = 'aborted' is_aborted, lines, bundled, prompt_tokens, completion_tokens
    from usage_record
    where account_id = ${accountId}
      and (settled_at, request_id) >= (${timeFromMicros(next.settledMicros)}::timestamptz, ${next.requestId}::uuid)
      and settled_at < ${timeFromMicros(untilMicros)}::timestamptz
      and case ${currency}::text
            when 'DIEM' then diem > 0
            when 'BUNDLED_CREDITS' then bundled > 0
            when 'USD' then usd > 0 or exists (
              select from json_array_elements(lines::json) line where line->>'usd' = '0' and line->>'diem' = '0')
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
