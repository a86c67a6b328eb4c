import { fail } from '#contract/errors.js'
import type { Count, Reading } from '#limits/count.js'
import { type Answer, claimOf, encryptAnswer, type Idempotency } from './answers.js'
import {
  type Amounts,
  affordableUnits,
  covers,
  type Line,
  less,
  more,
  nothing,
  type Price,
  payFrom,
  priceOf,
  shareOut,
} from './bill.js'
import type { Goods } from './goods.js'
import type { Ledger } from './ledger.js'
import type { Before, Held, HoldResult } from './posting/hold.js'
import type { CountedBy, Settlement, Share } from './posting/settle.js'

/**
 * An engine costs money to run, so nobody gets hold of one as it is: engines are sealed when the service is put together,
 * and only the charge of a running request opens them. A handler that forgets to charge does not compile.
 */
export class Sealed<Engine> {
  readonly #engine: Engine

  private constructor(engine: Engine) {
    this.#engine = engine
  }

  static seal<Engine>(engine: Engine): Sealed<Engine> {
    return new Sealed(engine)
  }

  open(charge: Charge): Engine {
    charge.assertRunning()
    return this.#engine
  }
}

/** What a request used, as far as it came. */
export type Finish = {
  lines: Line[]
  countedBy: CountedBy
  /** `aborted`: the caller left, and pays for what was made until then. */
  outcome?: 'completed' | 'aborted'
  promptTokens?: number
  completionTokens?: number
  /** Other requests that are settled with it. */
  shares?: readonly Share[] | undefined
}

/** What a caller is told that a request cost; USD includes bundled credits. */
export type Cost = { usd: bigint; diem: bigint }

/** The proof that a request is settled. Only `Charge.settle` makes one, and the gate takes nothing else. */
class Settled<Result> {
  /** Only there for the compiler: what merely looks the same is not taken for one. */
  protected declare readonly genuine: never

  constructor(
    readonly result: Result,
    readonly cost: Cost,
  ) {}
}

export type { Settled }

export type ChargeOrder = {
  requestId: string
  accountId: string
  apiKeyId: string | null
  goods: Goods
  /** The smallest price with which the work makes sense, and the largest that it can run up. */
  least: Price
  most: Price
  beganAtMs: number
  idempotency: Idempotency | undefined
  /** The rate limits that it is counted on, with the tokens it will use by estimate. */
  count: Count | undefined
  /** Only for wallets. */
  wallet?: WalletOrder | undefined
}

/** How a wallet pays: with its own USD, or with nothing but the diem of the account that it is linked to. */
export type WalletOrder =
  | {
      pays: 'usd'
      /** What it must have to ask for anything. */
      minimum: bigint
    }
  | {
      pays: 'diem'
      /** What the wallet has itself, and keeps. */
      usd: bigint
    }

type Needs = {
  ledger: Ledger
  /** Told when a request used more than was held: the rest is our loss, and the worst case was reckoned wrongly. */
  onShortfall: (requestId: string, price: Price) => void
}

/** Long enough for a database to be restarted: an answer that is ready should not be lost for want of a bill. */
const settlePatienceMs = 30_000
/** Nobody waits for this one; if it fails, the hold expires by itself. */
const releasePatienceMs = 1_000

/** A request that is being worked on and whose price is set aside. There is no other way to get one than `take`. */
export class Charge {
  readonly #needs: Needs
  readonly #order: ChargeOrder
  /** What the account could spend before this request. */
  readonly before: Before
  #paid: Amounts | undefined
  #held: Held
  #readings: Reading[]
  #isRunning = true
  #paidParts: Amounts = nothing

  private constructor(needs: Needs, order: ChargeOrder, held: Held, before: Before, readings: Reading[]) {
    this.#needs = needs
    this.#order = order
    this.#held = held
    // What else the account has whose diem a wallet spends is not the wallet's to know.
    this.before = order.wallet?.pays === 'diem' ? { ...before, usd: order.wallet.usd } : before
    this.#readings = readings
  }

  /** Sets the price aside, or says why not. */
  static async take(needs: Needs, order: ChargeOrder): Promise<Charge | Exclude<HoldResult, { outcome: 'held' }>> {
    const { requestId, accountId, apiKeyId, goods, idempotency, count } = order
    const claim = idempotency && claimOf(idempotency)
    const prices = askedPrices(order, order.least, order.most)
    const { model } = goods
    const result = await needs.ledger.hold({ requestId, accountId, apiKeyId, model, ...prices, claim, count })
    if (result.outcome !== 'held') return result
    needs.ledger.keep(requestId)
    return new Charge(needs, order, result.held, result.before, result.readings ?? [])
  }

  /** What is used of the rate limits of this request: by estimate while it runs, as it was when it is settled. */
  get readings(): readonly Reading[] {
    return this.#readings
  }

  get requestId(): string {
    return this.#order.requestId
  }

  /** Engines work only for requests whose price is set aside. */
  open<Engine>(engine: Sealed<Engine>): Engine {
    return engine.open(this)
  }

  get isRunning(): boolean {
    return this.#isRunning
  }

  assertRunning() {
    if (!this.#isRunning) throw new Error('this request is settled already; an engine must not work for it any more')
  }

  /** Whether what is held pays for this. */
  affords(lines: Line[]): boolean {
    return covers(this.#held, priceOf(lines))
  }

  /** How many units of one line are paid for beside the lines that are certain, up to the most that is wanted. */
  affordable(certain: Line[], line: Omit<Line, 'quantity'>, most: bigint): bigint {
    return affordableUnits(this.#held, certain, line, most)
  }

  /** Sets more aside in mid-work, at least `least` and at most `most`. False when there is no more: then end in time. */
  async extend(most: Line[], least: Line[] = most): Promise<boolean> {
    return (await this.#extend(most, least)) !== undefined
  }

  /** Sets aside what another request can use at most. False when that one may not begin. */
  async admit(most: Line[]): Promise<boolean> {
    const before = await this.#extend(most, most)
    const { wallet } = this.#order
    return before !== undefined && (wallet?.pays !== 'usd' || before.usd >= wallet.minimum)
  }

  /** Says what could be spent before it. */
  async #extend(most: Line[], least: Line[]): Promise<Before | undefined> {
    const { requestId, accountId, apiKeyId, goods } = this.#order
    const order = { requestId, accountId, apiKeyId, model: goods.model, isExtension: true }
    const prices = askedPrices(this.#order, priceOf(least), priceOf(most))
    const result = await this.#needs.ledger.hold({ ...order, ...prices })
    if (result.outcome === 'gone') throw fail('holdLost')
    if (result.outcome !== 'held') return undefined
    const { held, before } = result
    this.#held = {
      usd: this.#held.usd + held.usd,
      bundled: this.#held.bundled + held.bundled,
      diem: this.#held.diem + held.diem,
      accounts: {
        usd: this.#held.accounts.usd,
        bundled: this.#held.accounts.bundled ?? held.accounts.bundled,
        diem: this.#held.accounts.diem ?? held.accounts.diem,
      },
    }
    return before
  }

  /**
   * What a wallet has left: once it is settled, after what it cost; until then, without what is set aside. Undefined for
   * callers with a key.
   */
  get walletUsd(): bigint | undefined {
    const { wallet } = this.#order
    if (wallet === undefined) return undefined
    if (wallet.pays === 'diem') return wallet.usd
    const { usd, bundled } = more(this.#paid ?? this.#held, this.#paidParts)
    return this.before.usd - usd - bundled
  }

  /** The same, but what is set aside and not paid yet is still its own. */
  get walletUsdOwned(): bigint | undefined {
    const { wallet } = this.#order
    if (wallet === undefined || wallet.pays === 'diem') return wallet?.usd
    const { usd, bundled } = more(this.#paid ?? nothing, this.#paidParts)
    return this.before.usd - usd - bundled
  }

  /** What a bill would cost if the request ended now, for an answer that names its own cost. */
  costOf(lines: Line[]): Cost {
    const paid = payFrom(this.#held, priceOf(lines))
    return { usd: paid.usd + paid.bundled, diem: paid.diem }
  }

  /**
   * Ends the request: pays what was used and gives the rest back, in one durable commit. Call it before the last byte of
   * the answer leaves; then an answer that was delivered in full is always paid.
   */
  async settle(finish: Finish): Promise<Settled<undefined>>
  async settle<Result>(finish: Finish, result: Result): Promise<Settled<Result>>
  async settle(finish: Finish, result?: unknown): Promise<Settled<unknown>> {
    const paid = this.#pay(finish.lines, this.requestId)
    const { idempotency } = this.#order
    const claim = idempotency && { answer: isAnswer(result) ? encryptAnswer(result, idempotency) : null }
    await this.#end(
      {
        paid,
        lines: shareOut(finish.lines, paid),
        outcome: finish.outcome ?? 'completed',
        countedBy: finish.countedBy,
        promptTokens: finish.promptTokens === undefined ? null : BigInt(finish.promptTokens),
        completionTokens: finish.completionTokens === undefined ? null : BigInt(finish.completionTokens),
        claim,
        shares: finish.shares,
      },
      settlePatienceMs,
    )
    this.#paid = paid
    return new Settled(result, { usd: paid.usd + paid.bundled, diem: paid.diem })
  }

  /**
   * Pays for a part of the work while the rest goes on, as a request of its own with an id of its own. What stays set
   * aside must still pay for the rest.
   */
  async settlePart(requestId: string, finish: Finish, shares: readonly Share[] | undefined): Promise<void> {
    this.assertRunning()
    const paid = this.#pay(finish.lines, requestId)
    const { accounts, ...held } = this.#held
    this.#held = { ...less(held, paid), accounts }
    this.#paidParts = more(this.#paidParts, paid)
    const { accountId, apiKeyId, goods, beganAtMs } = this.#order
    const who = {
      requestId,
      accountId,
      apiKeyId,
      goods,
      beganAtMs,
      held: { ...paid, accounts },
      partOf: this.requestId,
      shares,
    }
    const end = {
      paid,
      lines: shareOut(finish.lines, paid),
      outcome: 'completed',
      countedBy: finish.countedBy,
    } as const
    const result = await this.#needs.ledger.settle(
      { ...who, ...end, promptTokens: null, completionTokens: null },
      settlePatienceMs,
    )
    if (result === 'gone') throw fail('holdLost')
  }

  #pay(lines: Line[], requestId: string): Amounts {
    const price = priceOf(lines)
    if (!covers({ ...this.#held, usd: this.#held.usd + roundingNanos }, price))
      this.#needs.onShortfall(requestId, price)
    return payFrom(this.#held, price)
  }

  /** What was paid for parts so far. */
  get paidParts(): Amounts {
    return this.#paidParts
  }

  /** Gives everything back if the request is not settled: it failed, and costs nothing. */
  async release(): Promise<void> {
    if (!this.#isRunning) return
    const end = { paid: nothing, lines: [], outcome: 'failed', countedBy: null } as const
    const claim = this.#order.idempotency && { answer: null }
    await this.#end({ ...end, lines: [], promptTokens: null, completionTokens: null, claim }, releasePatienceMs)
  }

  async #end(
    end: Omit<Settlement, 'requestId' | 'accountId' | 'apiKeyId' | 'goods' | 'beganAtMs' | 'held' | 'correction'>,
    patienceMs: number,
  ) {
    this.assertRunning()
    this.#isRunning = false
    const { requestId, accountId, apiKeyId, goods, beganAtMs } = this.#order
    const who = { requestId, accountId, apiKeyId, goods, beganAtMs, held: this.#held }
    const correction = this.#correct(Number((end.promptTokens ?? 0n) + (end.completionTokens ?? 0n)))
    const result = await this.#needs.ledger.settle({ ...who, ...end, correction }, patienceMs)
    if (result === 'gone') throw fail('holdLost')
  }

  /** What the tokens that were used are beyond the estimate, or below it. */
  #correct(used: number): Settlement['correction'] {
    const tokens = used - (this.#order.count?.tokens ?? 0)
    if (tokens === 0) return undefined
    for (const reading of this.#readings) reading.tokens = Math.max(0, reading.tokens + tokens)
    const windows = this.#readings.filter(({ limit }) => limit.tokensMax !== Infinity)
    return windows.length === 0 ? undefined : { windows, tokens }
  }
}

/** Prices are rounded up: of sums that are held in other parts than they are paid, as much may be missing. */
const roundingNanos = 2n

/** No account has as much: what costs this in USD can only be paid in diem, and only as a whole. */
const beyondAllUsd = 8_000_000_000_000_000_000n

const askedPrices = ({ wallet }: ChargeOrder, least: Price, most: Price): { least: Price; most: Price } => {
  if (wallet?.pays !== 'diem') return { least, most }
  const inDiem = { usd: beyondAllUsd, diem: most.diem }
  return { least: inDiem, most: inDiem }
}

const isAnswer = (result: unknown): result is Answer =>
  typeof result === 'object' && result !== null && 'body' in result && 'status' in result
