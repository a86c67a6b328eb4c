import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createAccount, listAccounts } from '#accounts/accounts.js'
import { createKey, findKeyByHash } from '#accounts/api-keys.js'
import { hashKeySecret, newKeySecret } from '#accounts/key-secret.js'
import { grantUsd } from '#ledger/grant.js'
import type { Clock } from '#plumbing/clock.js'
import type { Sql } from '#store/sql.js'

const trialCreditNanos = 100_000_000_000n
/** Any number does, as long as every Tessera uses the same one. */
const firstStartLock = 7_355_609

type Needs = { sql: Sql; clock: Clock; dataDir: string; adminKey: string | undefined }

/** The key to show now, if this start made one, and the file where a generated key is kept. */
export type FirstStart = { generatedKey: string | undefined; keyFile: string }

/**
 * Gives a new installation its first account: an ADMIN key and 100 USD of trial credit. Does nothing later, except that
 * a key named by TESSERA_ADMIN_KEY is added if it is new, so that automation always knows one that works. Several
 * processes may call this at once on the same database.
 */
export const prepareFirstAccount = ({ sql, clock, dataDir, adminKey }: Needs): Promise<FirstStart> =>
  sql.transaction(async (sql) => {
    await sql`select pg_advisory_xact_lock(${firstStartLock})`
    const keyFile = join(dataDir, 'admin-key')
    const nowMs = clock.nowMs()
    const [first] = await listAccounts(sql)
    if (first) {
      if (adminKey !== undefined && !(await findKeyByHash(sql, hashKeySecret(adminKey))))
        await createKey(sql, firstKey(first.id, adminKey), nowMs)
      return { generatedKey: undefined, keyFile }
    }
    const account = await createAccount(sql, { name: 'First account', nowMs })
    // Written down before it is valid: a crash in between leaves a key that the next start uses, not a lost one.
    const secret = adminKey ?? readKeyFile(keyFile) ?? writeKeyFile(keyFile, newKeySecret('ADMIN'))
    await createKey(sql, firstKey(account.id, secret), nowMs)
    await grantUsd(sql, {
      accountId: account.id,
      amountNanos: trialCreditNanos,
      idempotencyKey: `trial:${account.id}`,
      nowMs,
    })
    return { generatedKey: adminKey === undefined ? secret : undefined, keyFile }
  })

const firstKey = (accountId: string, secret: string) => ({
  accountId,
  type: 'ADMIN' as const,
  description: 'First ADMIN key',
  secret,
})

export const readKeyFile = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8').trim() || undefined
  } catch {
    return undefined
  }
}

const writeKeyFile = (path: string, secret: string): string => {
  mkdirSync(join(path, '..'), { recursive: true })
  const draft = `${path}.${randomUUID()}`
  writeFileSync(draft, `${secret}\n`, { mode: 0o600 })
  renameSync(draft, path)
  return secret
}
