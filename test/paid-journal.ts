import { setTimeout as wait } from 'node:timers/promises'
import { auditLedger } from '#ledger/audit/audit.js'
import { findRequestBill } from '#ledger/usage/request-bill.js'
import type { Sql } from '#store/sql.js'

/** An answer that a caller received to its last byte, and what it says about itself. */
export type Delivered = {
  accountId: string
  requestId: string
  usd: bigint
  diem: bigint
  /** What was asked for; no two requests ask for the same, only retries with one Idempotency-Key do. */
  quantity: number | undefined
  text: string
}

/** What callers remember. The books must say the same, whatever happened on our side. */
export type Journal = {
  sent: number
  delivered: Delivered[]
  /** Answers that were paid for together with others. */
  tabbed: { accountId: string; requestId: string; units: number }[]
  /** Quantities of requests for which the engine fails. */
  failing: number[]
  /** What no caller should ever see. */
  surprises: string[]
}

export const createJournal = (): Journal => ({ sent: 0, delivered: [], tabbed: [], failing: [], surprises: [] })

type Payer = { accountId: string; usd: bigint; bundled: bigint }

type UsageRow = { id: string; account_id: string; outcome: string; usd: bigint; diem: bigint }

/** Holds the journal against the books: nothing unbilled, nothing billed twice, no money lost or made. */
export const findProblems = async (sql: Sql, journal: Journal, payers: readonly Payer[]): Promise<string[]> => [
  ...journal.surprises,
  ...(await compareDelivered(sql, journal)),
  ...(await compareTabbed(sql, journal)),
  ...(await compareQuantities(sql, journal)),
  ...(await compareSums(sql, payers)),
  ...(await auditLedger(sql))
    .filter(({ problems }) => problems > 0)
    .map(({ check, examples }) => `${check}: ${examples}`),
]

const compareDelivered = async (sql: Sql, { delivered }: Journal): Promise<string[]> => {
  const ids = [...new Set(delivered.map(({ requestId }) => requestId))]
  const rows = await sql<UsageRow>`
    select replace(request_id::text, '-', '') id, account_id, outcome, usd + bundled usd, diem
    from usage_record where request_id = any(${ids}::uuid[])`
  const records = new Map(rows.map((row) => [row.id, row]))
  return delivered.flatMap(({ requestId, accountId, usd, diem }) => {
    const record = records.get(requestId)
    if (record?.outcome !== 'completed')
      return [`${requestId} was delivered, and is ${record?.outcome ?? 'not billed'}`]
    const isRight = record.usd === usd && record.diem === diem && record.account_id === accountId
    return isRight ? [] : [`${requestId} was told ${usd} and ${diem}, and paid ${record.usd} and ${record.diem}`]
  })
}

const compareTabbed = async (sql: Sql, { tabbed }: Journal): Promise<string[]> => {
  const bills = await Promise.all(tabbed.map(({ accountId, requestId }) => findRequestBill(sql, accountId, requestId)))
  return tabbed.flatMap(({ requestId, units }, place) => {
    const bill = bills[place]
    const isRight = bill?.outcome === 'completed' && bill.lines[0]?.quantity === BigInt(units)
    return isRight ? [] : [`${requestId} used ${units} units, and paid for ${bill?.lines[0]?.quantity ?? 'none'}`]
  })
}

const compareQuantities = async (sql: Sql, { delivered, failing }: Journal): Promise<string[]> => {
  const texts = new Map<number, Set<string>>()
  for (const { quantity, text } of delivered)
    if (quantity !== undefined) texts.set(quantity, (texts.get(quantity) ?? new Set()).add(text))
  const twice = await sql<{ quantity: bigint; times: bigint }>`
    select completion_tokens quantity, count(*) times from usage_record
    where outcome = 'completed' and completion_tokens is not null
    group by completion_tokens having count(*) > 1`
  const paid = await sql<{ quantity: bigint }>`
    select completion_tokens quantity from usage_record
    where usd + bundled + diem > 0 and completion_tokens = any(${failing}::bigint[])`
  return [
    ...[...texts]
      .filter(([, { size }]) => size > 1)
      .map(([quantity]) => `retries of ${quantity} got different answers`),
    ...twice.map(({ quantity, times }) => `${quantity} was billed ${times} times`),
    ...paid.map(({ quantity }) => `${quantity} failed and was billed`),
  ]
}

type SumRow = { currency: string; balance: bigint; paid: bigint; granted: bigint }

/** What was granted is still there or was paid for a request, per account and kind of credit. */
const compareSums = async (sql: Sql, payers: readonly Payer[]): Promise<string[]> => {
  const problems: string[] = []
  for (const { accountId, usd, bundled } of payers) {
    const rows = await sql<SumRow>`
      select a.currency::text, sum(a.balance)::bigint balance,
             (select coalesce(sum(case a.currency when 'USD' then r.usd when 'DIEM' then r.diem else r.bundled end), 0)::bigint
              from usage_record r where r.account_id = ${accountId}) paid,
             (select coalesce(sum(e.amount), 0)::bigint from ledger_transfer t
              join ledger_entry e on e.transfer_id = t.id join ledger_account o on o.id = e.account_id
              where t.account_id = ${accountId} and o.owner = t.account_id and o.currency = a.currency) granted
      from ledger_account a where a.owner = ${accountId} group by a.currency`
    for (const { currency, balance, paid, granted } of rows) {
      // Diem is granted by the day, so how much it was is for the books to say.
      const known = currency === 'USD' ? usd : currency === 'DIEM' ? granted : bundled
      if (granted !== known || granted !== balance + paid)
        problems.push(`${currency} of ${accountId}: ${known} (${granted}) given, ${balance} there, ${paid} paid`)
    }
  }
  return problems
}

/** Waits until every hold is settled or was swept. Says what is left when that takes too long. */
export const waitForHolds = async (sql: Sql, patienceMs = 20_000): Promise<string[]> => {
  const deadlineMs = performance.now() + patienceMs
  for (;;) {
    const held = await sql<{ id: string }>`select request_id::text id from ledger_hold limit 5`
    if (held.length === 0) return []
    if (performance.now() > deadlineMs) return [`never swept: ${held.map(({ id }) => id).join(', ')}`]
    await wait(20)
  }
}
