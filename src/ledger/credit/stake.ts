import type { Sql } from '#store/sql.js'
import { balanceChanged } from './grant.js'

export type Stake = { accountId: string; amountNanos: bigint; changedAt: Date }

/** `isFromChain` when it was read from a staking contract, and not set by hand. */
export type NewStake = { accountId: string; amountNanos: bigint; nowMs: number; isFromChain?: boolean }

/**
 * Sets what an account is granted every UTC day. A raised stake counts at once, a lowered one from tomorrow on: a day has
 * the diem of its highest stake.
 */
export const setStake = (sql: Sql, { accountId, amountNanos, nowMs, isFromChain = false }: NewStake): Promise<void> =>
  sql.transaction(async (sql) => {
    const at = new Date(nowMs)
    // A process whose clock is ahead may have begun the next day; then that day is the one to grant for.
    const grantToday = () => sql`
      select ledger_grant_diem(account_id, greatest(day, (${at}::timestamptz at time zone 'UTC')::date), ${at})
      from diem_stake where account_id = ${accountId}`
    await sql`select ledger_lock(array[${accountId}::uuid])`
    // Diem is granted with the first request of a day. Had there been one, the old stake would count for today.
    await grantToday()
    await sql`
      insert into diem_stake (account_id, amount, changed_at, is_from_chain)
      values (${accountId}, ${amountNanos}, ${at}, ${isFromChain})
      on conflict (account_id) do update
        set amount = excluded.amount, changed_at = excluded.changed_at, is_from_chain = excluded.is_from_chain`
    await grantToday()
    await sql`select pg_notify(${balanceChanged}, ${accountId})`
  })

/** The accounts that are granted diem every day. */
export const listStakes = async (sql: Sql): Promise<Stake[]> => {
  const rows = await sql<{ account_id: string; amount: bigint; changed_at: Date }>`
    select account_id, amount, changed_at from diem_stake where amount > 0 order by amount desc, account_id`
  return rows.map((row) => ({ accountId: row.account_id, amountNanos: row.amount, changedAt: row.changed_at }))
}
