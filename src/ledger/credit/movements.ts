import type { Sql } from '#store/sql.js'
import { requestIdFromUuid } from '../posting/hold.js'

/** A change of an account's USD credit: what came in, or what a request cost. */
export type Movement = {
  id: string
  kind: 'top-up' | 'charge' | 'refund'
  amountNanos: bigint
  balanceAfterNanos: bigint
  at: Date
  requestId: string | null
  model: string | null
}

type MovementRow = {
  id: string
  kind: string
  amount: bigint
  balance_after: bigint
  at: Date
  model: string | null
}

/**
 * The changes of an account's USD credit, newest first, and the credit that they add up to: all as of one moment. Each
 * half reads no more than the page needs, along its index.
 */
export const listMovements = async (
  sql: Sql,
  accountId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ balanceNanos: bigint; movements: Movement[]; hasMore: boolean }> => {
  const wanted = offset + limit + 1
  const rows = await sql<MovementRow & { balance: bigint }>`
    with credit as (
      select coalesce(sum(balance), 0)::bigint balance from ledger_account
      where owner = ${accountId} and kind = 'credit' and day = 'infinity'),
    moves as (
      (select id, kind, amount, created_at "at", null::text model from ledger_transfer
       where account_id = ${accountId} and currency <> 'DIEM' order by created_at desc, id desc limit ${wanted})
      union all
      (select request_id, 'charge', -(usd + bundled), settled_at, model from usage_record
       where account_id = ${accountId} and usd + bundled > 0 order by settled_at desc, request_id desc limit ${wanted})
      order by "at" desc, id desc limit ${wanted})
    select c.balance, m.*,
           (c.balance - coalesce(sum(m.amount) over (order by m.at desc, m.id desc
              rows between unbounded preceding and 1 preceding), 0))::bigint balance_after
    from credit c left join moves m on true order by m.at desc, m.id desc`
  const found = rows.filter(({ id }) => id !== null)
  return {
    balanceNanos: rows[0]?.balance ?? 0n,
    movements: found.slice(offset, offset + limit).map(fromRow),
    hasMore: found.length === wanted,
  }
}

const fromRow = (row: MovementRow): Movement => {
  const kind = row.kind === 'charge' || row.kind === 'refund' ? row.kind : 'top-up'
  return {
    id: row.id,
    kind,
    amountNanos: row.amount,
    balanceAfterNanos: row.balance_after,
    at: row.at,
    requestId: kind === 'charge' ? requestIdFromUuid(row.id) : null,
    model: row.model,
  }
}
