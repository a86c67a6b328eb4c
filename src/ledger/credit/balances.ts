import type { Sql } from '#store/sql.js'

/** What an account can spend now, in nanos: its credit less what is held for requests that run. */
export type Balances = {
  usd: bigint
  bundled: bigint
  /** Of today; null when nothing is staked. */
  diem: bigint | null
  /** What is granted every UTC day. */
  stake: bigint
}

export const noBalances: Balances = { usd: 0n, bundled: 0n, diem: null, stake: 0n }

/** Bundled credits count as USD wherever the two are not told apart. */
/** What can be spent of each currency now. */
export const spendable = (balances: Balances) => ({ usd: spendableUsd(balances), diem: balances.diem ?? 0n })

export const spendableUsd = ({ usd, bundled }: Balances): bigint => usd + bundled

/** Below a tenth of a diem nothing can be spent. */
export const stakeMinNanos = 100_000_000n

type BalanceRow = {
  owner: string
  usd: bigint
  bundled: bigint
  diem: bigint | null
  held_usd: bigint
  held_bundled: bigint
  held_diem: bigint
  stake: bigint | null
}

export const readBalances = async (
  sql: Sql,
  accountIds: readonly string[],
  nowMs: number,
): Promise<Map<string, Balances>> => {
  const rows = await sql<BalanceRow>`
    select o.owner, coalesce(a.usd, 0) usd, coalesce(a.bundled, 0) bundled, a.diem, s.amount stake,
           coalesce(h.usd, 0) held_usd, coalesce(h.bundled, 0) held_bundled, coalesce(h.diem, 0) held_diem
    from unnest(${accountIds}::uuid[]) as o(owner)
    left join lateral (
      select sum(a.balance) filter (where a.currency = 'USD')::bigint usd,
             sum(a.balance) filter (where a.currency = 'BUNDLED_CREDITS')::bigint bundled,
             sum(a.balance) filter (where a.currency = 'DIEM')::bigint diem,
             max(a.id) filter (where a.currency = 'DIEM') diem_account
      from ledger_account a
      where a.owner = o.owner and a.kind = 'credit' and a.day in ((${new Date(nowMs)} at time zone 'UTC')::date, 'infinity')) a on true
    left join lateral (
      select sum(h.usd)::bigint usd, sum(h.bundled)::bigint bundled,
             sum(h.diem) filter (where h.diem_account = a.diem_account)::bigint diem
      from ledger_hold h where h.account_id = o.owner) h on true
    left join diem_stake s on s.account_id = o.owner`
  return new Map(rows.map((row) => [row.owner, fromRow(row)]))
}

const fromRow = (row: BalanceRow): Balances => {
  const stake = row.stake ?? 0n
  // Today's diem is granted with the first request of the day; until then it is the stake.
  const granted = row.diem ?? (stake < stakeMinNanos ? 0n : stake)
  return {
    usd: row.usd - row.held_usd,
    bundled: row.bundled - row.held_bundled,
    diem: stake === 0n && row.diem === null ? null : granted - row.held_diem,
    stake,
  }
}
