import { arrayText, type Sql } from '#store/sql.js'
import type { Counted, Earlier, Step } from './count-use.js'
import { dayMs, minuteMs, startOf } from './tally.js'

/*
 * What subjects used, as rpc_count writes it down, too: so the counts stay when one process becomes several, or several
 * become one. Times are whole seconds, for they begin minutes.
 */

type EarlierRow = { place: number; period: 'minute' | 'day'; startSeconds: number; requests: bigint; credits: bigint }

/** What each of these used in the day before now. Not a prepared statement: its plan would be that of an empty table. */
export const readUse = async (sql: Sql, subjects: readonly string[], nowMs: number): Promise<Earlier[]> => {
  const minuteStartMs = startOf(minuteMs, nowMs)
  const rows = await sql<EarlierRow>`
    select u.place::int, c.period::text, extract(epoch from c.starts_at)::float8 "startSeconds", c.requests, c.tokens credits
    from unnest(${arrayText(subjects)}::text[]) with ordinality as u(subject, place)
    join limit_counter c on c.subject = u.subject
      and (c.period = 'day' and c.starts_at > ${new Date(nowMs - dayMs)}
        or c.period = 'minute' and c.starts_at = ${new Date(minuteStartMs)})`
  const found = subjects.map((): Earlier => ({ minuteStartMs, requests: 0, steps: [] }))
  for (const { place, period, startSeconds, requests, credits } of rows) {
    const earlier = found[place - 1] as Earlier
    if (period === 'minute') earlier.requests = Number(requests)
    else earlier.steps.push({ startMs: startSeconds * 1000, credits: Number(credits) })
  }
  return found
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
