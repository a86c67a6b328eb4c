import { accountChanged } from '#accounts/accounts.js'
import { findKeyByHash, type KnownKey, keyChanged } from '#accounts/api-keys.js'
import type { Announcements } from '#store/announcements.js'
import type { Sql } from '#store/sql.js'

/**
 * Remembers keys by the hash of their secret. What is remembered is used only while announcements of changes surely
 * reach us (`isCurrent`), so a key revoked in any process stops working here within a second, and a lost database is
 * noticed instead of being papered over.
 */
export type KeyCache = {
  /** The key if it is remembered, at no cost; null if it is remembered as unknown; undefined if the database must tell. */
  peek(hash: string): KnownKey | null | undefined
  /** Asks the database, once for all callers who ask at the same time. */
  find(hash: string): Promise<KnownKey | null>
}

type Needs = { sql: Sql; announcements: Announcements; keysMax?: number; unknownMax?: number }

export const createKeyCache = ({ sql, announcements, keysMax = 50_000, unknownMax = 5_000 }: Needs): KeyCache => {
  const known = new Map<string, KnownKey>()
  // Apart from the known ones, so that a flood of invented keys cannot push real ones out.
  const unknown = new Set<string>()
  const underway = new Map<string, Promise<KnownKey | null>>()
  let generation = 0

  // An answer that is already on its way may be older than the news and must not be remembered.
  const doubtAnswers = () => {
    generation++
    underway.clear()
  }
  announcements.on(keyChanged, (hash) => {
    doubtAnswers()
    if (hash === undefined) {
      known.clear()
      unknown.clear()
    } else {
      known.delete(hash)
      unknown.delete(hash)
    }
  })
  announcements.on(accountChanged, (accountId) => {
    doubtAnswers()
    for (const [hash, key] of known) if (accountId === undefined || key.accountId === accountId) known.delete(hash)
  })

  const remember = (hash: string, key: KnownKey | null) => {
    if (key !== null) {
      if (known.size >= keysMax) known.delete(known.keys().next().value as string)
      known.set(hash, key)
    } else {
      if (unknown.size >= unknownMax) unknown.clear()
      unknown.add(hash)
    }
  }

  const ask = async (hash: string) => {
    const asked = generation
    const key = (await findKeyByHash(sql, hash)) ?? null
    if (asked === generation && announcements.isCurrent()) remember(hash, key)
    return key
  }

  return {
    peek(hash) {
      if (!announcements.isCurrent()) return undefined
      return known.get(hash) ?? (unknown.has(hash) ? null : undefined)
    },
    find(hash) {
      const running = underway.get(hash)
      if (running) return running
      const fresh = ask(hash).finally(() => {
        if (underway.get(hash) === fresh) underway.delete(hash)
      })
      underway.set(hash, fresh)
      return fresh
    },
  }
}
