import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'

/** What `personal_sign` signs (EIP-191): the text with a preamble, so that it can never be a transaction. */
export const personalMessageHash = (text: string): Uint8Array => {
  const message = Buffer.from(text, 'utf8')
  return keccak_256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${message.length}`), message]))
}

/** The address whose key made this signature, or undefined when it is no signature of a plain wallet. */
export const signerOf = (hash: Uint8Array, signature: Uint8Array): string | undefined => {
  const v = signature[64]
  if (signature.length !== 65 || v === undefined) return undefined
  const recovery = v >= 27 ? v - 27 : v
  if (recovery > 1) return undefined
  try {
    const compact = Uint8Array.of(recovery, ...signature.subarray(0, 64))
    const publicKey = secp256k1.recoverPublicKey(compact, hash, { prehash: false })
    const point = secp256k1.Point.fromBytes(publicKey).toBytes(false)
    return `0x${Buffer.from(keccak_256(point.subarray(1)).subarray(12)).toString('hex')}`
  } catch {
    return undefined
  }
}
