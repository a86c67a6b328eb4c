import { keccak_256 } from '@noble/hashes/sha3.js'
import { type ContractCheck, createContractCheck } from './contract-signature.js'

/** What `personal_sign` signs (EIP-191): the text with a preamble, so that it can never be a transaction. */
export const personalMessageHash = (text: string): Uint8Array => {
  const message = Buffer.from(text, 'utf8')
  return keccak_256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${message.length}`), message]))
}

// Loaded when the first signature arrives, since most services never see one.
let curve: typeof import('tiny-secp256k1') | undefined

/** The address whose key made this signature, or undefined when it is no signature of a plain wallet. */
export const signerOf = async (hash: Uint8Array, signature: Uint8Array): Promise<string | undefined> => {
  const v = signature[64]
  if (signature.length !== 65 || v === undefined) return undefined
  const recovery = v >= 27 ? v - 27 : v
  if (recovery !== 0 && recovery !== 1) return undefined
  curve ??= await import('tiny-secp256k1')
  try {
    const point = curve.recover(hash, signature.subarray(0, 64), recovery)
    return point === null ? undefined : addressOf(point)
  } catch {
    return undefined
  }
}

/** Of a public key in its long form, 65 bytes. */
const addressOf = (point: Uint8Array) => `0x${Buffer.from(keccak_256(point.subarray(1)).subarray(12)).toString('hex')}`

/** `wallet` in lower case; `signature` as wallets give it, 0x and hexadecimal digits. */
export type EvmProof = { wallet: string; text: string; signature: string }

/**
 * Whether a wallet of an EVM chain signed this text. Plain wallets are checked here; contract wallets by asking the
 * chain, where there is one to ask. Throws when it cannot be asked, which says nothing about the signature.
 */
export type IsSignedByEvm = (proof: EvmProof, rpcUrl: string | undefined) => Promise<boolean>

export const createIsSignedByEvm = (check?: ContractCheck): IsSignedByEvm => {
  const isSignedByContract = createIsSignedByContract(check)
  return async (proof, rpcUrl) => (await isSignedByKey(proof)) || isSignedByContract(proof, rpcUrl)
}

/** The same for plain wallets only, without asking anybody. */
export const isSignedByKey = async ({ wallet, text, signature }: EvmProof): Promise<boolean> => {
  const bytes = bytesOf(signature)
  return bytes !== undefined && (await signerOf(personalMessageHash(text), bytes)) === wallet
}

/** The same for contract wallets only. */
export const createIsSignedByContract =
  (contractAccepts: ContractCheck = createContractCheck()): IsSignedByEvm =>
  async ({ wallet, text, signature }, rpcUrl) => {
    const bytes = bytesOf(signature)
    if (bytes === undefined || !rpcUrl) return false
    return contractAccepts({ wallet, hash: personalMessageHash(text), signature: bytes }, rpcUrl)
  }

const bytesOf = (signature: string): Buffer | undefined =>
  /^0x(?:[0-9a-f]{2}){1,4096}$/i.test(signature) ? Buffer.from(signature.slice(2), 'hex') : undefined
