import type { RequestOutcome } from '#contract/billing.js'
import type { Row, Sql } from '#store/sql.js'
import { type Amounts, linesFromText, type PaidLine } from '../bill.js'

/** What one request was charged, and why. */
export type RequestBill = {
  requestId: string
  model: string
  apiKeyId: string | null
  outcome: RequestOutcome
  startedAt: Date
  settledAt: Date | null
  countedBy: string | null
  /** Known when the request is settled. */
  lines: PaidLine[]
  held: Amounts
  captured: Amounts
}

/** Request ids are 32 hexadecimal digits, with dashes or without; ids of answers are a word and a request id. */
const idPattern = /^(?:[a-z][a-z0-9]{0,31}[-_])?([0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12})$/i

type BillRow = Row & {
  request_id: string
  api_key_id: string | null
  model: string
  outcome: RequestOutcome
  began_at: Date
  settled_at: Date | null
  counted_by: string | null
  lines: string
  held_usd: bigint
  held_bundled: bigint
  held_diem: bigint
  usd: bigint
  bundled: bigint
  diem: bigint
  /** Its own ones, if it was settled with others. */
  units: bigint | null
}

/** `name` is the request's id, or that of the answer it gave. */
export const findRequestBill = async (sql: Sql, accountId: string, name: string): Promise<RequestBill | undefined> => {
  const id = idPattern.exec(name)?.[1]?.replaceAll('-', '')
  if (id === undefined) return undefined
  // One statement sees one moment: a request that is settled meanwhile is found either as running or as settled. A request
  // that was settled with others, or whose id also names what they were settled as, has its share before all else.
  const [row] = await sql<BillRow>`
    select ${id}::uuid request_id, r.api_key_id, model, outcome::text, began_at, settled_at, counted_by, lines,
           held_usd, held_bundled, held_diem, usd, bundled, diem, s.units
    from usage_share s join usage_record r on r.request_id = s.settled_with
    where s.request_id = ${id}::uuid and account_id = ${accountId}
    union all
    select request_id, api_key_id, model, outcome::text, began_at, settled_at, counted_by, lines,
           held_usd, held_bundled, held_diem, usd, bundled, diem, null
    from usage_record where request_id = ${id}::uuid and account_id = ${accountId}
    union all
    select request_id, api_key_id, model, 'running', made_at, null, null, '[]', usd, bundled, diem, 0, 0, 0, null
    from ledger_hold where request_id = ${id}::uuid and account_id = ${accountId}`
  if (row === undefined) return undefined
  return row.units === null ? fromRow(row) : shareOf(fromRow(row), row.units)
}

const fromRow = (row: BillRow): RequestBill => ({
  requestId: row.request_id,
  model: row.model,
  apiKeyId: row.api_key_id,
  outcome: row.outcome,
  startedAt: row.began_at,
  settledAt: row.settled_at,
  countedBy: row.counted_by,
  lines: linesFromText(row.lines),
  held: { usd: row.held_usd, bundled: row.held_bundled, diem: row.held_diem },
  captured: { usd: row.usd, bundled: row.bundled, diem: row.diem },
})

/** What one request has of a bill of one line that several share. Nothing more was held for it than it cost. */
const shareOf = (bill: RequestBill, units: bigint): RequestBill => {
  const [line] = bill.lines
  if (line === undefined || line.quantity === 0n) return bill
  const part = (amount: bigint) => (amount * units) / line.quantity
  const { usd, bundled, diem } = bill.captured
  const captured = { usd: part(usd), bundled: part(bundled), diem: part(diem) }
  return {
    ...bill,
    lines: [{ ...line, quantity: units, usd: part(line.usd), diem: part(line.diem) }],
    held: captured,
    captured,
  }
}
