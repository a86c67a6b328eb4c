import type { Clock } from '#plumbing/clock.js'
import { createSharedSecret } from '#store/shared-secret.js'
import type { Sql } from '#store/sql.js'
import { type Balances, noBalances, readBalances } from '../credit/balances.js'
import { listMovements } from '../credit/movements.js'
import { type Analytics, type DayRange, readAnalytics } from './analytics.js'
import { type HistoryPage, type HistoryQuestion, readHistory } from './history.js'
import { createCursors } from './history-cursor.js'
import { type KeyUsage, keyUsage } from './key-usage.js'
import { findRequestBill, type RequestBill } from './request-bill.js'

/** What an account has and used, for those who know neither the database nor the time. */
export type Usage = {
  balances(accountId: string): Promise<Balances>
  /** What came in and what was spent of an account's USD credit, newest first. */
  movements(accountId: string, page: { limit: number; offset: number }): ReturnType<typeof listMovements>
  history(accountId: string, question: HistoryQuestion): Promise<HistoryPage>
  analytics(accountId: string, range: DayRange): Promise<Analytics>
  /** By the id of the request or of its answer. */
  requestBill(accountId: string, id: string): Promise<RequestBill | undefined>
  ofKeys(accountId: string, keyIds: readonly string[]): Promise<Map<string, KeyUsage>>
}

type Needs = {
  sql: Sql
  clock: Clock
  /** Below the bound of every query, after which a database counts as away. */
  analyticsTimeoutMs?: number
}

export const createUsage = ({ sql, clock, analyticsTimeoutMs = 9_000 }: Needs): Usage => {
  const cursors = createCursors({ secret: createSharedSecret(sql, 'usage-cursor'), clock })
  return {
    balances: async (accountId) => (await readBalances(sql, [accountId], clock.nowMs())).get(accountId) ?? noBalances,
    movements: (accountId, page) => listMovements(sql, accountId, page),
    history: (accountId, question) => readHistory(sql, cursors, accountId, question),
    analytics: (accountId, range) => readAnalytics(sql, accountId, range, analyticsTimeoutMs),
    requestBill: (accountId, id) => findRequestBill(sql, accountId, id),
    ofKeys: (accountId, keyIds) => keyUsage(sql, accountId, keyIds, clock.nowMs()),
  }
}
