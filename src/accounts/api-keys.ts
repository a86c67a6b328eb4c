import { randomUUID } from 'node:crypto'
import type { ApiKeyType, LimitPeriod, ModelPrivacy } from '#contract/api-keys.js'
import { fail } from '#contract/errors.js'
import type { Row, Sql } from '#store/sql.js'
import { hashKeySecret, newKeySecret } from './key-secret.js'

/** Limits are decimal strings, exactly as they are in the database; null means none. */
export type KeyLimits = { usd: string | null; diem: string | null }

export type ApiKey = {
  id: string
  accountId: string
  type: ApiKeyType
  last6: string
  description: string
  limits: KeyLimits
  limitPeriod: LimitPeriod
  modelPrivacy: ModelPrivacy
  expiresAt: Date | null
  createdAt: Date
  lastUsedAt: Date | null
  revokedAt: Date | null
}

type KeyRow = Row & {
  id: string
  account_id: string
  type: ApiKeyType
  last6: string
  description: string
  limit_usd: string | null
  limit_diem: string | null
  limit_period: LimitPeriod
  model_privacy: ModelPrivacy
  expires_at: Date | null
  created_at: Date
  last_used_at: Date | null
  revoked_at: Date | null
}

const fromRow = (row: KeyRow): ApiKey => ({
  id: row.id,
  accountId: row.account_id,
  type: row.type,
  last6: row.last6,
  description: row.description,
  limits: { usd: row.limit_usd, diem: row.limit_diem },
  limitPeriod: row.limit_period,
  modelPrivacy: row.model_privacy,
  expiresAt: row.expires_at,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  revokedAt: row.revoked_at,
})

/** Every process forgets what it remembers of the key whose hash is announced here. */
export const keyChanged = 'tessera_key_changed'
const announce = (sql: Sql, hash: string) => sql`select pg_notify(${keyChanged}, ${hash})`

export type NewKey = {
  accountId: string
  type: ApiKeyType
  description: string
  limits?: KeyLimits
  limitPeriod?: LimitPeriod
  modelPrivacy?: ModelPrivacy
  expiresAt?: Date | null
  /** Only for the first key, whose text the operator may choose; all others are random. */
  secret?: string
}

/** Makes a key. The secret is in the answer and nowhere else. */
export const createKey = async (sql: Sql, key: NewKey, nowMs: number): Promise<{ key: ApiKey; secret: string }> => {
  const secret = key.secret ?? newKeySecret(key.type)
  const hash = hashKeySecret(secret)
  const row = await sql.one<KeyRow>`
    insert into api_key (id, account_id, type, hash, last6, description, limit_usd, limit_diem, limit_period,
                         model_privacy, expires_at, created_at)
    values (${randomUUID()}, ${key.accountId}, ${key.type}, ${Buffer.from(hash, 'hex')}, ${secret.slice(-6)},
            ${key.description}, ${key.limits?.usd ?? null}, ${key.limits?.diem ?? null}, ${key.limitPeriod ?? 'EPOCH'},
            ${key.modelPrivacy ?? 'ALL'}, ${key.expiresAt ?? null}, ${new Date(nowMs)})
    returning *`
  // Somebody may have tried this key before it existed, and a process may remember that it is unknown.
  await announce(sql, hash)
  return { key: fromRow(row), secret }
}

export const activeKeysMax = 500

/** As `createKey`, for callers: so many a minute and 500 active ones per account, exact across processes. */
export const createKeyWithinLimits = (sql: Sql, key: NewKey, nowMs: number, perMinuteMax: number) =>
  sql.transaction(async (sql) => {
    // The account row is the queue: two creations of one account never count at the same time.
    await sql`select 1 from account where id = ${key.accountId} for update`
    const { active, recent, oldest } = await sql.one<{ active: bigint; recent: bigint; oldest: Date | null }>`
      select count(*) filter (where revoked_at is null and (expires_at is null or expires_at > ${new Date(nowMs)})) active,
             count(*) filter (where created_at > ${new Date(nowMs - 60_000)}) recent,
             min(created_at) filter (where created_at > ${new Date(nowMs - 60_000)}) oldest
      from api_key where account_id = ${key.accountId}`
    if (recent >= perMinuteMax) {
      const waitMs = (oldest?.getTime() ?? nowMs) + 60_000 - nowMs
      throw fail('tooManyKeyCreations', String(perMinuteMax), String(Math.ceil(waitMs / 1000))).retryAfterMs(waitMs)
    }
    if (active >= activeKeysMax) throw fail('tooManyKeys', String(activeKeysMax))
    return createKey(sql, key, nowMs)
  })

/** A key, and what has to be known of its account to serve whoever sends it. */
export type KnownKey = ApiKey & { tier: string }

/** Finds a key by the hash of its secret, also a revoked or expired one, so that the caller can be told which it is. */
export const findKeyByHash = async (sql: Sql, hash: string): Promise<KnownKey | undefined> => {
  const row = await sql.maybeOne<KeyRow & { tier: string }>`
    select k.*, a.tier from api_key k join account a on a.id = k.account_id where k.hash = ${Buffer.from(hash, 'hex')}`
  return row && { ...fromRow(row), tier: row.tier }
}

/** Ids come from callers and may be anything; what is no id finds nothing instead of failing in the database. */
const isId = (id: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)

export const findKey = async (sql: Sql, accountId: string, id: string): Promise<ApiKey | undefined> => {
  if (!isId(id)) return undefined
  const row = await sql.maybeOne<KeyRow>`
    select * from api_key where account_id = ${accountId} and id = ${id} and revoked_at is null`
  return row && fromRow(row)
}

export const listKeys = async (
  sql: Sql,
  accountId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ keys: ApiKey[]; total: number }> => {
  const rows = await sql<KeyRow & { total: bigint }>`
    select *, count(*) over () total from api_key
    where account_id = ${accountId} and revoked_at is null
    order by created_at, id limit ${limit} offset ${offset}`
  if (rows.length > 0 || offset === 0) return { keys: rows.map(fromRow), total: Number(rows[0]?.total ?? 0) }
  // Beyond the last page there is no row to carry the count.
  const { total } = await sql.one<{ total: bigint }>`
    select count(*) total from api_key where account_id = ${accountId} and revoked_at is null`
  return { keys: [], total: Number(total) }
}

/** Fields left out stay as they are. */
export type KeyChange = {
  description?: string
  limits?: Partial<KeyLimits>
  limitPeriod?: LimitPeriod
  modelPrivacy?: ModelPrivacy
  expiresAt?: Date | null
}

export const updateKey = (sql: Sql, accountId: string, id: string, change: KeyChange): Promise<ApiKey | undefined> =>
  sql.transaction(async (sql) => {
    if (!isId(id)) return undefined
    const row = await sql.maybeOne<KeyRow & { hash: Buffer }>`
      select * from api_key where account_id = ${accountId} and id = ${id} and revoked_at is null for update`
    if (!row) return undefined
    const now = fromRow(row)
    const next = { ...now, ...change, limits: { ...now.limits, ...change.limits } }
    const changed = await sql.one<KeyRow>`
      update api_key set description = ${next.description}, limit_usd = ${next.limits.usd}, limit_diem = ${next.limits.diem},
        limit_period = ${next.limitPeriod}, model_privacy = ${next.modelPrivacy}, expires_at = ${next.expiresAt}
      where id = ${now.id} returning *`
    await announce(sql, row.hash.toString('hex'))
    return fromRow(changed)
  })

/** Ends a key for good, everywhere, within a second. False when there is no such active key. */
export const revokeKey = (sql: Sql, accountId: string, id: string, nowMs: number): Promise<boolean> =>
  sql.transaction(async (sql) => {
    if (!isId(id)) return false
    const row = await sql.maybeOne<{ hash: Buffer }>`
      update api_key set revoked_at = ${new Date(nowMs)}
      where account_id = ${accountId} and id = ${id} and revoked_at is null returning hash`
    if (row) await announce(sql, row.hash.toString('hex'))
    return row !== undefined
  })
