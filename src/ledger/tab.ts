import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '#accounts/caller.js'
import { Failure } from '#contract/errors.js'
import { newRequestId } from '#plumbing/ids.js'
import type { Line } from './bill.js'
import type { Charge, Finish, Settled } from './charge.js'
import type { Goods } from './goods.js'
import type { Metered } from './metered.js'
import type { Before } from './posting/hold.js'
import type { Share } from './posting/settle.js'

/** A small request that is paid together with others of its caller. */
export type TabOrder = {
  requestId: string
  caller: Caller
  goods: Goods
  /** What it costs, but for how much of it. */
  line: Omit<Line, 'quantity'>
  /** The most units that it can use. */
  units: bigint
}

/** What a request used, and what it came to. */
export type Used<Result> = { units: bigint; result: Result }

/** What is told to a caller beside the result: what could be spent before, and what a wallet has left. */
export type Paid<Result> = { result: Result; before: Before; walletUsd: bigint | undefined }

/** Then younger ones take its place, so that none outlives a change of limits or of the day for long. */
const ageMaxMs = 5_000

/** Where so many run at once, a statement waits a moment for more to share it: it costs as much as many calls. */
const crowd = 32
const gatherMs = 4

type Finished = { requestId: string; units: bigint; resolve(): void; reject(error: unknown): void }
type Wish = { units: bigint; answer(isAdmitted: boolean): void }

/** The requests of one caller that run at the same time, from the first hold to the last settlement. */
export class Tab {
  readonly #order: TabOrder
  readonly #bornMs = performance.now()
  readonly #onShut: () => void
  /** Resolves when the first request is set aside; rejects when it cannot be. */
  readonly opened: Promise<void>
  #charge: Charge | undefined
  /** Set aside, and used by nobody. */
  #freeUnits = 0n
  /** Requests that are admitted, or may be at any moment, and have not ended. */
  #running = 1
  #wishes: Wish[] = []
  #isExtending = false
  #finished: Finished[] = []
  /** Those who were the last, and have nothing to pay. */
  #leaving: ((isGivenBack: Promise<unknown> | undefined) => void)[] = []
  /**
   * What is left is given back and never paid from under its own name: that belongs to a request that failed, or how much
   * is left is not known exactly.
   */
  #paysOnlyParts = false
  #isSettling = false
  /** Takes no more requests. */
  #isShut = false
  /** Pays for the last of them, or has. */
  #isEnded = false
  /** Resolves when everything is paid or given back. */
  #isOver: Promise<unknown> = Promise.resolve()
  #end: (last: () => Promise<Settled<undefined>>) => void = () => {}
  readonly #ending: Promise<() => Promise<Settled<undefined>>>

  constructor(metered: Pick<Metered, 'run'>, order: TabOrder, onShut: () => void) {
    this.#order = order
    this.#onShut = onShut
    this.#ending = new Promise((resolve) => {
      this.#end = resolve
    })
    this.opened = new Promise((resolve, reject) => {
      this.#isOver = this.#open(metered, resolve).catch((error) => {
        this.#shut()
        // Once it is open, those who wait to be settled have heard of it.
        reject(error)
      })
    })
    // Who opened it waits for it; nobody else has to hear.
    this.opened.catch(() => {})
  }

  /** Whoever comes in the same turn of the event loop begins together; if that is too much, the first one alone. */
  async #open(metered: Pick<Metered, 'run'>, onOpened: () => void): Promise<void> {
    await nextTurn()
    const others = this.#wishes.splice(0)
    if (others.length === 0) return this.#live(metered, this.#order.units, onOpened)
    const beginAll = () => {
      this.#running += others.length
      onOpened()
      for (const { answer } of others) answer(true)
    }
    try {
      await this.#live(metered, this.#order.units + sumOf(others), beginAll)
    } catch (error) {
      if (this.#charge !== undefined) throw error
      for (const { answer } of others) answer(false)
      if (!(error instanceof Failure)) throw error
      await this.#live(metered, this.#order.units, onOpened)
    }
  }

  /** From the hold to the last settlement. */
  async #live(metered: Pick<Metered, 'run'>, units: bigint, onHeld: () => void): Promise<void> {
    const { requestId, caller, goods } = this.#order
    const price = [this.#line(units)]
    await metered.run({ requestId, caller, goods, least: price, most: price }, async (charge) => {
      this.#charge = charge
      onHeld()
      void this.#extend()
      return (await this.#ending)()
    })
  }

  #line(quantity: bigint): Line {
    return { ...this.#order.line, quantity }
  }

  takesMore(): boolean {
    return !this.#isShut && performance.now() - this.#bornMs < ageMaxMs
  }

  /** Sets aside what one more request can use at most. False when there is no room for it here. */
  admit(units: bigint): Promise<boolean> | true {
    if (this.#takeFree(units)) return true
    return new Promise((answer) => {
      this.#wishes.push({ units, answer })
      void this.#extend()
    })
  }

  #takeFree(units: bigint): boolean {
    if (this.#freeUnits < units) return false
    this.#freeUnits -= units
    this.#running++
    return true
  }

  /** All who came while the last extension was on its way share the next one. */
  async #extend(): Promise<void> {
    const charge = this.#charge
    if (charge === undefined || this.#isExtending) return
    this.#isExtending = true
    while (this.#wishes.length > 0) {
      if (this.#isCrowded) await sleep(gatherMs)
      const wishes = this.#wishes.splice(0)
      // It was shut meanwhile.
      if (wishes.length === 0) break
      // They keep the tab from ending meanwhile.
      this.#running += wishes.length
      const isGranted = await charge.admit([this.#line(sumOf(wishes))]).catch(() => {
        this.#doubt()
        return false
      })
      if (!isGranted) this.#running -= wishes.length
      // Others may have ended meanwhile, and left enough.
      for (const { units, answer } of wishes) answer(isGranted || this.#takeFree(units))
    }
    this.#isExtending = false
    this.#settleSoon()
  }

  /** Only for who opened it or was admitted. */
  async run<Result>(order: TabOrder, work: (charge: Charge) => Promise<Used<Result>>): Promise<Paid<Result>> {
    const charge = this.#charge as Charge
    const { usd, bundled, diem } = charge.paidParts
    const before = { usd: charge.before.usd - usd - bundled, diem: charge.before.diem - diem }
    let used: Used<Result>
    try {
      used = await work(charge)
    } catch (error) {
      if (order.requestId === this.#order.requestId) this.#paysOnlyParts = true
      this.#leave(order.units)
      // What failed has given everything back by the time that its caller hears of it.
      await this.givenBack()
      throw error
    }
    const { units, result } = used
    await new Promise<void>((resolve, reject) => {
      this.#finished.push({ requestId: order.requestId, units, resolve, reject })
      this.#leave(order.units - units)
    })
    return { result, before, walletUsd: charge.walletUsdOwned }
  }

  /** Waits, if nobody is left, until what is left is given back or somebody has come after all. */
  async givenBack(): Promise<void> {
    if (this.#isLast && !this.#isEnded) await new Promise((resolve) => this.#leaving.push(resolve))
  }

  #leave(freeUnits: bigint) {
    this.#running--
    this.#freeUnits += freeUnits
    this.#settleSoon()
  }

  /** Many run, so others will want the same in a moment. */
  get #isCrowded(): boolean {
    return this.#running >= crowd
  }

  get #isLast(): boolean {
    return this.#running === 0 && this.#wishes.length === 0
  }

  /** Whatever ends in the same turn of the event loop is settled together. */
  #settleSoon() {
    if (this.#isSettling || this.#isEnded) return
    if (this.#finished.length === 0 && this.#leaving.length === 0 && !this.#isLast) return
    this.#isSettling = true
    if (this.#isCrowded) setTimeout(() => void this.#settle(), gatherMs)
    else setImmediate(() => void this.#settle())
  }

  async #settle(): Promise<void> {
    const group = this.#finished.splice(0)
    for (const tell of this.#leaving.splice(0)) tell(this.#isLast ? this.#isOver : undefined)
    try {
      if (this.#isLast) await this.#payLast(group)
      else if (group.length > 0) await this.#payPart(group)
      for (const { resolve } of group) resolve()
    } catch (error) {
      this.#doubt()
      for (const { reject } of group) reject(error)
    }
    this.#isSettling = false
    this.#settleSoon()
  }

  #finishOf(group: readonly Finished[]): Finish {
    return { lines: [this.#line(sumOf(group))], countedBy: 'running stats' }
  }

  /** A part is a record of its own. Its id is that of one of its requests, but not of the one that the tab is named by. */
  #payPart(group: readonly Finished[]): Promise<void> {
    const { requestId = newRequestId() } = group.find((one) => one.requestId !== this.#order.requestId) ?? {}
    return (this.#charge as Charge).settlePart(requestId, this.#finishOf(group), sharesOf(group, requestId))
  }

  async #payLast(group: readonly Finished[]): Promise<void> {
    this.#isEnded = true
    this.#shut()
    if (group.length > 0 && !this.#paysOnlyParts) return this.#payRest(group)
    try {
      if (group.length > 0) await this.#payPart(group)
    } finally {
      this.#end(() => Promise.reject(new Error('nothing is left to be paid')))
      await this.#isOver
    }
  }

  #payRest(group: readonly Finished[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#end(async () => {
        try {
          const shares = sharesOf(group, this.#order.requestId)
          const settled = await (this.#charge as Charge).settle({ ...this.#finishOf(group), shares })
          resolve()
          return settled
        } catch (error) {
          reject(error)
          throw error
        }
      })
    })
  }

  /** The database broke off, so what is set aside is no longer certain. */
  #doubt() {
    this.#paysOnlyParts = true
    this.#shut()
  }

  #shut() {
    if (this.#isShut) return
    this.#isShut = true
    this.#onShut()
    for (const { answer } of this.#wishes.splice(0)) answer(false)
  }
}

const sumOf = (some: readonly { units: bigint }[]) => some.reduce((sum, { units }) => sum + units, 0n)

/** Who was paid with a record. None need be written down for one that is all there is of it. */
const sharesOf = (group: readonly Finished[], recordId: string): Share[] | undefined =>
  group.length === 1 && group[0]?.requestId === recordId
    ? undefined
    : group.map(({ requestId, units }) => ({ requestId, units }))
