import type { Sql } from '#store/sql.js'
import { nothing } from '../bill.js'
import { type HeldRow, heldFromRow, requestIdFromUuid } from './hold.js'
import type { Settlement } from './settle.js'

type ExpiredRow = HeldRow & {
  request_id: string
  account_id: string
  api_key_id: string | null
  model: string
  made_at: Date
}

/** Holds whose time is up, as settlements that give everything back. Their process died, or lost its database. */
export const findExpiredHolds = async (sql: Sql, nowMs: number, limit: number): Promise<Settlement[]> => {
  const rows = await sql<ExpiredRow>`
    select * from ledger_hold where expires_at <= ${new Date(nowMs)} order by expires_at limit ${limit}`
  return rows.map((row) => ({
    requestId: requestIdFromUuid(row.request_id),
    accountId: row.account_id,
    apiKeyId: row.api_key_id,
    goods: { model: row.model, modelType: null, unitType: 'requests' },
    held: heldFromRow(row),
    paid: nothing,
    lines: [],
    outcome: 'expired',
    countedBy: null,
    beganAtMs: row.made_at.getTime(),
    promptTokens: null,
    completionTokens: null,
    claim: { answer: null },
    onlyIfExpired: true,
  }))
}

/**
 * Keeps holds of requests that still run from expiring. It has no lock on their owners, so it must not wait for a hold
 * that somebody else is changing: that could be a deadlock. Such a hold is being extended or settled, or waits for the
 * next round.
 */
export const renewHolds = (sql: Sql, requestIds: readonly string[], expiresAtMs: number) =>
  sql`update ledger_hold set expires_at = greatest(expires_at, ${new Date(expiresAtMs)})
      where request_id in (select request_id from ledger_hold where request_id = any(${requestIds}::uuid[])
                           for update skip locked)`
