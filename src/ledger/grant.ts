import { randomUUID } from 'node:crypto'
import type { Sql } from '#store/sql.js'

/**
 * Gives an account prepaid credit: one transfer from the house to the account, whose two entries sum to zero. The
 * idempotency key names the reason, so that the same reason never pays twice; the answer says whether it paid now.
 */
export const grantUsd = (
  sql: Sql,
  {
    accountId,
    amountNanos,
    idempotencyKey,
    nowMs,
  }: { accountId: string; amountNanos: bigint; idempotencyKey: string; nowMs: number },
): Promise<boolean> =>
  sql.transaction(async (sql) => {
    const transferId = randomUUID()
    const fresh = await sql`
      insert into ledger_transfer (id, idempotency_key, kind, created_at)
      values (${transferId}, ${idempotencyKey}, 'grant', ${new Date(nowMs)})
      on conflict (idempotency_key) do nothing returning id`
    if (fresh.length === 0) return false
    await sql`insert into ledger_account (owner, currency, kind) values (${accountId}, 'USD', 'credit')
              on conflict (owner, currency, kind) do nothing`
    // Both rows are touched in id order, as everywhere in the ledger, so that two transfers cannot block each other.
    await sql`
      with side as (
        select id, case when owner is null then ${-amountNanos}::bigint else ${amountNanos}::bigint end amount
        from ledger_account
        where currency = 'USD' and ((owner = ${accountId} and kind = 'credit') or (owner is null and kind = 'granted'))
        order by id for update),
      moved as (update ledger_account a set balance = balance + side.amount from side where a.id = side.id)
      insert into ledger_entry (transfer_id, account_id, amount) select ${transferId}, id, amount from side`
    return true
  })

/** The USD credit an account has left, in nano-USD. */
export const usdBalanceNanos = async (sql: Sql, accountId: string): Promise<bigint> =>
  (
    await sql.maybeOne<{ balance: bigint }>`
      select balance from ledger_account where owner = ${accountId} and currency = 'USD' and kind = 'credit'`
  )?.balance ?? 0n
