import type { Row, Sql } from '#store/sql.js'

/** What was spent, in nanos. USD includes bundled credits. */
export type Spending = { usd: bigint; diem: bigint }

/** What a key spent: in seven UTC days, today among them, and in each window that a limit may have. */
export type KeyUsage = { trailingSevenDays: Spending; day: Spending; month: Spending; life: Spending }

type KeyUsageRow = Row & Record<`${'week' | 'day' | 'month' | 'life'}_${'usd' | 'diem'}`, bigint> & { id: string }

/**
 * Windows are told apart as the gate does when it checks a limit (ledger_key_room): the newest row of a key counts
 * if it is of this window, or of a clock that is ahead of ours.
 */
export const keyUsage = async (
  sql: Sql,
  accountId: string,
  keyIds: readonly string[],
  nowMs: number,
): Promise<Map<string, KeyUsage>> => {
  const today = new Date(nowMs).toISOString().slice(0, 10)
  const rows = await sql<KeyUsageRow>`
    select k.id, coalesce(w.usd, 0) week_usd, coalesce(w.diem, 0) week_diem,
           coalesce(case when n.day >= t.today then n.usd end, 0) day_usd,
           coalesce(case when n.day >= t.today then n.diem end, 0) day_diem,
           coalesce(case when n.day >= date_trunc('month', t.today) then n.month_usd end, 0) month_usd,
           coalesce(case when n.day >= date_trunc('month', t.today) then n.month_diem end, 0) month_diem,
           coalesce(n.life_usd, 0) life_usd, coalesce(n.life_diem, 0) life_diem
    from unnest(${keyIds}::uuid[]) as k(id)
    cross join (select ${today}::date today) t
    left join lateral (
      select sum(u.usd)::bigint usd, sum(u.diem)::bigint diem from usage_by_key u
      where u.account_id = ${accountId} and u.api_key_id = k.id and u.day > t.today - 7) w on true
    left join lateral (
      select u.* from usage_by_key u where u.account_id = ${accountId} and u.api_key_id = k.id
      order by u.day desc limit 1) n on true`
  return new Map(
    rows.map((row) => [
      row.id,
      {
        trailingSevenDays: { usd: row.week_usd, diem: row.week_diem },
        day: { usd: row.day_usd, diem: row.day_diem },
        month: { usd: row.month_usd, diem: row.month_diem },
        life: { usd: row.life_usd, diem: row.life_diem },
      },
    ]),
  )
}
