import { getAddress, type Hex } from 'viem'
import { paymentFailure } from '#contract/errors.js'
import type { SignedPayment } from '../rail.js'

/** What was signed (EIP-3009), in the one spelling that we use: decimal numbers, checksummed addresses, lower-case hex. */
export type Authorization = {
  from: Hex
  to: Hex
  value: string
  validAfter: string
  validBefore: string
  nonce: Hex
}

export type EvmPayload = { signature: Hex; authorization: Authorization }

type Expected = { network: string; asset: string; payTo: string }

const uint256Max = 2n ** 256n - 1n
// PostgreSQL holds amounts as int8.
const amountMax = 2n ** 63n - 1n
// Contract wallets with many owners sign at length; nobody signs longer than this.
const signatureBytesMax = 8_192
const year2100 = 4_102_444_800n

const unreadable = (problem: string, reason = 'invalid_payload') =>
  paymentFailure('paymentUnreadable', problem, { reason })

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const uint = (value: unknown, name: string): bigint => {
  const text = Number.isSafeInteger(value) ? String(value) : value
  if (typeof text !== 'string' || !/^\d{1,78}$/.test(text))
    throw unreadable(`authorization.${name} must be a whole number, written in decimal digits`)
  const number = BigInt(text)
  if (number > uint256Max) throw unreadable(`authorization.${name} is larger than any number of the chain`)
  return number
}

const address = (value: unknown, name: string): Hex => {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{40}$/i.test(value))
    throw unreadable(`authorization.${name} must be an address`)
  return getAddress(value.toLowerCase())
}

const hex = (value: unknown, name: string, bytesMin: number, bytesMax: number): Hex => {
  const isHex =
    typeof value === 'string' &&
    value.length <= 2 + bytesMax * 2 &&
    value.length >= 2 + bytesMin * 2 &&
    value.length % 2 === 0 &&
    /^0x[0-9a-f]*$/i.test(value)
  if (!isHex) throw unreadable(`${name} must be hexadecimal, with ${bytesMin} to ${bytesMax} bytes`)
  return value.toLowerCase() as Hex
}

/** Some devices end a signature with the parity, 0 or 1; the token knows only 27 and 28. */
const withRecoveryByte = (signature: Hex): Hex => {
  if (signature.length !== 132) return signature
  if (signature.endsWith('00')) return `${signature.slice(0, -2)}1b` as Hex
  return signature.endsWith('01') ? (`${signature.slice(0, -2)}1c` as Hex) : signature
}

/** Reads what a client sent. The amount and the payer are those that were signed; only whether they were is open. */
export const readPayment = (payload: unknown, { network, asset, payTo }: Expected): SignedPayment => {
  if (!isObject(payload)) throw unreadable('payload must be an object with authorization and signature')
  if (payload.permit2Authorization !== undefined)
    throw unreadable('Permit2 is not taken here; sign an EIP-3009 authorization', 'unsupported_payload_type')
  if (!isObject(payload.authorization))
    throw unreadable('payload.authorization must be an EIP-3009 authorization', 'unsupported_payload_type')

  const given = payload.authorization
  const from = address(given.from, 'from')
  const to = address(given.to, 'to')
  const value = uint(given.value, 'value')
  const validBefore = uint(given.validBefore, 'validBefore')
  const authorization: Authorization = {
    from,
    to,
    value: String(value),
    validAfter: String(uint(given.validAfter, 'validAfter')),
    validBefore: String(validBefore),
    nonce: hex(given.nonce, 'authorization.nonce', 32, 32),
  }
  const signature = withRecoveryByte(hex(payload.signature, 'signature', 1, signatureBytesMax))

  if (to !== payTo) throw unreadable(`it must be paid to ${payTo}`, 'invalid_exact_evm_recipient_mismatch')
  if (from === payTo) throw unreadable('payer and recipient are the same', 'invalid_exact_evm_recipient_mismatch')
  if (value === 0n || value > amountMax)
    throw unreadable('the amount is nothing, or more than there is', 'invalid_exact_evm_authorization_value')
  return {
    network,
    paymentKey: `${network}/${asset}/${from}/${authorization.nonce}`.toLowerCase(),
    payer: from.toLowerCase(),
    amount: value,
    validUntilMs: validBefore < year2100 ? Number(validBefore) * 1000 : null,
    payload: { signature, authorization },
  }
}

export const payloadOf = (payment: SignedPayment) => payment.payload as EvmPayload
