import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '#plumbing/clock.js'
import { JsonRpcError } from '#plumbing/json-rpc.js'
import type { Attempt, Outcome, SignedPayment } from '../rail.js'
import type { SolanaNode } from './node.js'
import { sayChainError } from './refusals.js'

const askAgainMs = 500

/**
 * How long a blockhash must have been gone before a transaction with it counts as dead. A node that is behind has not
 * heard of the newest blockhashes, which looks the same; a minute later it has, or is not behind any more.
 */
const expiryMarginMs = 60_000

type Needs = {
  node: SolanaNode
  clock: Clock
  confirmation: 'confirmed' | 'finalized'
  waitMs: number
  blockhashOf(payment: SignedPayment): string
  /** The transaction that a payment becomes, which is always the same one. */
  complete(payment: SignedPayment): Attempt
}

/** Brings transactions to the chain, and finds out what became of them. */
export const createDeliveries = ({ node, clock, confirmation, waitMs, blockhashOf, complete }: Needs) => {
  const goneSinceMs = new Map<string, number>()

  /** What the chain says about transactions that may have been sent; undefined when it knows none of them. */
  const find = async (attempts: readonly Attempt[]): Promise<Outcome | undefined> => {
    const statuses = await node.statuses(attempts.map(({ transaction }) => transaction))
    let isKnown = false
    for (const [index, { transaction }] of attempts.entries()) {
      const status = statuses[index]
      if (!status) continue
      isKnown = true
      const isFinal = status.commitment === 'finalized'
      if (status.error === null && (isFinal || status.commitment === confirmation))
        return { state: 'settled', transaction }
      // Before that another fork may still have it succeed.
      if (status.error !== null && isFinal)
        return { state: 'failed', reason: 'invalid_exact_svm_transaction_failed', says: sayChainError(status.error) }
    }
    return isKnown ? { state: 'pending' } : undefined
  }

  /** False when the node refused it, which does not mean that no other node has it. */
  const send = async ({ raw }: Attempt): Promise<boolean> => {
    try {
      await node.send(raw)
      return true
    } catch (error) {
      if (error instanceof JsonRpcError) return false
      throw error
    }
  }

  // At the head a transaction can no longer be taken once its blockhash is too old. Whether one was taken just before
  // is certain once that block is final, so the blockhash must be too old there as well. A new one is known at the head
  // and not yet there: only when neither knows it, it is gone.
  const isBlockhashGone = async (payment: SignedPayment): Promise<boolean> => {
    const blockhash = blockhashOf(payment)
    const [isGoodAtHead, isGoodWhereFinal] = await Promise.all([
      node.isBlockhashValid(blockhash, 'processed'),
      node.isBlockhashValid(blockhash, 'finalized'),
    ])
    return !isGoodAtHead && !isGoodWhereFinal
  }

  const isGoneForGood = async (payment: SignedPayment): Promise<boolean> => {
    if (!(await isBlockhashGone(payment))) {
      goneSinceMs.delete(payment.paymentKey)
      return false
    }
    const nowMs = clock.nowMs()
    const sinceMs = goneSinceMs.get(payment.paymentKey) ?? nowMs
    goneSinceMs.set(payment.paymentKey, sinceMs)
    return nowMs - sinceMs >= expiryMarginMs
  }

  return {
    find,

    /** Sends it and waits for a while. Throws nothing: whoever is cut off does not know whether it was sent. */
    async deliver(attempt: Attempt): Promise<Outcome> {
      const deadline = AbortSignal.timeout(waitMs)
      const isTaken = await send(attempt).catch(() => true)
      while (isTaken) {
        const outcome = await find([attempt]).catch(() => undefined)
        if (outcome && outcome.state !== 'pending') return outcome
        if (deadline.aborted) break
        await sleep(Math.min(askAgainMs, waitMs))
      }
      return { state: 'pending' }
    },

    async look(payment: SignedPayment, attempts: readonly Attempt[]): Promise<Outcome> {
      // Where none was written down none was sent; but its name is known, and asking costs little.
      const sent = attempts.length > 0 ? attempts : [complete(payment)]
      const found = await find(sent)
      if (found) {
        goneSinceMs.delete(payment.paymentKey)
        return found
      }
      if (!(await isGoneForGood(payment))) {
        for (const attempt of attempts) await send(attempt)
        return { state: 'pending' }
      }
      // Asked once more, for it may have come between the two questions.
      const foundLate = await find(sent)
      if (foundLate) return foundLate
      goneSinceMs.delete(payment.paymentKey)
      const reason = 'settle_exact_svm_block_height_exceeded'
      return { state: 'failed', reason, says: 'it expired before the chain took it; sign a new one' }
    },
  }
}
