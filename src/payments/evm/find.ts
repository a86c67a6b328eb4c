import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { JsonRpcError } from '#plumbing/json-rpc.js'
import type { Outcome, SignedPayment } from '../rail.js'
import type { Chain, Head, Log } from './chain.js'
import { payloadOf } from './read-payment.js'
import { failed } from './reasons.js'
import { authorizationCanceled, authorizationUsed, isPaidBy, topicOf } from './token-events.js'

type Needs = { chain: Chain; asset: Hex; confirmations: number }

const stateAbi = parseAbi(['function authorizationState(address authorizer, bytes32 nonce) view returns (bool)'])

// Two days of Base. Nodes limit how many blocks may be searched at once, each differently.
const blocksMax = 100_000n
const searchesMax = 200

/** What the chain says about a payment, whoever sent it; undefined while it can still be sent. */
export const createFind = ({ chain, asset, confirmations }: Needs) => {
  /** Asked of the block that was seen: another node behind the same URL may not have it yet, and then says so. */
  const isUsed = async (payment: SignedPayment, at: Head): Promise<boolean> => {
    const { from, nonce } = payloadOf(payment).authorization
    const data = encodeFunctionData({ abi: stateAbi, args: [from, nonce] })
    return BigInt(await chain.call({ to: asset, data }, at.number)) === 1n
  }

  /** Newest first: what is asked about is seldom old. */
  const findUse = async (payment: SignedPayment, head: Head): Promise<Log> => {
    const { from, nonce } = payloadOf(payment).authorization
    const topics = [[authorizationUsed, authorizationCanceled], topicOf(from), nonce]
    const oldest = head.number > blocksMax ? head.number - blocksMax : 0n
    let toBlock = head.number
    let blocksPerSearch = 2_000n
    for (let searches = 0; toBlock >= oldest && searches < searchesMax; searches++) {
      const fromBlock = toBlock - oldest < blocksPerSearch ? oldest : toBlock - blocksPerSearch + 1n
      try {
        const found = (await chain.logs({ address: asset, topics, fromBlock, toBlock })).at(-1)
        if (found !== undefined) return found
        toBlock = fromBlock - 1n
      } catch (error) {
        if (!(error instanceof JsonRpcError) || blocksPerSearch <= 10n) throw error
        blocksPerSearch /= 4n
      }
    }
    throw new Error('the authorization was used, and the node does not find where')
  }

  const howItWasUsed = async (payment: SignedPayment, head: Head, isDeep: IsDeep): Promise<Outcome> => {
    const { transactionHash, blockNumber, topics } = await findUse(payment, head)
    if (!isDeep(blockNumber)) return { state: 'pending' }
    if (topics[0] === authorizationCanceled)
      return { ...failed('invalid_exact_evm_nonce_already_used'), says: 'the payer has cancelled the authorization' }
    const receipt = await chain.receipt(transactionHash)
    if (receipt === undefined) throw new Error('the node has lost a transaction that it told of')
    return isPaidBy(receipt, payment, asset)
      ? { state: 'settled', transaction: transactionHash }
      : failed('invalid_exact_evm_nonce_already_used')
  }

  return async (payment: SignedPayment, head: Head): Promise<Outcome | undefined> => {
    if (await isUsed(payment, head)) return howItWasUsed(payment, head, depthAt(head, confirmations))
    // The chain's own time: from this block on, nothing that was signed here can move anything.
    if (head.timestamp >= BigInt(payloadOf(payment).authorization.validBefore))
      return failed('invalid_exact_evm_payload_authorization_valid_before')
    return undefined
  }
}

type IsDeep = (block: bigint) => boolean

/** Whether a block has as many confirmations as are wanted. */
export const depthAt =
  (head: Head, confirmations: number): IsDeep =>
  (block) =>
    head.number - block + 1n >= BigInt(confirmations)
