import { arrayText, type Sql } from '#store/sql.js'
import type { Counted, Earlier, Step } from './count-use.js'
import { dayMs, minuteMs, startOf } from './tally.js'

/*
 * What subjects used, as rpc_count writes it down, too: so the counts stay when one process becomes several, or several
 * become one. Times are whole seconds, for they begin minutes.
 */

/** What each of these used in the day before now. Gathered one by one, so that it is never a scan of the whole table. */
export const readUse = async (sql: Sql, subjects: readonly string[], nowMs: number): Promise<Earlier[]> => {
  const minuteStartMs = startOf(minuteMs, nowMs)
  const rows = await sql<{ requests: bigint; steps: Earlier['steps'] }>`
    select found.requests, found.steps
    from unnest(${arrayText(subjects)}::text[]) with ordinality as u(subject, place)
    cross join lateral (
      select coalesce(sum(c.requests) filter (where c.period = 'minute'), 0)::bigint requests,
             coalesce(json_agg(json_build_object('startMs', extract(epoch from c.starts_at)::bigint * 1000, 'credits', c.tokens))
                      filter (where c.period = 'day'), '[]') steps
      from limit_counter c
      where c.subject = u.subject
        and (c.period = 'day' and c.starts_at > ${new Date(nowMs - dayMs)}
          or c.period = 'minute' and c.starts_at = ${new Date(minuteStartMs)})) found
    order by u.place`
  return rows.map(({ requests, steps }) => ({ minuteStartMs, requests: Number(requests), steps }))
}

type Row = { subject: string; period: 'minute' | 'day'; startMs: number; requests: number; credits: number }

/**
 * Writes down what has changed, as what it is and not as what was added: so it may be written again when nobody knows
 * whether it was. Right as long as nobody else counts.
 */
export const writeUse = async (sql: Sql, subjects: readonly (Counted & { name: string })[]): Promise<void> => {
  const rows: Row[] = []
  const steps: Step[] = []
  for (const { name: subject, minuteStartMs, requests, steps: all } of subjects) {
    rows.push({ subject, period: 'minute', startMs: minuteStartMs, requests, credits: 0 })
    for (const step of all) {
      if (!step.isChanged) continue
      rows.push({ subject, period: 'day', startMs: step.startMs, requests: 0, credits: step.credits })
      step.isChanged = false
      steps.push(step)
    }
  }
  try {
    await sql`
      insert into limit_counter (subject, period, starts_at, requests, tokens)
      select u.subject, u.period, to_timestamp(u.start), u.requests, u.credits
      from unnest(${arrayText(rows.map(({ subject }) => subject))}::text[],
                  ${arrayText(rows.map(({ period }) => period))}::limit_period[],
                  ${arrayText(rows.map(({ startMs }) => startMs / 1000))}::float8[],
                  ${arrayText(rows.map(({ requests }) => requests))}::bigint[],
                  ${arrayText(rows.map(({ credits }) => credits))}::bigint[]) as u(subject, period, start, requests, credits)
      on conflict on constraint limit_counter_pkey do update set requests = excluded.requests, tokens = excluded.tokens`
  } catch (error) {
    for (const step of steps) step.isChanged = true
    throw error
  }
}

/** Removes what no longer counts. The days of other limits begin at midnight, so they are over by then, too. */
export const removeOldUse = async (sql: Sql, nowMs: number): Promise<void> => {
  await sql`
    delete from limit_counter
    where starts_at <= ${new Date(nowMs - dayMs)} or period = 'minute' and starts_at < ${new Date(nowMs - 3 * minuteMs)}`
}
