import type { Clock } from '#plumbing/clock.js'
import type { Pass } from '../routing/breaker.js'
import type { Asking, HttpNode } from './http-node.js'
import type { NodeError, NodeTrouble } from './node.js'
import { NodeFault } from './node-fault.js'

export type NodeEvent =
  /** One try at one node, and what came of it. `left`: somebody else was faster, or the caller has gone. */
  | { kind: 'tried'; node: string; outcome: 'answered' | 'busy' | 'left' | NodeTrouble; tookMs: number }
  /** Another node is asked, because the first one failed or cannot. */
  | { kind: 'retried'; node: string }
  /** Another node is asked, because the first one is slow. */
  | { kind: 'hedged'; node: string }

export type Watching = {
  clock: Clock
  /** A node did not do what it should: for the log. */
  onTrouble(nodeName: string, error: NodeError): void
  observe?: ((event: NodeEvent) => void) | undefined
}

/** A node that says it has too much to do is left alone for so long, if it does not say for how long. */
const avoidMs = 1_000
const avoidMsMax = 30_000

/** One try at one node, and what it tells about its health. Only the first of its endings counts. */
export class Attempt {
  readonly node: HttpNode
  readonly startedMs: number
  asking: Asking | undefined
  readonly #watching: Watching
  readonly #pass: Pass | undefined
  #isOver = false
  #fault: NodeFault | undefined
  #isBusy = false

  constructor(node: HttpNode, watching: Watching) {
    this.node = node
    this.#watching = watching
    this.startedMs = watching.clock.nowMs()
    this.#pass = node.breaker.admit()
  }

  /** Part of what came is no answer. */
  noteFault(fault: NodeFault) {
    if (!fault.isOfNode) return
    this.#fault = fault
    if (fault.trouble === 'overloaded') this.noteBusy(fault.retryAfterMs)
  }

  noteBusy(retryAfterMs = avoidMs) {
    this.#isBusy = true
    this.node.avoidedUntilMs = this.#watching.clock.nowMs() + Math.min(retryAfterMs, avoidMsMax)
  }

  /** Everything came that will come. */
  ended(what: 'call' | 'batch' | 'poll') {
    if (!this.#end(this.#fault?.trouble ?? (this.#isBusy ? 'busy' : 'answered'))) return
    const { health, breaker } = this.node
    if (this.#fault) this.#blame(this.#fault)
    // It did answer, but not as one who is well.
    else if (this.#isBusy) this.#pass?.released()
    else if (what === 'poll') {
      health.polled(this.#tookMs())
      // A node may tell how far it is and fail at everything else; only after a pause it is a sign of life.
      if (breaker.isClosed()) this.#pass?.released()
      else this.#pass?.succeeded()
    } else {
      this.#pass?.succeeded()
      health.succeeded(what === 'call' ? this.#tookMs() : undefined)
    }
  }

  /** It was silent for too long. */
  late() {
    if (!this.#end('timeout')) return
    this.asking?.abort()
    this.#blame(new NodeFault('timeout', `it was silent for ${this.#tookMs()} ms`, { mayBeTaken: true }))
  }

  /** Nobody waits for it any more, which is not its fault. */
  leave() {
    if (!this.#end('left')) return
    this.asking?.abort()
    this.#pass?.released()
  }

  /** Another one that was asked later has answered. */
  outrun() {
    if (this.#isOver) return
    this.node.health.wasSlow(this.#tookMs())
    this.leave()
  }

  #tookMs(): number {
    return this.#watching.clock.nowMs() - this.startedMs
  }

  #end(outcome: 'answered' | 'busy' | 'left' | NodeTrouble): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    this.#watching.observe?.({ kind: 'tried', node: this.node.name, outcome, tookMs: this.#tookMs() })
    return true
  }

  #blame(fault: NodeFault) {
    this.#pass?.failed(fault)
    this.node.health.failed()
    this.#watching.onTrouble(this.node.name, fault)
  }
}
