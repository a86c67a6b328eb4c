import assert from 'node:assert/strict'
import { createAccount } from '#accounts/accounts.js'
import { createKey, type NewKey } from '#accounts/api-keys.js'
import { auditLedger } from '#ledger/audit/audit.js'
import { type Balances, noBalances, readBalances } from '#ledger/credit/balances.js'
import { type GrantedCurrency, grantCredit } from '#ledger/credit/grant.js'
import type { Sql } from '#store/sql.js'

let grants = 0

/** An account with credit, and a key for it. Amounts are nanos. */
export const createPayer = async (
  sql: Sql,
  {
    usd = 0n,
    bundled = 0n,
    nowMs = Date.now(),
    ...key
  }: Partial<NewKey> & { usd?: bigint; bundled?: bigint; nowMs?: number } = {},
) => {
  const { id: accountId } = await createAccount(sql, { name: 'payer', nowMs })
  const made = await createKey(sql, { type: 'INFERENCE', description: 'payer', ...key, accountId }, nowMs)
  const grant = (amountNanos: bigint, currency: GrantedCurrency = 'USD') =>
    grantCredit(sql, { accountId, currency, amountNanos, idempotencyKey: `test ${accountId} ${++grants}`, nowMs })
  if (usd > 0n) await grant(usd)
  if (bundled > 0n) await grant(bundled, 'BUNDLED_CREDITS')
  return {
    accountId,
    apiKeyId: made.key.id,
    key: made.secret,
    grant,
    balances: async (atMs = Date.now()): Promise<Balances> =>
      (await readBalances(sql, [accountId], atMs)).get(accountId) ?? noBalances,
  }
}

/** The doctor's proof: fails the test with what it found. With a clock of its own, a test says what time it is. */
export const assertBooks = async (sql: Sql, nowMs?: number) => {
  const problems = (await auditLedger(sql, nowMs === undefined ? {} : { nowMs })).filter(
    (finding) => finding.problems > 0,
  )
  assert.deepEqual(problems, [])
}
