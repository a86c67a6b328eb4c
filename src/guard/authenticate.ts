import type { KnownKey } from '#accounts/api-keys.js'
import type { KeyCaller } from '#accounts/caller.js'
import { hashKeySecret, looksLikeOurKey } from '#accounts/key-secret.js'
import type { LastUsed } from '#accounts/last-used.js'
import { fail } from '#contract/errors.js'
import type { Clock } from '#plumbing/clock.js'
import type { KeyCache } from './key-cache.js'

/**
 * Tells who is calling from the Authorization header, or throws the precise reason why not. It answers at once when
 * the key is remembered and with a promise when the database has to be asked.
 */
export type Authenticate = (authorization: string | undefined, connection: object) => KeyCaller | Promise<KeyCaller>

type Needs = { cache: KeyCache; lastUsed: LastUsed; clock: Clock }

const secretLengthMax = 512

export const createAuthenticate = ({ cache, lastUsed, clock }: Needs): Authenticate => {
  const admit = (key: KnownKey | null, secret: string): KeyCaller => {
    const nowMs = clock.nowMs()
    if (key === null) throw unknown(secret)
    if (key.revokedAt !== null) throw fail('revokedKey')
    if (key.expiresAt !== null && key.expiresAt.getTime() <= nowMs)
      throw fail('expiredKey', key.expiresAt.toISOString())
    lastUsed.note(key.id, nowMs)
    return {
      kind: 'key',
      accountId: key.accountId,
      keyId: key.id,
      keyType: key.type,
      modelPrivacy: key.modelPrivacy,
      tier: key.tier,
      expiresAt: key.expiresAt,
    }
  }

  // A connection nearly always sends the same key again, and hashing it costs more than all the rest of this file. The
  // hash is kept as long as the connection, and only what the connection itself sent before is compared.
  const lastSent = new WeakMap<object, { authorization: string | undefined; secret: string; hash: string }>()
  const read = (authorization: string | undefined, connection: object) => {
    const last = lastSent.get(connection)
    if (last !== undefined && last.authorization === authorization) return last
    const secret = bearerSecret(authorization)
    const sent = { authorization, secret, hash: hashKeySecret(secret) }
    lastSent.set(connection, sent)
    return sent
  }

  return (authorization, connection) => {
    const { secret, hash } = read(authorization, connection)
    const remembered = cache.peek(hash)
    return remembered === undefined ? cache.find(hash).then((key) => admit(key, secret)) : admit(remembered, secret)
  }
}

const bearerSecret = (authorization: string | undefined): string => {
  if (authorization === undefined || authorization.trim() === '') throw fail('missingKey')
  // Written in the usual way by nearly everybody; the pattern is for the rest.
  const secret = authorization.startsWith('Bearer ')
    ? authorization.slice(7).trim()
    : /^bearer +(.*)$/i.exec(authorization.trim())?.[1]
  if (secret === undefined || !/^[\x20-\x7e]+$/.test(secret))
    throw fail('malformedKey', "the header must read 'Authorization: Bearer <key>'")
  if (secret.length > secretLengthMax) throw fail('malformedKey', `it is longer than ${secretLengthMax} characters`)
  return secret
}

const unknown = (secret: string) =>
  secret.startsWith('svc_') && !looksLikeOurKey(secret)
    ? fail('malformedKey', 'it looks like one of ours but is incomplete; copy it again in full')
    : fail('unknownKey')
