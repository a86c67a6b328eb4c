import { randomBytes } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import { fail } from '#contract/errors.js'
import type { Clock } from '#plumbing/clock.js'
import type { Sql } from '#store/sql.js'

/** Tokens that a wallet signs to prove that it is asking for a key, now and here. */
export type WalletTokens = { issue(): Promise<string>; verify(token: string): Promise<void> }

const validSeconds = 15 * 60
const issuer = 'tessera'
const audience = 'generate_web3_key'

export const createWalletTokens = ({ sql, clock }: { sql: Sql; clock: Clock }): WalletTokens => {
  let secret: Promise<Uint8Array> | undefined
  const sharedSecret = () => {
    // Kept only when it was read: a database that is away now may be back for the next caller.
    secret ??= readSecret(sql).catch((error) => {
      secret = undefined
      throw error
    })
    return secret
  }

  return {
    async issue() {
      const nowSeconds = Math.floor(clock.nowMs() / 1000)
      return new SignJWT({ nonce: randomBytes(16).toString('hex') })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt(nowSeconds)
        .setExpirationTime(nowSeconds + validSeconds)
        .sign(await sharedSecret())
    },
    async verify(token) {
      const currentDate = new Date(clock.nowMs())
      const key = await sharedSecret()
      await jwtVerify(token, key, { issuer, audience, currentDate, algorithms: ['HS256'] }).catch((error: unknown) => {
        if (error instanceof errors.JWTExpired) throw fail('walletTokenExpired')
        if (error instanceof errors.JWSSignatureVerificationFailed) throw fail('walletTokenSignature')
        if (error instanceof errors.JWTClaimValidationFailed) throw fail('walletTokenElsewhere')
        throw fail('walletTokenMalformed').because(error)
      })
    },
  }
}

/** In the database, so that a token of one process is good in all of them. */
const readSecret = async (sql: Sql): Promise<Uint8Array> => {
  const name = 'wallet-token'
  await sql`insert into service_secret (name, value) values (${name}, ${randomBytes(32)}) on conflict do nothing`
  return (await sql.one<{ value: Buffer }>`select value from service_secret where name = ${name}`).value
}
