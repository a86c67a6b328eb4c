import { createBatcher } from '#plumbing/batcher.js'
import { arrayText, type Sql } from '#store/sql.js'
import { dayMs, minuteMs, startOf, stepMs, type Tally, type Use } from './tally.js'

type Order = { subject: string; use: Use; nowMs: number }

/** Counts in the database that several processes share. All who ask at the same time cost one statement (rpc_count). */
export const createSharedTally = (sql: Sql): Tally => {
  const add = createBatcher<Order, Use>({
    async run(orders) {
      const nowMs = Math.max(...orders.map((order) => order.nowMs))
      const subjects = [...new Set(orders.map(({ subject }) => subject))].sort()
      const used = new Map(subjects.map((subject) => [subject, { requests: 0, credits: 0 }]))
      const more = ({ subject, use }: Order): Use => {
        const sum = used.get(subject) as Use
        sum.requests += use.requests
        sum.credits += use.credits
        return { ...sum }
      }
      const upTo = orders.map(more)
      const sums = [...used.values()].map((sum) => ({ ...sum }))
      const rows = await sql.call<{ requests: bigint; credits: bigint }>('rpc_count', [
        arrayText(subjects),
        arrayText(sums.map(({ requests }) => BigInt(requests))),
        arrayText(sums.map(({ credits }) => BigInt(credits))),
        new Date(startOf(minuteMs, nowMs)),
        new Date(startOf(stepMs, nowMs)),
        new Date(nowMs - dayMs),
      ])
      // What each of them found: everything before this batch, and those in front of it.
      const before = new Map(
        subjects.map((subject, place) => {
          const [row, sum] = [rows[place], sums[place] as Use]
          return [
            subject,
            { requests: Number(row?.requests) - sum.requests, credits: Number(row?.credits) - sum.credits },
          ]
        }),
      )
      return orders.map(({ subject }, place) => {
        const [earlier, own] = [before.get(subject) as Use, upTo[place] as Use]
        return { requests: earlier.requests + own.requests, credits: earlier.credits + own.credits }
      })
    },
  })
  return { add: (subject, use, nowMs) => add({ subject, use, nowMs }) }
}
