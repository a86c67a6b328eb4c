import { randomUUID } from 'node:crypto'
import type { Sql } from '#store/sql.js'

/** Credit that is granted; diem comes from a stake instead. */
export type GrantedCurrency = 'USD' | 'BUNDLED_CREDITS'

export type Grant = {
  accountId: string
  currency?: GrantedCurrency
  /** `grant` by the operator unless given; `top-up` by a payment. */
  kind?: 'grant' | 'top-up'
  amountNanos: bigint
  /** Names the reason, so that the same reason never pays twice. */
  idempotencyKey: string
  note?: string
  nowMs: number
}

/** Processes that remember balances forget those of the account announced here. */
export const balanceChanged = 'tessera_balance_changed'

/**
 * Gives an account prepaid credit: one transfer from the house to the account, whose two entries sum to zero. The
 * answer says whether it paid now.
 */
export const grantCredit = (
  sql: Sql,
  { accountId, currency = 'USD', kind = 'grant', amountNanos, idempotencyKey, note, nowMs }: Grant,
): Promise<boolean> =>
  sql.transaction(async (sql) => {
    const transferId = randomUUID()
    const fresh = await sql`
      insert into ledger_transfer (id, idempotency_key, kind, account_id, currency, amount, note, created_at)
      values (${transferId}, ${idempotencyKey}, ${kind}, ${accountId}, ${currency}, ${amountNanos}, ${note ?? null},
              ${new Date(nowMs)})
      on conflict (idempotency_key) do nothing returning id`
    if (fresh.length === 0) return false
    await sql`select ledger_lock(array[${accountId}::uuid])`
    await sql`
      insert into ledger_account as a (owner, currency, kind, balance)
      values (${accountId}, ${currency}, 'credit', ${amountNanos})
      on conflict (owner, day, currency, kind) do update set balance = a.balance + excluded.balance`
    await sql`
      insert into ledger_entry (transfer_id, account_id, amount)
      select ${transferId}::uuid, id, case when owner is null then -${amountNanos}::bigint else ${amountNanos}::bigint end
      from ledger_account
      where currency = ${currency} and day = 'infinity'
        and ((owner = ${accountId} and kind = 'credit') or (owner is null and kind = 'granted'))`
    await sql`select pg_notify(${balanceChanged}, ${accountId})`
    return true
  })
