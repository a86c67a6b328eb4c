import type { Reading, Window } from '#limits/count.js'
import type { Counters } from '#limits/counters.js'
import { createBatcher } from '#plumbing/batcher.js'
import type { Sql } from '#store/sql.js'
import { counterColumns } from '../posting/count-columns.js'
import type { Counting, Steps } from './counting.js'

type Needs = { steps: Steps; sql: Sql; counters: Counters }

/**
 * Counts in the database that several processes share, in the very statements that hold and settle. What was counted
 * there is remembered here: requests that are used up stay used up until their window ends, so whoever goes on asking is
 * refused without asking the database again.
 */
export const countTogether = ({ steps, sql, counters }: Needs): Counting => {
  let forgottenMs = Number.NEGATIVE_INFINITY
  return {
    async hold(order) {
      // Who repeats a request may get its answer again, and only the database knows.
      const readings = order.claim ? undefined : order.count && counters.look(order.count.windows)
      const reading = readings?.find(({ requests, limit }) => requests >= limit.requestsMax)
      if (reading) return { outcome: 'limited', refusal: { reading, unit: 'requests' }, readings }
      const result = await steps.hold(order)
      if (result.readings) counters.learn(result.readings)
      return result
    },
    settle: steps.settle,
    look: createLook(sql),
    recall: counters.look,
    async forget(nowMs) {
      if (nowMs - forgottenMs < minuteMs) return
      forgottenMs = nowMs
      // Never waits for a counter that somebody is correcting: that could be a deadlock.
      await sql`
      delete from limit_counter where (subject, period, starts_at) in (
        select subject, period, starts_at from limit_counter
        where starts_at < ${new Date(nowMs - 3 * minuteMs)} and (period <> 'day' or starts_at < ${new Date(nowMs - 2 * dayMs)})
        for update skip locked)`
    },
  }
}

const minuteMs = 60_000
const dayMs = 86_400_000

type CounterRow = { requests: bigint | null; tokens: bigint | null }

/** All who ask at the same time cost one question. */
const createLook = (sql: Sql) =>
  createBatcher<readonly Window[], Reading[]>({
    async run(asked) {
      const rows = await sql.prepared<CounterRow>(
        'look at counters',
        `select c.requests, c.tokens
         from unnest($1::text[], $2::limit_period[], $3::timestamptz[]) with ordinality as u(subject, period, start, place)
         left join limit_counter c on c.subject = u.subject and c.period = u.period and c.starts_at = u.start
         order by u.place`,
        counterColumns(asked.flat()),
      )
      let next = 0
      return asked.map((windows) =>
        windows.map((window) => {
          const row = rows[next++]
          return { ...window, requests: Number(row?.requests ?? 0), tokens: Number(row?.tokens ?? 0) }
        }),
      )
    },
  })
