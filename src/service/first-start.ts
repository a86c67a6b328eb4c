import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createAccount, listAccounts } from '#accounts/accounts.js'
import { createKey, findKeyByHash } from '#accounts/api-keys.js'
import { hashKeySecret, newKeySecret } from '#accounts/key-secret.js'
import { grantCredit } from '#ledger/credit/grant.js'
import type { Clock } from '#plumbing/clock.js'
import type { Sql } from '#store/sql.js'

const trialCreditNanos = 100_000_000_000n
/** Any number does, as long as every Tessera uses the same one. */
const firstStartLock = 7_355_609

type Needs = { sql: Sql; clock: Clock; dataDir: string; adminKey: string | undefined }

/** Where the operator finds an ADMIN key after this start. */
export type AdminKey =
  | { kind: 'generated'; secret: string; file: string }
  | { kind: 'file'; file: string }
  | { kind: 'chosen' }
  | { kind: 'chosen but revoked' }
  /** Another process made it, or its file is gone. */
  | { kind: 'elsewhere' }

/**
 * Gives a new installation its first account: an ADMIN key and 100 USD of trial credit. Does nothing later, except that
 * a key named by TESSERA_ADMIN_KEY is added if it is new, so that automation always knows one that works. Several
 * processes may call this at once on the same database.
 */
export const prepareFirstAccount = ({ sql, clock, dataDir, adminKey }: Needs): Promise<AdminKey> =>
  sql.transaction(async (sql) => {
    await sql`select pg_advisory_xact_lock(${firstStartLock})`
    const file = join(dataDir, 'admin-key')
    const nowMs = clock.nowMs()
    const [first] = await listAccounts(sql)
    if (first) {
      if (adminKey === undefined)
        return (await isActive(sql, readKeyFile(file))) ? { kind: 'file', file } : { kind: 'elsewhere' }
      const key = await findKeyByHash(sql, hashKeySecret(adminKey))
      if (!key) await createKey(sql, firstKey(first.id, adminKey), nowMs)
      return key?.revokedAt ? { kind: 'chosen but revoked' } : { kind: 'chosen' }
    }
    const account = await createAccount(sql, { name: 'First account', nowMs })
    // Written down before it is valid: a crash in between leaves a key that the next start uses, not a lost one.
    const secret = adminKey ?? readKeyFile(file) ?? writeKeyFile(file, newKeySecret('ADMIN'))
    await createKey(sql, firstKey(account.id, secret), nowMs)
    await grantCredit(sql, {
      accountId: account.id,
      amountNanos: trialCreditNanos,
      idempotencyKey: `trial:${account.id}`,
      nowMs,
    })
    return adminKey === undefined ? { kind: 'generated', secret, file } : { kind: 'chosen' }
  })

const isActive = async (sql: Sql, secret: string | undefined) => {
  const key = secret === undefined ? undefined : await findKeyByHash(sql, hashKeySecret(secret))
  return key !== undefined && key.revokedAt === null
}

const firstKey = (accountId: string, secret: string) => ({
  accountId,
  type: 'ADMIN' as const,
  description: 'First ADMIN key',
  secret,
})

const readKeyFile = (path: string): string | undefined => {
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
