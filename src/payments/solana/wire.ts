/**
 * A transaction with two signatures, as it travels: their number, the fee wallet's, the payer's, and the message that
 * both have signed.
 */
const signatureBytes = 64
const messageAt = 1 + 2 * signatureBytes

/** Solana takes no longer ones. */
const transactionBytesMax = 1232
export const transactionTextMax = Math.ceil(transactionBytesMax / 3) * 4

export type Wire = { message: Uint8Array; payerSignature: Uint8Array }

/** Undefined for anything but a transaction with two signatures in canonical base64. */
export const readWire = (text: string): Wire | undefined => {
  if (text.length > transactionTextMax) return undefined
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length > transactionBytesMax || bytes.length <= messageAt || bytes[0] !== 2) return undefined
  if (bytes.toString('base64') !== text) return undefined
  return { message: bytes.subarray(messageAt), payerSignature: bytes.subarray(1 + signatureBytes, messageAt) }
}

/** Of a payment that was read before. */
export const readWireAgain = (text: unknown): Wire => {
  const wire = typeof text === 'string' ? readWire(text) : undefined
  if (!wire) throw new Error('a payment of Solana that was read before cannot be read any more')
  return wire
}

/** Without a signature of the fee wallet its place is left empty. */
export const writeWire = (
  { message, payerSignature }: Wire,
  feeSignature: Uint8Array = new Uint8Array(signatureBytes),
): string => Buffer.concat([Uint8Array.of(2), feeSignature, payerSignature, message]).toString('base64')
