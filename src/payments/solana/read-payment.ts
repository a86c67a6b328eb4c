import { createHash, createPublicKey, verify } from 'node:crypto'
import type { CompiledTransactionMessage } from '@solana/kit'
import { paymentFailure } from '#contract/errors.js'
import type { SignedPayment } from '../rail.js'
import { readWire, transactionTextMax, type Wire, writeWire } from './wire.js'

type Kit = typeof import('@solana/kit')

export type PaymentRules = {
  network: string
  mint: string
  decimals: number
  /** The token account of the recipient. */
  destination: string
  feeWallet: string
}

export const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const transferChecked = 12

const unreadable = (reason: string, says: string) =>
  paymentFailure('paymentUnreadable', says, { reason: `invalid_exact_svm_${reason}` })
const undecodable = () =>
  unreadable(
    'payload_transaction_could_not_be_decoded',
    `payload.transaction must be a Solana transaction in base64 of at most ${transactionTextMax} characters with two signatures: an empty place for that of extra.feePayer, and the payer's`,
  )

/**
 * Reads what a payer signed, and believes nothing else. The transaction is completed with the signature of our fee
 * wallet, so nothing may ask more of that wallet than the fee.
 */
export const createPaymentReader = (kit: Kit, rules: PaymentRules) => {
  const decoder = kit.getCompiledTransactionMessageDecoder()
  const encoder = kit.getCompiledTransactionMessageEncoder()
  const addressEncoder = kit.getAddressEncoder()

  const decodeMessage = (bytes: Uint8Array): CompiledTransactionMessage => {
    let message: ReturnType<typeof decoder.decode>
    try {
      message = decoder.decode(bytes)
      // Bytes after the end, or numbers in a longer spelling, would give one transfer a second name.
      if (!Buffer.from(encoder.encode(message)).equals(bytes)) throw undecodable()
    } catch {
      throw undecodable()
    }
    if (new Set(message.staticAccounts).size !== message.staticAccounts.length) throw undecodable()
    return message
  }

  const checkSignature = ({ message, payerSignature }: Wire, payer: string) => {
    const x = Buffer.from(addressEncoder.encode(kit.address(payer))).toString('base64url')
    let isGood = false
    try {
      const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
      isGood = verify(null, message, key, payerSignature)
    } catch {
      // Not every address is a key.
    }
    if (!isGood) throw unreadable('payload_signature_invalid', 'the payer has not signed this transaction')
  }

  return (payload: unknown): SignedPayment => {
    const text = (payload as { transaction?: unknown } | null | undefined)?.transaction
    const wire = typeof text === 'string' ? readWire(text) : undefined
    if (!wire) throw undecodable()
    const message = decodeMessage(wire.message)
    const { staticAccounts, header, instructions } = message

    if (staticAccounts[0] !== rules.feeWallet)
      throw unreadable('fee_payer_mismatch', `the fee payer of the transaction must be ${rules.feeWallet}`)
    if (header.numSignerAccounts !== 2)
      throw unreadable('payload_excessive_signers', 'nobody but the payer and the fee payer may sign the transaction')
    if ('addressTableLookups' in message && message.addressTableLookups?.length)
      throw unreadable(
        'smart_wallet_alt_resolution_not_available',
        'the transaction must name its accounts itself, without address lookup tables',
      )
    for (const { programAddressIndex, accountIndices = [] } of instructions) {
      if ([programAddressIndex, ...accountIndices].some((index) => index >= staticAccounts.length)) throw undecodable()
      if (programAddressIndex === 0 || accountIndices.includes(0))
        throw unreadable(
          'payload_transaction_fee_payer_transferring_funds',
          'no instruction of the transaction may use the account of the fee payer',
        )
    }

    const transfer = readTransfer(message)
    if (!transfer)
      throw unreadable(
        'payload_no_transfer_instruction',
        'the third instruction of the transaction must be a TransferChecked of the token program, by the payer who signed',
      )
    if (transfer.mint !== rules.mint || transfer.decimals !== rules.decimals)
      throw unreadable('payload_mint_mismatch', `the token of the transfer must be ${rules.mint}`)
    // From our own account to our own account no money would come.
    if (transfer.destination !== rules.destination || transfer.source === rules.destination)
      throw unreadable('payload_recipient_mismatch', `the transfer must go to the token account ${rules.destination}`)
    if (transfer.amount === 0n) throw unreadable('payload_amount_mismatch', 'the transfer moves nothing')
    checkSignature(wire, transfer.authority)

    return {
      network: rules.network,
      // The message is what can happen at most once; signatures around it can be put there by anybody.
      paymentKey: `${rules.network}/${createHash('sha256').update(wire.message).digest('hex')}`,
      payer: transfer.authority,
      amount: transfer.amount,
      validUntilMs: null,
      payload: { transaction: writeWire(wire) },
    }
  }
}

type Transfer = {
  source: string
  mint: string
  destination: string
  authority: string
  amount: bigint
  decimals: number
}

// Where x402 wants it: after the two instructions about the price of computing. A transaction that begins with them
// does not begin with a durable nonce either, and so expires with its blockhash.
const readTransfer = ({ staticAccounts, instructions }: CompiledTransactionMessage): Transfer | undefined => {
  const { programAddressIndex, accountIndices = [], data } = instructions[2] ?? { programAddressIndex: -1 }
  if (staticAccounts[programAddressIndex] !== tokenProgram) return undefined
  if (data?.length !== 10 || data[0] !== transferChecked || accountIndices.length !== 4) return undefined
  const [source, mint, destination, authority] = accountIndices.map((index) => staticAccounts[index])
  // The one signer beside the fee wallet. An authority that does not sign itself is a contract with several owners.
  if (!source || !mint || !destination || !authority || accountIndices[3] !== 1) return undefined
  const bytes = Buffer.from(data)
  return { source, mint, destination, authority, amount: bytes.readBigUInt64LE(1), decimals: bytes.readUInt8(9) }
}
