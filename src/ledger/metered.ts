import { setTimeout as wait } from 'node:timers/promises'
import type { Caller } from '#accounts/caller.js'
import { fail } from '#contract/errors.js'
import type { Clock } from '#plumbing/clock.js'
import type { Sql } from '#store/sql.js'
import { type Answer, claimOf, decryptAnswer, findClaim, type Idempotency } from './answers.js'
import { type Line, type Price, priceOf } from './bill.js'
import { Charge, type Settled } from './charge.js'
import type { Goods } from './goods.js'
import type { Ledger } from './ledger.js'
import type { Before } from './posting/hold.js'
import { refusal } from './refusal.js'

export type Order = {
  requestId: string
  caller: Caller
  goods: Goods
  /** The smallest bill with which the work makes sense, and the largest that it can run up. */
  least: Line[]
  most: Line[]
  idempotency?: Idempotency | undefined
}

/**
 * The one gate to everything that costs money: holds the worst case, lets the work run, settles what it cost. Work that
 * fails costs nothing. The work ends by settling, and returns what `settle` gave it:
 *
 *     await metered.run(order, async (charge) => {
 *       const { vectors, tokens } = await charge.open(engine).embed(texts, signal)
 *       return charge.settle({ lines: [inputLine(tokens)], countedBy: 'upstream' }, vectors)
 *     })
 */
export type Metered = {
  run<Result>(order: Omit<Order, 'idempotency'>, work: (charge: Charge) => Promise<Settled<Result>>): Promise<Result>
  /** As `run`, for work that makes a whole answer: a retry with the same Idempotency-Key gets the first one again. */
  answer(order: Order, work: (charge: Charge) => Promise<Settled<Answer>>): Promise<GivenAnswer>
}

/** An answer, whether it was given before, and what the account could spend before this request. */
export type GivenAnswer = Answer & { isReplay: boolean; before: Before }

type Needs = {
  ledger: Ledger
  sql: Sql
  clock: Clock
  /** A request used more than was held. */
  onShortfall?: (requestId: string, price: Price) => void
  /** A hold could not be given back at once; it expires by itself. */
  onReleaseFailed?: (requestId: string, error: unknown) => void
}

export const createMetered = ({
  ledger,
  sql,
  clock,
  onShortfall = () => {},
  onReleaseFailed = () => {},
}: Needs): Metered => {
  /** No charge when an earlier request with the same Idempotency-Key answers for this one. */
  const begin = async (order: Order): Promise<Charge | { before: Before }> => {
    const { requestId, caller, goods, idempotency } = order
    const { accountId, keyId: apiKeyId } = caller
    const nowMs = clock.nowMs()
    const prices = { least: priceOf(order.least), most: priceOf(order.most) }
    const charge = await Charge.take(
      { ledger, onShortfall },
      { requestId, accountId, apiKeyId, goods, ...prices, beganAtMs: nowMs, idempotency },
    )
    if (charge instanceof Charge) return charge
    switch (charge.outcome) {
      case 'replay':
        return { before: charge.before }
      case 'gone':
        throw new Error('only an extension can miss its hold')
      default:
        throw await refusal(sql, {
          refusal: charge.outcome,
          least: prices.least,
          before: charge.before,
          apiKeyId,
          nowMs,
        })
    }
  }

  const work = async <Result>(charge: Charge, doIt: (charge: Charge) => Promise<Settled<Result>>): Promise<Result> => {
    try {
      const { result } = await doIt(charge)
      // The proof that came back is of another charge: ours would be held for ever.
      if (charge.isRunning) throw new Error('the work ended without settling its own charge')
      return result
    } catch (error) {
      await charge.release().catch((problem) => onReleaseFailed(charge.requestId, problem))
      throw error
    }
  }

  return {
    async run(order, doIt) {
      const charge = await begin({ ...order, idempotency: undefined })
      if (!(charge instanceof Charge)) throw new Error('a request without an Idempotency-Key repeats nothing')
      return work(charge, doIt)
    },
    async answer(order, doIt) {
      for (;;) {
        const begun = await begin(order)
        const { before } = begun
        if (begun instanceof Charge) return { ...(await work(begun, doIt)), isReplay: false, before }
        const first = await firstAnswer(sql, order)
        if (first) return { ...first, isReplay: true, before }
      }
    },
  }
}

/** How long a retry waits for the first request to end, and how often it looks. */
const replayPatienceMs = 20_000
const replayPauseMs = 100

/** The answer to the request that used the Idempotency-Key first; undefined when that one failed, so ours may run. */
const firstAnswer = async (sql: Sql, { caller, idempotency }: Order): Promise<Answer | undefined> => {
  if (idempotency === undefined) throw new Error('only requests with an Idempotency-Key are repeated')
  const { keyHash, fingerprint } = claimOf(idempotency)
  const deadlineMs = performance.now() + replayPatienceMs
  while (performance.now() < deadlineMs) {
    const claim = await findClaim(sql, caller.accountId, keyHash)
    if (!claim) return undefined
    if (claim.fingerprint !== fingerprint) throw fail('idempotencyKeyReused')
    if (claim.answer) return decryptAnswer(claim.answer, idempotency)
    await wait(replayPauseMs)
  }
  throw fail('idempotencyKeyInUse').retryAfterMs(5_000)
}
