import { setTimeout as wait } from 'node:timers/promises'
import type { Caller } from '#accounts/caller.js'
import { fail } from '#contract/errors.js'
import { type Count, type Counted, endsAtMs, type Reading, windowStartMs } from '#limits/count.js'
import { limitHeaders, rateLimitFailure } from '#limits/standing.js'
import type { Clock } from '#plumbing/clock.js'
import { messageOf } from '#plumbing/message-of.js'
import type { Sql } from '#store/sql.js'
import { type Answer, claimOf, decryptAnswer, findClaim, type Idempotency } from './answers.js'
import { type Line, type Price, priceOf } from './bill.js'
import { Charge, type ChargeOrder, type Settled } from './charge.js'
import { remainingHeader } from './credit/balance-reader.js'
import { noBalances, readBalances, spendable } from './credit/balances.js'
import type { Goods } from './goods.js'
import type { Ledger } from './ledger.js'
import type { Before } from './posting/hold.js'
import { paymentRequired, refusal } from './refusal.js'
import { createWalletCharges, payersOf } from './wallet-charge.js'

export type Order = {
  requestId: string
  caller: Caller
  goods: Goods
  /** The smallest bill with which the work makes sense, and the largest that it can run up. */
  least: Line[]
  most: Line[]
  /** About how many tokens it will use, for limits per minute; none unless given. */
  tokens?: number
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
  /** What an answer says about the limits of its request, now. */
  standingOf(charge: Charge): Record<string, string>
  run<Result>(order: Omit<Order, 'idempotency'>, work: (charge: Charge) => Promise<Settled<Result>>): Promise<Result>
  /** As `run`, for work that makes a whole answer: a retry with the same Idempotency-Key gets the first one again. */
  answer(order: Order, work: (charge: Charge) => Promise<Settled<Answer>>): Promise<GivenAnswer>
}

/** An answer, whether it was given before, what the account could spend before it, and what it says about its limits. */
export type GivenAnswer = Answer & { isReplay: boolean; before: Before; standing: Record<string, string> }

type Needs = {
  ledger: Ledger
  sql: Sql
  clock: Clock
  /** Which rate limits a request is counted on. */
  countOf?: (caller: Caller, model: string, tokens: number) => Count | undefined
  /** A rate limit was in the way of a request. */
  onLimited?: (caller: Caller, model: string, refusal: NonNullable<Counted['refusal']>) => void
  /** What a wallet must have to ask for anything, in nano-USD. */
  walletMinimum?: () => bigint
  /** Which they are could not be told, and the request was let in. */
  onLimitTrouble?: (trouble: string) => void
  /** A request used more than was held. */
  onShortfall?: (requestId: string, price: Price) => void
  /** A hold could not be given back at once; it expires by itself. */
  onReleaseFailed?: (requestId: string, error: unknown) => void
}

export const createMetered = ({
  ledger,
  sql,
  clock,
  countOf = () => undefined,
  onLimited = () => {},
  walletMinimum = () => 0n,
  onLimitTrouble = () => {},
  onShortfall = () => {},
  onReleaseFailed = () => {},
}: Needs): Metered => {
  /** Limits must never be the reason why nothing works. */
  const countIt = (...asked: Parameters<typeof countOf>) => {
    try {
      return countOf(...asked)
    } catch (error) {
      onLimitTrouble(messageOf(error))
      return undefined
    }
  }

  const take = (order: ChargeOrder) => Charge.take({ ledger, onShortfall }, order)

  const takeFromWallet = createWalletCharges({
    sql,
    take,
    minimum: walletMinimum,
    release: (charge) => charge.release().catch((problem) => onReleaseFailed(charge.requestId, problem)),
  })

  /** No charge when an earlier request with the same Idempotency-Key answers for this one. */
  const begin = async (order: Order): Promise<Charge | { before: Before; readings: readonly Reading[] }> => {
    const { requestId, caller, goods, idempotency, tokens = 0 } = order
    const { accountId, keyId: apiKeyId } = caller
    const nowMs = clock.nowMs()
    const prices = { least: priceOf(order.least), most: priceOf(order.most) }
    const count = countIt(caller, goods.model, tokens)
    const wanted = { requestId, accountId, apiKeyId, goods, ...prices, beganAtMs: nowMs, idempotency, count }
    const charge = caller.kind === 'wallet' ? await takeFromWallet(caller, wanted) : await take(wanted)
    if (charge instanceof Charge) return charge
    switch (charge.outcome) {
      case 'replay':
        return { before: charge.before, readings: charge.readings ?? [] }
      case 'limited': {
        const { refusal, readings = [] } = charge
        // An answer that was paid for is given again, however full the window is.
        if (idempotency && (await findClaim(sql, payersOf(caller), claimOf(idempotency).keyHash)))
          return { before: await readBefore(sql, accountId, nowMs), readings }
        onLimited(caller, goods.model, refusal)
        const subject = `for this ${caller.kind === 'wallet' ? 'wallet' : 'API key'} and the model '${goods.model}'`
        throw rateLimitFailure({ refusal, readings }, { subject, tokens, nowMs })
      }
      case 'gone':
        throw new Error('only an extension can miss its hold')
      default:
        if (caller.kind === 'wallet') throw paymentRequired(charge.before.usd)
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

  const walletHeaders = (usd: bigint | undefined) => (usd === undefined ? {} : remainingHeader(usd))

  /** Of windows that have ended meanwhile, those that have taken their place. */
  const standing = (readings: readonly Reading[]) => {
    const nowMs = clock.nowMs()
    const current = readings.flatMap((reading) =>
      endsAtMs(reading) > nowMs
        ? reading
        : ledger.recall([{ ...reading, startsAtMs: windowStartMs(reading.limit.period, nowMs) }]),
    )
    return limitHeaders(current, nowMs)
  }

  return {
    standingOf: ({ readings, walletUsd }) => ({ ...standing(readings), ...walletHeaders(walletUsd) }),
    async run(order, doIt) {
      const charge = await begin({ ...order, idempotency: undefined })
      if (!(charge instanceof Charge)) throw new Error('a request without an Idempotency-Key repeats nothing')
      return work(charge, doIt)
    },
    async answer(order, doIt) {
      for (;;) {
        const begun = await begin(order)
        const { before } = begun
        const isReplay = !(begun instanceof Charge)
        const answer = isReplay ? await firstAnswer(sql, order) : await work(begun, doIt)
        if (answer === undefined) continue
        // Only now: when the work is settled, the tokens it used are known, and so is what is left.
        const walletUsd = !isReplay ? begun.walletUsd : order.caller.kind === 'wallet' ? before.usd : undefined
        return { ...answer, isReplay, before, standing: { ...standing(begun.readings), ...walletHeaders(walletUsd) } }
      }
    },
  }
}

const readBefore = async (sql: Sql, accountId: string, nowMs: number): Promise<Before> =>
  spendable((await readBalances(sql, [accountId], nowMs)).get(accountId) ?? noBalances)

/** How long a retry waits for the first request to end, and how often it looks. */
const replayPatienceMs = 20_000
const replayPauseMs = 100

/** The answer to the request that used the Idempotency-Key first; undefined when that one failed, so ours may run. */
const firstAnswer = async (sql: Sql, { caller, idempotency }: Order): Promise<Answer | undefined> => {
  if (idempotency === undefined) throw new Error('only requests with an Idempotency-Key are repeated')
  const { keyHash, fingerprint } = claimOf(idempotency)
  const deadlineMs = performance.now() + replayPatienceMs
  while (performance.now() < deadlineMs) {
    const claim = await findClaim(sql, payersOf(caller), keyHash)
    if (!claim) return undefined
    if (claim.fingerprint !== fingerprint) throw fail('idempotencyKeyReused')
    if (claim.answer) return decryptAnswer(claim.answer, idempotency)
    await wait(replayPauseMs)
  }
  throw fail('idempotencyKeyInUse').retryAfterMs(5_000)
}
