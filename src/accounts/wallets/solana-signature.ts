import { createPublicKey, verify } from 'node:crypto'
import { decodeBase58 } from '#plumbing/base58.js'

/** `signature` as wallets give it: 64 bytes in base58 or in base64. */
export type SolanaProof = { wallet: string; text: string; signature: string }

/** Whether a wallet of Solana signed this text (Ed25519, whose public keys are the addresses). */
export const isSignedBySolana = ({ wallet, text, signature }: SolanaProof): boolean => {
  const publicKey = readSolanaAddress(wallet)
  if (publicKey === undefined) return false
  const readings = [decodeBase58(signature, 64), decodeBase64(signature)].filter((bytes) => bytes !== undefined)
  if (readings.length === 0) return false
  const message = Buffer.from(text, 'utf8')
  // Of all forms in which a key can be given, the one that OpenSSL reads ten times faster than the others.
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') }
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  return readings.some((bytes) => verify(null, message, key, bytes))
}

/** The public key that an address is; undefined when it is none with which a signature would prove anything. */
const readSolanaAddress = (address: string): Uint8Array | undefined => {
  const bytes = decodeBase58(address, 32)
  return bytes === undefined || isWeak(bytes) ? undefined : bytes
}

/** With or without padding, in either alphabet. */
const decodeBase64 = (text: string): Buffer | undefined =>
  /^[\w+/-]{86}(?:==)?$/.test(text) ? Buffer.from(text, 'base64') : undefined

/**
 * For a key of small order anybody can make a signature of any text, and OpenSSL accepts it. Their y is one of these five,
 * with either sign; a number that is not below the prime is a second spelling of another, which no wallet uses.
 */
const isWeak = (publicKey: Uint8Array): boolean => {
  const y = Buffer.from(publicKey).reverse()
  y[0] = (y[0] as number) & 0x7f
  return y.compare(prime) >= 0 || smallOrders.some((weak) => weak.equals(y))
}

const prime = Buffer.from(`7f${'ff'.repeat(30)}ed`, 'hex')
const smallOrders = [
  '00'.repeat(32),
  `${'00'.repeat(31)}01`,
  `7f${'ff'.repeat(30)}ec`,
  '05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826',
  '7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7',
].map((digits) => Buffer.from(digits, 'hex'))
