import { createPublicKey, verify } from 'node:crypto'
import { JsonRpcError } from '#plumbing/json-rpc.js'
import { OperatorError } from '#plumbing/operator-error.js'
import type { Outcome, Requirements, SignedPayment } from '../rail.js'
import type { LocalParts } from '../remote/remote-rail.js'
import { createSolanaNode } from './node.js'
import { createPaymentReader, tokenProgram } from './read-payment.js'
import { sayChainError } from './refusals.js'
import type { SolanaTerms } from './settings.js'
import { findTokenAccount } from './token-account.js'
import { readWireAgain } from './wire.js'

type Kit = typeof import('@solana/kit')

const decimals = 6
/** 64 bytes of zeros in base58: a transaction that nobody has made. */
const noSignature = '1'.repeat(64)
const shortNames: Record<string, string> = {
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp': 'solana',
  'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1': 'solana-devnet',
  'solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z': 'solana-testnet',
}

export const shortNameOf = (network: string): string => shortNames[network] ?? network

/** What is known about payments on Solana without any key. */
export const solanaGround = async (kit: Kit, terms: SolanaTerms) => {
  const { network, confirmation } = terms
  const owner = readAddress(kit, 'recipient', terms.payTo)
  const mint = readAddress(kit, 'token', terms.asset)
  const tokenAccount = await findTokenAccount(kit, owner, mint)
  const node = createSolanaNode(terms.rpcUrl)

  return {
    owner,
    mint,
    tokenAccount,
    node,
    rules: { network, mint, decimals, destination: tokenAccount },

    requirements: (amount: bigint, feePayer: string): Requirements => ({
      scheme: 'exact',
      network,
      amount: String(amount),
      asset: mint,
      payTo: owner,
      maxTimeoutSeconds: terms.maxTimeoutSeconds,
      extra: { name: 'USD Coin', version: '2', feePayer },
    }),

    /** Whether this is the right node, and the right token. */
    async check() {
      const genesisHash = await node.genesisHash()
      if (network !== `solana:${genesisHash.slice(0, 32)}`)
        throw new OperatorError(`The node of Solana belongs to solana:${genesisHash.slice(0, 32)}, not to ${network}`)
      await node.statuses([noSignature]).catch((error) => {
        if (!(error instanceof JsonRpcError)) throw error
        throw new OperatorError(`The node of Solana does not look back at old transactions: ${error.message}`)
      })
      const token = await node.account(mint, confirmation)
      if (token?.owner !== tokenProgram || token.data[44] !== decimals)
        throw new OperatorError(`There is no token with ${decimals} decimals at ${mint} on ${network}`)
    },
  }
}

/** For payments that somebody else completes and sends. */
export const createSolanaLocalParts = async (terms: SolanaTerms): Promise<LocalParts> => {
  const kit = await import('@solana/kit')
  const { network, confirmation } = terms
  const { tokenAccount, node, rules, requirements, check } = await solanaGround(kit, terms)
  const feePayerOf = (extra: Record<string, unknown>) => readAddress(kit, 'fee payer', String(extra.feePayer))

  /** The name of a transaction is the fee payer's signature of its message, so it can be seen whose it is. */
  const isNameOf = (transaction: string, { payload }: SignedPayment, feePayer: string): boolean => {
    const bytes = (text: string) => Buffer.from(kit.getBase58Encoder().encode(text))
    const key = { kty: 'OKP', crv: 'Ed25519', x: bytes(feePayer).toString('base64url') }
    try {
      const { message } = readWireAgain(payload.transaction)
      return verify(null, message, createPublicKey({ key, format: 'jwk' }), bytes(transaction))
    } catch {
      return false
    }
  }

  return {
    network,
    shortName: shortNameOf(network),
    requirements: (amount, extra) => requirements(amount, feePayerOf(extra)),
    read: (payload, extra) => createPaymentReader(kit, { ...rules, feeWallet: feePayerOf(extra) })(payload),

    // Under which name it is sent is known to whoever completes it; until they tell, there is nothing to ask for.
    async find(payment, transaction, extra): Promise<Outcome> {
      if (transaction === undefined || !isNameOf(transaction, payment, feePayerOf(extra))) return { state: 'pending' }
      const [status] = await node.statuses([transaction])
      const isFinal = status?.commitment === 'finalized'
      if (status?.error === null && (isFinal || status.commitment === confirmation))
        return { state: 'settled', transaction }
      if (status?.error && isFinal)
        return { state: 'failed', reason: 'invalid_exact_svm_transaction_failed', says: sayChainError(status.error) }
      return { state: 'pending' }
    },

    async prepare() {
      await check()
      if ((await node.account(tokenAccount, confirmation)) === undefined)
        throw new OperatorError(
          `The recipient has no token account for USDC on ${network}`,
          `Create ${tokenAccount}: whoever settles for you does not.`,
        )
    },
  }
}

const readAddress = (kit: Kit, what: string, text: string) => {
  if (!kit.isAddress(text)) throw new OperatorError(`The ${what} of Solana is not an address: ${text}`)
  return text
}
