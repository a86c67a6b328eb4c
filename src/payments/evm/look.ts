import { type Hex, parseTransaction } from 'viem'
import type { Clock } from '#plumbing/clock.js'
import type { Attempt, Outcome, Rail, RecordAttempt, SignedPayment } from '../rail.js'
import type { Chain, Receipt } from './chain.js'
import type { FeeWallet } from './fee-wallet.js'
import { createFind, depthAt } from './find.js'
import { Unpayable } from './reasons.js'
import { isPaidBy } from './token-events.js'

type Needs = {
  chain: Chain
  feeWallet: FeeWallet
  asset: Hex
  confirmations: number
  clock: Clock
  /** Checks and sends a payment of which nothing is on its way any more. */
  sendAgain(payment: SignedPayment, record: RecordAttempt): Promise<Outcome>
}

const pending: Outcome = { state: 'pending' }
const settled = (transaction: string): Outcome => ({ state: 'settled', transaction })

// So long is a transaction given to be mined before it is outbid.
const patienceMs = 60_000
// A wallet's deployment and a few transfers; more than that means that something is wrong which time does not heal.
const attemptsMax = 8

export const createLook = ({ chain, feeWallet, asset, confirmations, clock, sendAgain }: Needs) => {
  const firstSeenMs = new Map<string, number>()

  const find = createFind({ chain, asset, confirmations })

  const hasWaitedLong = ({ transaction }: Attempt): boolean => {
    const nowMs = clock.nowMs()
    const sinceMs = firstSeenMs.get(transaction) ?? nowMs
    firstSeenMs.set(transaction, sinceMs)
    return nowMs - sinceMs >= patienceMs
  }

  /** `next` is the nonce that the chain takes next: only what has it is held up by its own fees. */
  const hurry = async (waiting: Attempt[], next: bigint, record: RecordAttempt) => {
    await feeWallet.unblock(
      waiting.reduce((least, { feeNonce }) => (feeNonce! < least ? feeNonce! : least), next + 64n),
    )
    for (const { transaction, raw } of waiting) if (!(await chain.isKnown(transaction))) await chain.send(raw)
    const dearest = waiting
      .filter(({ feeNonce }) => feeNonce === next)
      .map((attempt) => ({ attempt, fee: parseTransaction(attempt.raw as Hex).maxFeePerGas ?? 0n }))
      .sort((a, b) => (a.fee < b.fee ? 1 : -1))[0]?.attempt
    if (dearest === undefined || !hasWaitedLong(dearest)) return
    await feeWallet.outbid(dearest, record).catch((error) => {
      if (!(error instanceof Unpayable)) throw error
    })
  }

  const look: Rail['look'] = async (payment, attempts, record) => {
    const receipts = await Promise.all(attempts.map(({ transaction }) => chain.receipt(transaction)))
    const head = await chain.head()
    const isDeep = depthAt(head, confirmations)
    const mined = receipts.filter((receipt): receipt is Receipt => receipt !== undefined)

    const paid = mined.find((receipt) => isPaidBy(receipt, payment, asset))
    if (paid !== undefined) return isDeep(paid.blockNumber) ? settled(paid.transactionHash) : pending
    const found = await find(payment, head)
    if (found !== undefined) return found
    if (attempts.length === 0 || mined.some(({ blockNumber }) => !isDeep(blockNumber))) return pending

    const next = await chain.countOf(feeWallet.address, head.number)
    const waiting = attempts.filter(
      ({ feeNonce }, index) => receipts[index] === undefined && feeNonce !== null && feeNonce >= next,
    )
    if (waiting.length > 0) {
      await hurry(waiting, next, record)
      return pending
    }
    // Whoever has seen what was signed can use it until it has expired: until then nothing is over, but nothing is sent
    // either once the chain has reverted it.
    const isTransfer = ({ raw }: Attempt) => parseTransaction(raw as Hex).to?.toLowerCase() === asset.toLowerCase()
    const isReverted = attempts.some((sent, index) => receipts[index]?.status === 'reverted' && isTransfer(sent))
    if (isReverted || attempts.length >= attemptsMax) return pending
    // Only the payer's wallet was deployed so far, or the nonces went to transactions of somebody else.
    const outcome = await sendAgain(payment, record)
    return outcome.state === 'settled' ? outcome : pending
  }

  const lookAndForget: Rail['look'] = async (payment, attempts, record) => {
    const outcome = await look(payment, attempts, record)
    if (outcome.state !== 'pending') for (const { transaction } of attempts) firstSeenMs.delete(transaction)
    return outcome
  }
  return lookAndForget
}
