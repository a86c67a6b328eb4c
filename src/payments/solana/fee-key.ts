import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import type { Address } from '@solana/kit'
import { OperatorError } from '#plumbing/operator-error.js'

/** The key that signs for the chain's fees. */
export type FeeKey = {
  address: Address
  /** The same message is always signed the same way: whoever has the key knows the name of a transaction beforehand. */
  sign(message: Uint8Array): Uint8Array
}

// Before the 32 bytes of an Ed25519 key stand these in PKCS #8, which Node reads.
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

/** From the 64 bytes that Solana's tools write, in base58: the secret half, then the public half. */
export const openFeeKey = (kit: typeof import('@solana/kit'), text: string): FeeKey => {
  const broken = () => new OperatorError('The key of the fee wallet of Solana is not a base58 key of 64 bytes')
  let bytes: Uint8Array
  try {
    bytes = Uint8Array.from(kit.getBase58Encoder().encode(text))
  } catch {
    throw broken()
  }
  if (bytes.length !== 64) throw broken()
  const key = createPrivateKey({
    key: Buffer.concat([pkcs8Prefix, bytes.subarray(0, 32)]),
    format: 'der',
    type: 'pkcs8',
  })
  const publicBytes = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32)
  if (!publicBytes.equals(bytes.subarray(32))) throw broken()
  return { address: kit.getAddressDecoder().decode(publicBytes), sign: (message) => sign(null, message, key) }
}
