import type { ApiKey } from '#accounts/api-keys.js'
import type { Caller } from '#accounts/caller.js'
import { hashKeySecret, looksLikeOurKey } from '#accounts/key-secret.js'
import type { LastUsed } from '#accounts/last-used.js'
import { fail } from '#contract/errors.js'
import type { Clock } from '#plumbing/clock.js'
import type { KeyCache } from './key-cache.js'

/**
 * Tells who is calling from the Authorization header, or throws the precise reason why not. It answers at once when
 * the key is remembered and with a promise when the database has to be asked.
 */
export type Authenticate = (authorization: string | undefined) => Caller | Promise<Caller>

type Needs = { cache: KeyCache; lastUsed: LastUsed; clock: Clock }

const secretLengthMax = 512

export const createAuthenticate = ({ cache, lastUsed, clock }: Needs): Authenticate => {
  const admit = (key: ApiKey | null, secret: string): Caller => {
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
    }
  }

  return (authorization) => {
    const secret = bearerSecret(authorization)
    const hash = hashKeySecret(secret)
    const remembered = cache.peek(hash)
    return remembered === undefined ? cache.find(hash).then((key) => admit(key, secret)) : admit(remembered, secret)
  }
}

const bearerSecret = (authorization: string | undefined): string => {
  if (authorization === undefined || authorization.trim() === '') throw fail('missingKey')
  const match = /^bearer +([\x21-\x7e]+)$/i.exec(authorization.trim())
  if (!match) throw fail('malformedKey', "the header must read 'Authorization: Bearer <key>'")
  const secret = match[1] as string
  if (secret.length > secretLengthMax) throw fail('malformedKey', `it is longer than ${secretLengthMax} characters`)
  return secret
}

const unknown = (secret: string) =>
  secret.startsWith('svc_') && !looksLikeOurKey(secret)
    ? fail('malformedKey', 'it looks like one of ours but is incomplete; copy it again in full')
    : fail('unknownKey')
