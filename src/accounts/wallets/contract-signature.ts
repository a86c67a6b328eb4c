import { callJsonRpc, JsonRpcError } from '#plumbing/json-rpc.js'
import { signatureValidator } from './signature-validator.js'

/** `wallet` in lower case. */
type Question = { wallet: string; hash: Uint8Array; signature: Uint8Array }

/** Asks a contract wallet whether a signature is its own. Throws when nobody can be asked, which is no answer. */
export type ContractCheck = (question: Question, rpcUrl: string) => Promise<boolean>

/** As many are being asked as may be. */
export class ContractCheckBusy extends Error {}

/** Nobody need be known to us to ask for this, so there are bounds to what they can make us, and a node, do. */
type Bounds = { parallelMax?: number; timeoutMs?: number }

/** 5 million: a fraction of what nodes allow, and enough to deploy a wallet that checks a passkey in Solidity. */
const gasMax = '0x4c4b40'

type Ask = (method: string, params: unknown[]) => Promise<unknown>

export const createContractCheck = ({ parallelMax = 16, timeoutMs = 4_000 }: Bounds = {}): ContractCheck => {
  let running = 0
  return async (question, rpcUrl) => {
    if (running >= parallelMax) throw new ContractCheckBusy(`${parallelMax} contract wallets are being asked already`)
    running++
    const ask: Ask = (method, params) => callJsonRpc(rpcUrl, method, params, timeoutMs)
    try {
      return await (isWrapped(question.signature) ? validatorAccepts(ask, question) : walletAccepts(ask, question))
    } finally {
      running--
    }
  }
}

/** EIP-1271: the wallet says yes by answering with the selector of the question. */
const walletAccepts = async (ask: Ask, { wallet, hash, signature }: Question): Promise<boolean> => {
  // Not every address that answers is a contract: a precompiled one gives back what it is sent, and would say yes to all.
  const code = await ask('eth_getCode', [wallet, 'latest'])
  if (typeof code !== 'string' || code === '0x') return false
  const data = `${isValidSignature}${hex(hash)}${word('40')}${bytes(signature)}`
  return (await call(ask, { to: wallet, data })).toLowerCase().startsWith(isValidSignature)
}

/** ERC-6492: the signature tells how the wallet will be deployed, and is checked as though it already were. */
const validatorAccepts = async (ask: Ask, { wallet, hash, signature }: Question): Promise<boolean> => {
  const data = `${signatureValidator}${word(wallet)}${hex(hash)}${word('60')}${bytes(signature)}`
  return (await call(ask, { data })) === '0x01'
}

/** What the call returns; nothing when the contract fails, as contracts do that dislike a signature. */
const call = async (ask: Ask, transaction: { to?: string; data: string }): Promise<string> => {
  try {
    const answer = await ask('eth_call', [{ ...transaction, gas: gasMax }, 'latest'])
    return typeof answer === 'string' ? answer : '0x'
  } catch (error) {
    if (error instanceof JsonRpcError && error.isRevert) return '0x'
    throw error
  }
}

const magicSuffix = Buffer.from('6492'.repeat(16), 'hex')
const isWrapped = (signature: Uint8Array) =>
  signature.length > magicSuffix.length && magicSuffix.equals(signature.subarray(-magicSuffix.length))

// All we need of the ABI is written out: a four-byte selector, then 32-byte words.
const isValidSignature = '0x1626ba7e'
const hex = (data: Uint8Array) => Buffer.from(data).toString('hex')
const word = (digits: string) => digits.replace(/^0x/, '').toLowerCase().padStart(64, '0')
const bytes = (data: Uint8Array) =>
  word(data.length.toString(16)) + hex(data).padEnd(Math.ceil(data.length / 32) * 64, '0')
