import type { Sql } from '#store/sql.js'
import { nanosPerUnit } from './credit.js'
import { shownTransaction } from './rail.js'

/** A payment that was sent and is not credited: the chain is slow, its rail is off, or an operator must decide. */
export type UnfinishedPayment = {
  id: string
  network: string
  state: 'broadcast' | 'settled'
  /** Null where somebody else sends it and has not told its hash. */
  transaction: string | null
  payer: string
  amountUsdNanos: bigint
  /** Why it is not credited although it is settled: see `creditPayment`. */
  reason: string | null
  createdAt: Date
}

type Row = {
  id: string
  network: string
  state: 'broadcast' | 'settled'
  tx_hash: string | null
  payer: string
  amount: bigint
  reason: string | null
  created_at: Date
}

/** Those that are older than some minutes, oldest first. */
export const findUnfinished = async (
  sql: Sql,
  { nowMs, olderThanMs = 600_000 }: { nowMs: number; olderThanMs?: number },
): Promise<UnfinishedPayment[]> => {
  const rows = await sql<Row>`
    select id, network, state, tx_hash, payer, amount, reason, created_at from x402_payment
    where state in ('broadcast', 'settled') and created_at <= ${new Date(nowMs - olderThanMs)}
    order by created_at, id`
  return rows.map(({ tx_hash, amount, created_at, ...row }) => ({
    ...row,
    transaction: shownTransaction(tx_hash),
    amountUsdNanos: amount * nanosPerUnit,
    createdAt: created_at,
  }))
}
