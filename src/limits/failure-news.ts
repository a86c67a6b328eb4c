import { randomUUID } from 'node:crypto'
import type { Announcements } from '#store/announcements.js'
import type { Sql } from '#store/sql.js'
import type { Failed } from './budgets.js'

const channel = 'tessera_request_failed'

type Needs = { sql: Sql; announcements: Announcements }

/**
 * Tells all processes about failures, so that each can count those of all. Nobody waits for it, and news that are lost
 * only mean that a few more failures are let through.
 */
export const createFailureNews = ({ sql, announcements }: Needs) => {
  const here = randomUUID()
  return {
    announce(failed: Failed) {
      const message = JSON.stringify({ from: here, failed })
      sql`select pg_notify(${channel}, ${message})`.catch(() => {})
    },
    onNews(hear: (failed: Failed) => void) {
      announcements.on(channel, (message) => {
        if (message === undefined) return
        const { from, failed } = JSON.parse(message) as { from: string; failed: Failed }
        if (from !== here) hear(failed)
      })
    },
  }
}
