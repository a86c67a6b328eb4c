import type { Sql } from '#store/sql.js'
import type { GrantedCurrency } from './grant.js'

/** Credit that an account was given. */
export type Credit = {
  id: string
  accountId: string
  /** `grant` by the operator, `top-up` by a payment, `diem` by the stake of a day. */
  kind: string
  currency: GrantedCurrency | 'DIEM'
  amountNanos: bigint
  /** The reason that never pays twice. */
  idempotencyKey: string
  note: string | null
  createdAt: Date
}

type CreditRow = {
  id: string
  account_id: string
  kind: string
  currency: Credit['currency']
  amount: bigint
  idempotency_key: string
  note: string | null
  created_at: Date
}

const fromRow = (row: CreditRow): Credit => ({
  id: row.id,
  accountId: row.account_id,
  kind: row.kind,
  currency: row.currency,
  amountNanos: row.amount,
  idempotencyKey: row.idempotency_key,
  note: row.note,
  createdAt: row.created_at,
})

/** Newest first. Reads transfers only: entries are many, and have no index on purpose. */
export const listCredits = async (sql: Sql, accountId: string, { limit }: { limit: number }): Promise<Credit[]> =>
  (
    await sql<CreditRow>`
      select * from ledger_transfer where account_id = ${accountId} order by created_at desc, id desc limit ${limit}`
  ).map(fromRow)

export const findCredit = async (sql: Sql, idempotencyKey: string): Promise<Credit | undefined> => {
  const row = await sql.maybeOne<CreditRow>`select * from ledger_transfer where idempotency_key = ${idempotencyKey}`
  return row && fromRow(row)
}
