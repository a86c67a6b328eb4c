import { randomUUID } from 'node:crypto'
import type { Announcements } from '#store/announcements.js'
import type { Sql } from '#store/sql.js'
import { type BudgetType, budgetTypes, type Failed } from './budgets.js'

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
        const news = message === undefined ? undefined : read(message)
        if (news !== undefined && news.from !== here) hear(news.failed)
      })
    },
  }
}

type News = { from: string; failed: Failed }

/** Anybody with access to the database may say anything here, also another version of this service. */
const read = (message: string): News | undefined => {
  try {
    const { from, failed } = JSON.parse(message) as Partial<News>
    const { subject, modelId, type } = failed ?? {}
    const isReadable = typeof from === 'string' && typeof subject === 'string' && typeof modelId === 'string'
    return isReadable && budgetTypes.includes(type as BudgetType)
      ? { from, failed: { subject, modelId, type: type as BudgetType } }
      : undefined
  } catch {
    return undefined
  }
}
