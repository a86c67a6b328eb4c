import { keccak_256 } from '@noble/hashes/sha3.js'
import { decodeLongBase58, encodeBase58 } from '#plumbing/base58.js'
import type { Family, JsonText } from './node.js'

const evmBytesMax = 4 * 1024 * 1024
const solanaBytesMax = 4_096
const signatureBytes = 64

/**
 * The hash (EVM) or the first signature (Solana) of the transaction that a call sends, known before it is sent. Undefined
 * for all other calls, and for what is no transaction of a kind that we know: then only the network can tell its hash.
 */
export const hashOfSend = (family: Family, method: string, params: JsonText | undefined): string | undefined => {
  const isEvm = family === 'evm' && method === 'eth_sendRawTransaction'
  const isSolana = family === 'solana' && method === 'sendTransaction'
  if (params === undefined || (!isEvm && !isSolana) || params.length > evmBytesMax * 2 + 64) return undefined
  const [first, second] = readList(params)
  if (typeof first !== 'string') return undefined
  return isEvm ? evmHash(first) : solanaSignature(first, second)
}

const readList = (params: JsonText): unknown[] => {
  try {
    const list: unknown = JSON.parse(params)
    return Array.isArray(list) ? list : []
  } catch {
    return []
  }
}

const evmHash = (text: string): string | undefined => {
  if (!text.startsWith('0x') || text.length < 4 || text.length % 2 === 1) return undefined
  const bytes = Buffer.from(text.slice(2), 'hex')
  // Reading stops at the first digit that is none.
  if (bytes.length !== (text.length - 2) / 2) return undefined
  const signed = signedPart(bytes)
  return signed && `0x${Buffer.from(keccak_256(signed)).toString('hex')}`
}

/** What is hashed: all of it, except that a transaction with blobs (EIP-4844) travels with these beside it. */
const signedPart = (bytes: Buffer): Buffer | undefined => {
  const type = bytes[0] as number
  // Lists begin at 0xc0: a transaction from before there were types. Types that other chains invented have other hashes.
  if (type >= 0xc0 || type === 1 || type === 2 || type === 4) return bytes
  if (type !== 3) return undefined
  const outer = listAt(bytes, 1)
  const inner = outer && listAt(bytes, outer.from)
  if (outer === undefined || outer.to !== bytes.length) return undefined
  // Its first part is a list (the transaction, with blobs behind it) or a number (the transaction itself).
  if (inner === undefined) return bytes
  return inner.to > outer.to ? undefined : Buffer.concat([bytes.subarray(0, 1), bytes.subarray(outer.from, inner.to)])
}

/** Where the content of an RLP list lies that begins here. */
const listAt = (bytes: Buffer, at: number): { from: number; to: number } | undefined => {
  const head = bytes[at] ?? 0
  if (head < 0xc0) return undefined
  if (head <= 0xf7) return { from: at + 1, to: at + 1 + head - 0xc0 }
  const lengthBytes = head - 0xf7
  if (lengthBytes > 4 || at + 1 + lengthBytes > bytes.length) return undefined
  const from = at + 1 + lengthBytes
  return { from, to: from + bytes.readUIntBE(at + 1, lengthBytes) }
}

const solanaSignature = (text: string, options: unknown): string | undefined => {
  const encoding = typeof options === 'object' && options !== null ? (options as { encoding?: unknown }).encoding : null
  const bytes = decode(text, encoding ?? 'base58')
  const count = bytes?.[0] ?? 0
  if (bytes === undefined || count === 0 || count >= 0x80 || bytes.length < 1 + count * signatureBytes) return undefined
  return encodeBase58(bytes.subarray(1, 1 + signatureBytes))
}

const decode = (text: string, encoding: unknown): Uint8Array | undefined => {
  if (encoding === 'base58') return decodeLongBase58(text, solanaBytesMax)
  if (encoding !== 'base64' || text.length > solanaBytesMax * 1.4 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text))
    return undefined
  return Buffer.from(text, 'base64')
}
