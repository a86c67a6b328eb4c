import type { Clock } from '#plumbing/clock.js'
import type { Sql } from '#store/sql.js'
import { accountOfWallet } from './accounts.js'
import {
  type ApiKey,
  createKeyWithinLimits,
  findKey,
  type KeyChange,
  listKeys,
  type NewKey,
  revokeKey,
  updateKey,
} from './api-keys.js'

/** An account's keys, for those who know neither the database nor the time. */
export type Keyring = {
  list(accountId: string, page: { limit: number; offset: number }): Promise<{ keys: ApiKey[]; total: number }>
  find(accountId: string, id: string): Promise<ApiKey | undefined>
  create(key: NewKey): Promise<{ key: ApiKey; secret: string }>
  /** For somebody who has proved to own a wallet; their account is made on first sight. */
  createForWallet(address: string, key: Omit<NewKey, 'accountId'>): Promise<{ key: ApiKey; secret: string }>
  update(accountId: string, id: string, change: KeyChange): Promise<ApiKey | undefined>
  revoke(accountId: string, id: string): Promise<boolean>
}

type Needs = { sql: Sql; clock: Clock; creationsPerMinuteMax: () => number }

export const createKeyring = ({ sql, clock, creationsPerMinuteMax }: Needs): Keyring => ({
  list: (accountId, page) => listKeys(sql, accountId, page),
  find: (accountId, id) => findKey(sql, accountId, id),
  create: (key) => createKeyWithinLimits(sql, key, clock.nowMs(), creationsPerMinuteMax()),
  createForWallet: (address, key) =>
    sql.transaction(async (sql) => {
      const { id: accountId } = await accountOfWallet(sql, address, clock.nowMs())
      return createKeyWithinLimits(sql, { ...key, accountId }, clock.nowMs(), creationsPerMinuteMax())
    }),
  update: (accountId, id, change) => updateKey(sql, accountId, id, change),
  revoke: (accountId, id) => revokeKey(sql, accountId, id, clock.nowMs()),
})
