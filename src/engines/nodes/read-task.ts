import { Place, type Room } from '#plumbing/room.js'
import { Attempt, type Watching } from './attempt.js'
import { chooseNode } from './choose-node.js'
import type { HttpNode, Said } from './http-node.js'
import { judgeError, readError, type Verdict } from './judge-error.js'
import { type Family, type NodeAnswer, type NodeCall, NodeError } from './node.js'
import { NodeFault } from './node-fault.js'

export type HedgeBudget = { earn(): void; take(): boolean }

export const allPaused = (network: string) => `every node of ${network} is left alone for a while, after failures`

export type Chain = Watching & {
  network: string
  family: Family
  nodes: readonly HttpNode[]
  isLagging(node: HttpNode): boolean
  isOlder(node: HttpNode): boolean
  /** Who gave an answer, where there are several. */
  givers: WeakMap<NodeAnswer, HttpNode>
  random(): number
  timeoutMs: number
  /** For large answers while others are awaited. */
  room: Room
  /** Of everything that is asked together. */
  batchBytesMax: number
  hedges: HedgeBudget
  hedgeMs: { min: number; max: number; unknown: number }
  secondTryMs: number
}

export type Outcome = NodeAnswer | NodeError

const attemptsMax = 4
const lackingMs = 60_000

/** Which error is passed on when every node has one: the more it tells, the better. */
const telling: Record<Verdict, number> = { proper: 5, behind: 4, local: 3, busy: 2, lacking: 1 }

/** What is known of one call that has no answer yet. */
type Item = {
  readonly call: NodeCall
  /** Given if nothing better comes. */
  fallback: NodeAnswer | undefined
  fallbackWorth: number
  fault: NodeFault | undefined
  /** Only a node that is further than this may know more. */
  furtherThan: number | undefined
  hasNull: boolean
}

/**
 * Gets the answers to calls that change nothing: from one node, together; from another one, what that could not answer; and
 * from two at once, when the first is slow. A class, because there is one for every request.
 */
export class ReadTask {
  readonly #chain: Chain
  readonly #items: readonly Item[]
  readonly #answers: (Outcome | undefined)[]
  readonly #onEnd: (answers: Outcome[]) => void
  #missing: number
  readonly #tried: HttpNode[] = []
  #attempts = 0
  readonly #place: Place
  #running: Attempt[] = []
  #isOver = false
  #deadline: NodeJS.Timeout | undefined
  /** Until another node is asked as well, or the only one again. */
  #nextStep: NodeJS.Timeout | undefined

  constructor(chain: Chain, calls: readonly NodeCall[], onEnd: (answers: Outcome[]) => void) {
    this.#chain = chain
    this.#place = new Place(chain.room)
    this.#items = calls.map((call) => ({
      call,
      fallback: undefined,
      fallbackWorth: 0,
      fault: undefined,
      furtherThan: undefined,
      hasNull: false,
    }))
    this.#answers = new Array(calls.length).fill(undefined)
    this.#missing = calls.length
    this.#onEnd = onEnd
  }

  start() {
    this.#chain.hedges.earn()
    this.#deadline = setTimeout(() => this.#late(), this.#chain.timeoutMs)
    this.#askNext()
  }

  /** Nobody wants the answers any more. */
  abort() {
    this.#close()
    for (const attempt of this.#running) attempt.leave()
  }

  #close() {
    this.#isOver = true
    this.#place.leave()
    clearTimeout(this.#deadline)
    clearTimeout(this.#nextStep)
  }

  #finish(winner: Attempt | undefined) {
    if (this.#isOver) return
    this.#close()
    for (const attempt of this.#running)
      if (winner && attempt.startedMs < winner.startedMs) attempt.outrun()
      else attempt.leave()
    this.#onEnd(this.#answers as Outcome[])
  }

  #settle(place: number, answer: Outcome) {
    if (this.#answers[place] !== undefined) return
    this.#answers[place] = answer
    this.#missing -= 1
  }

  #settleResult(place: number, said: NodeAnswer & { result: string }) {
    const { batchBytesMax } = this.#chain
    const hasRoom = this.#place.grow(said.result.length)
    if (this.#place.bytes > batchBytesMax)
      this.#settleRest(new NodeError('tooLarge', `the answers are larger than ${batchBytesMax} bytes together`))
    else if (hasRoom) this.#settle(place, said)
    else this.#settleRest(new NodeError('noRoom', 'there is no room for more large answers'))
  }

  /** Nothing better will come. */
  #settleRest(otherwise: NodeError | undefined) {
    for (const [place, { fallback, fault }] of this.#items.entries())
      if (this.#answers[place] === undefined) this.#settle(place, fallback ?? otherwise ?? fault ?? this.#nobody())
    this.#finish(undefined)
  }

  #nobody(): NodeError {
    const isOverloaded = this.#chain.nodes.every(({ breaker }) => breaker.isOverloaded())
    return new NodeError(isOverloaded ? 'overloaded' : 'unreachable', allPaused(this.#chain.network))
  }

  #choose(): HttpNode | undefined {
    const { nodes, isLagging, isOlder, clock, random } = this.#chain
    if (this.#attempts >= attemptsMax) return undefined
    return chooseNode({
      nodes,
      isLagging,
      isOlder,
      random,
      nowMs: clock.nowMs(),
      method: this.#items.length === 1 ? this.#items[0]?.call.method : undefined,
      mayAsk: (node) => this.#attempts === 0 || (!this.#tried.includes(node) && this.#placesFor(node).length > 0),
    })
  }

  /** The calls that this node may answer. */
  #placesFor(node: HttpNode): number[] {
    const places: number[] = []
    for (const [place, { furtherThan }] of this.#items.entries()) {
      if (this.#answers[place] !== undefined) continue
      if (furtherThan === undefined || (node.latest ?? -1) > furtherThan) places.push(place)
    }
    return places
  }

  #askNext() {
    clearTimeout(this.#nextStep)
    const node = this.#choose()
    if (node) {
      if (this.#attempts > 0) this.#chain.observe?.({ kind: 'retried', node: node.name })
      this.#ask(node, this.#placesFor(node), false)
    } else if (this.#mayTryAgain())
      // Spread out, so that those who lost the same node together do not come back together.
      this.#nextStep = setTimeout(() => this.#askAgain(), this.#chain.secondTryMs * (0.5 + this.#chain.random()))
    else this.#settleRest(undefined)
  }

  /** There is nobody else, and what went wrong may have passed. */
  #mayTryAgain(): boolean {
    return this.#attempts === 1 && this.#items.some(({ fault }, place) => this.#isPassing(place, fault))
  }

  #isPassing(place: number, fault: NodeFault | undefined): boolean {
    return this.#answers[place] === undefined && fault?.isPassing === true
  }

  #askAgain() {
    const [node] = this.#tried
    if (node === undefined || node.breaker.waitMs() > 0) return this.#settleRest(undefined)
    this.#chain.observe?.({ kind: 'retried', node: node.name })
    const places = [...this.#items.keys()].filter((place) => this.#isPassing(place, this.#items[place]?.fault))
    this.#ask(node, places, true)
  }

  #ask(node: HttpNode, places: number[], isOneByOne: boolean) {
    const attempt = new Attempt(node, this.#chain)
    this.#attempts += 1
    this.#tried.push(node)
    this.#running.push(attempt)
    this.#armNextStep(node, places.length)
    const [only] = places
    if (places.length === 1 && only !== undefined) {
      attempt.asking = node.ask((this.#items[only] as Item).call, (said) => {
        if (this.#isOver) return
        this.#hear(attempt, only, said)
        this.#afterAttempt(attempt, 'call')
      })
      return
    }
    let awaited = places.length
    const questions = places.map((place) => (this.#items[place] as Item).call)
    attempt.asking = node.askAll(questions, isOneByOne, (index, said) => {
      if (this.#isOver) return
      this.#hear(attempt, places[index] as number, said)
      awaited -= 1
      if (awaited === 0) this.#afterAttempt(attempt, 'batch')
      else if (this.#missing === 0) this.#finish(attempt)
    })
  }

  #afterAttempt(attempt: Attempt, what: 'call' | 'batch') {
    attempt.ended(what)
    this.#running.splice(this.#running.indexOf(attempt), 1)
    if (this.#missing === 0) this.#finish(attempt)
    else if (this.#running.length === 0) this.#askNext()
  }

  #hear(attempt: Attempt, place: number, said: Said) {
    if (said instanceof NodeFault) attempt.noteFault(said)
    const item = this.#items[place] as Item
    if (this.#answers[place] !== undefined) return
    if (said instanceof NodeFault) {
      item.fault = said
      if (said.trouble === 'tooLarge' || said.trouble === 'noRoom') this.#settle(place, said)
    } else if ('result' in said) this.#hearResult(attempt.node, place, item, said)
    else this.#hearError(attempt, place, item, said)
  }

  #hearResult(node: HttpNode, place: number, item: Item, said: NodeAnswer & { result: string }) {
    const isDoubtful =
      said.result === 'null' && item.call.isNullDoubtful && !item.hasNull && this.#isSomeoneFurther(node)
    if (this.#chain.nodes.length > 1) this.#chain.givers.set(said, node)
    if (!isDoubtful) return this.#settleResult(place, said)
    item.hasNull = true
    item.furtherThan = node.latest
    item.fallback = said
    item.fallbackWorth = telling.proper
  }

  #isSomeoneFurther({ latest }: HttpNode): boolean {
    if (latest === undefined) return false
    return this.#chain.nodes.some((node) => (node.latest ?? -1) > latest && node.breaker.waitMs() === 0)
  }

  #hearError(attempt: Attempt, place: number, item: Item, said: NodeAnswer & { error: string }) {
    const { node } = attempt
    const verdict = judgeError(this.#chain.family, readError(said.error))
    if (verdict === 'proper') return this.#settle(place, said)
    if (verdict === 'busy') attempt.noteBusy()
    if (verdict === 'lacking') node.lacking.set(item.call.method, this.#chain.clock.nowMs() + lackingMs)
    // What nodes told of themselves is a little old: one that was as far then may be further now.
    if (verdict === 'behind' && node.latest !== undefined) item.furtherThan = node.latest - 1
    item.fault = undefined
    if (telling[verdict] <= item.fallbackWorth) return
    item.fallback = said
    item.fallbackWorth = telling[verdict]
  }

  /** When to ask another node as well: the first time as soon as this one is slow, later when it looks lost. */
  #armNextStep(node: HttpNode, calls: number) {
    const { nodes, hedgeMs, timeoutMs } = this.#chain
    clearTimeout(this.#nextStep)
    if (this.#tried.length >= nodes.length) return
    const lostMs = timeoutMs / 3
    if (this.#attempts > 1) return this.#hedgeAfter(lostMs, true)
    const slowMs = node.health.slowMs() ?? hedgeMs.unknown
    // Tens of milliseconds, since timers of the same length are cheap. Many calls together take longer.
    const usualMs = Math.ceil((Math.max(slowMs, hedgeMs.min) * (1 + calls / 10)) / 10) * 10
    this.#hedgeAfter(Math.min(usualMs, hedgeMs.max, lostMs), false)
  }

  #hedgeAfter(ms: number, isForced: boolean) {
    this.#nextStep = setTimeout(() => this.#hedge(isForced), ms)
  }

  #hedge(isForced: boolean) {
    if (this.#running.length === 0 || this.#running.length > 2) return
    const node = this.#choose()
    if (node === undefined) return
    if (!isForced && !this.#mayHedgeTo(node)) return this.#hedgeAfter(this.#chain.timeoutMs / 3, true)
    this.#chain.observe?.({ kind: 'hedged', node: node.name })
    this.#ask(node, this.#placesFor(node), false)
  }

  /** Slow is better than stale, and than one more call for a node that has too many. */
  #mayHedgeTo(node: HttpNode): boolean {
    const { isLagging, isOlder, clock, hedges } = this.#chain
    return !isLagging(node) && !isOlder(node) && node.avoidedUntilMs <= clock.nowMs() && hedges.take()
  }

  #late() {
    const { clock, timeoutMs } = this.#chain
    const lateSinceMs = clock.nowMs() - timeoutMs / 3
    for (const attempt of this.#running) if (attempt.startedMs <= lateSinceMs) attempt.late()
    this.#settleRest(new NodeError('timeout', `no node has answered within ${timeoutMs} ms`))
  }
}
