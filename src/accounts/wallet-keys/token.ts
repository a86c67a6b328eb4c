import { randomBytes } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import { fail } from '#contract/errors.js'
import type { Clock } from '#plumbing/clock.js'
import { createSharedSecret } from '#store/shared-secret.js'
import type { Sql } from '#store/sql.js'

/** Tokens that a wallet signs to prove that it is asking for a key, now and here. */
export type WalletTokens = { issue(): Promise<string>; verify(token: string): Promise<void> }

const validSeconds = 15 * 60
const issuer = 'tessera'
const audience = 'generate_web3_key'

export const createWalletTokens = ({ sql, clock }: { sql: Sql; clock: Clock }): WalletTokens => {
  const secret = createSharedSecret(sql, 'wallet-token')

  return {
    async issue() {
      const nowSeconds = Math.floor(clock.nowMs() / 1000)
      return new SignJWT({ nonce: randomBytes(16).toString('hex') })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt(nowSeconds)
        .setExpirationTime(nowSeconds + validSeconds)
        .sign(await secret())
    },
    async verify(token) {
      const currentDate = new Date(clock.nowMs())
      const key = await secret()
      await jwtVerify(token, key, { issuer, audience, currentDate, algorithms: ['HS256'] }).catch((error: unknown) => {
        if (error instanceof errors.JWTExpired) throw fail('walletTokenExpired')
        if (error instanceof errors.JWSSignatureVerificationFailed) throw fail('walletTokenSignature')
        if (error instanceof errors.JWTClaimValidationFailed) throw fail('walletTokenElsewhere')
        throw fail('walletTokenMalformed').because(error)
      })
    },
  }
}
