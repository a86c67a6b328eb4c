import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import type { Sql } from '#store/sql.js'

/** An answer as it left: what a retry with the same Idempotency-Key gets again. */
export type Answer = { status: number; headers: Record<string, string>; body: string | Buffer }

/** How a caller may repeat a request without paying twice. */
export type Idempotency = {
  /** The Idempotency-Key header. */
  key: string
  /** What only this caller has. The answer is encrypted with it: at rest, nobody else can read what was answered. */
  credential: string
  /** Method, path and body of the request, as text. */
  request: string
}

const sha256 = (...parts: string[]) => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${part.length}:`).update(part)
  return hash.digest('hex')
}

/** Two keys of one account may choose the same Idempotency-Key without knowing of each other. */
export const claimOf = ({ key, credential, request }: Idempotency) => ({
  keyHash: sha256(credential, key),
  fingerprint: sha256(request),
})

/** For how long an answer is repeated. */
export const keptMs = 24 * 60 * 60 * 1000

const cipher = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

const secretOf = ({ key, credential }: Idempotency) =>
  Buffer.from(hkdfSync('sha256', credential, key, 'tessera idempotent answer', 32))

/** Nonce, tag, then the encrypted length of the head, the head and the body. */
export const encryptAnswer = ({ status, headers, body }: Answer, idempotency: Idempotency): Buffer => {
  const nonce = randomBytes(nonceBytes)
  const encryption = createCipheriv(cipher, secretOf(idempotency), nonce)
  const head = Buffer.from(JSON.stringify({ status, headers }))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(head.length)
  const text = [
    encryption.update(length),
    encryption.update(head),
    typeof body === 'string' ? encryption.update(body, 'utf8') : encryption.update(body),
    encryption.final(),
  ]
  return Buffer.concat([nonce, encryption.getAuthTag(), ...text])
}

export const decryptAnswer = (stored: Buffer, idempotency: Idempotency): Answer => {
  const decryption = createDecipheriv(cipher, secretOf(idempotency), stored.subarray(0, nonceBytes))
  decryption.setAuthTag(stored.subarray(nonceBytes, nonceBytes + tagBytes))
  const text = Buffer.concat([decryption.update(stored.subarray(nonceBytes + tagBytes)), decryption.final()])
  const headEnd = 4 + text.readUInt32BE(0)
  const head = JSON.parse(text.subarray(4, headEnd).toString()) as Omit<Answer, 'body'>
  return { ...head, body: text.subarray(headEnd) }
}

/** What is known about an Idempotency-Key that was used before; undefined when that request failed meanwhile. */
/** The newest one, if the caller's requests may have been paid by several accounts. */
export const findClaim = (sql: Sql, accountIds: readonly string[], keyHash: string) =>
  sql.maybeOne<{ accountId: string; fingerprint: string; answer: Buffer | null }>`
    select account_id "accountId", encode(fingerprint, 'hex') fingerprint, answer from idempotent_answer
    where account_id = any(${accountIds}::uuid[]) and key_hash = decode(${keyHash}, 'hex')
    order by made_at desc limit 1`

export const forgetOldAnswers = async (sql: Sql, nowMs: number): Promise<void> => {
  const atOnce = 1_000
  for (let forgotten = atOnce; forgotten === atOnce; ) {
    const rows = await sql`
      delete from idempotent_answer where ctid in (
        select ctid from idempotent_answer where made_at < ${new Date(nowMs - keptMs)} limit ${atOnce}) returning 1`
    forgotten = rows.length
  }
}
