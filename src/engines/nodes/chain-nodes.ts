import { type Clock, systemClock } from '#plumbing/clock.js'
import { createRoom, type Room } from '#plumbing/room.js'
import type { StopSignal } from '#plumbing/stop-signal.js'
import type { NodeEvent } from './attempt.js'
import { createHeads } from './heads.js'
import { createHttpNode, type HttpNode, type Upstream } from './http-node.js'
import { batchAnswersMax, type Family, type NodeAnswer, type NodeCall, type NodeError } from './node.js'
import { type Chain, type HedgeBudget, type Outcome, ReadTask } from './read-task.js'
import { createLeash, letGo, send } from './send.js'

export { hashOfSend } from './transaction-hash.js'
export type { Family, NodeEvent }

/** How far a chain is, as its nodes tell. Undefined until one of them has told. */
export type Heads = {
  latest: number | undefined
  finalized: number | undefined
  /** How often another chain has begun in its place: nothing is true any more that was true before. */
  restarts: number
}

/** What is known of one node. `name` is its host and no more: paths and queries often hold a secret. */
export type NodeStatus = {
  name: string
  /** Left alone for a while, after it failed several times. */
  isPaused: boolean
  /** Of its answers, lately. */
  latencyMs: number | undefined
  /** Of its answers lately, the share that failed: 0 to 1. */
  failureRate: number
  latest: number | undefined
}

/** All nodes of one network, which stand in for each other. */
export type ChainNodes = {
  /**
   * One answer for each call, in order; what could not be had is a `NodeError` in its place. Throws only the signal's
   * reason once that has fired.
   */
  ask(calls: readonly NodeCall[], signal: StopSignal): Promise<(NodeAnswer | NodeError)[]>
  heads(): Heads
  /** An answer showed that the chain has come this far, and so has the node that gave it. */
  saw(latest: number, answer: NodeAnswer): void
  /** Whether it came from a node that is not as far as it should be, and may not know all that it was asked for. */
  isBehind(answer: NodeAnswer): boolean
  status(): NodeStatus[]
  /** Breaks off what is on its way. */
  close(): Promise<void>
}

type Needs = {
  network: string
  family: Family
  upstreams: readonly Upstream[]
  /** For everything that one call may take. */
  timeoutMs: number
  answerBytesMax: number
  /** For large answers, whichever network they come from. */
  room?: Room | undefined
  blockTimeMs: number
  clock?: Clock | undefined
  random?: (() => number) | undefined
  /** A node did not do what it should: for the log. */
  onTrouble(nodeName: string, error: NodeError): void
  observe?: ((event: NodeEvent) => void) | undefined
  pace?: Partial<typeof usualPace> | undefined
}

const usualPace = {
  /** Another node is asked too when one is slower than it usually is, but not sooner and not later than this. */
  hedgeMsMin: 100,
  hedgeMsMax: 2_000,
  /** The same before it is known how fast a node is. */
  hedgeMsUnknown: 1_000,
  /** How often nodes are asked how far they are: once per block, within these bounds. */
  pollMsMin: 1_000,
  pollMsMax: 15_000,
  pollTimeoutMs: 5_000,
  /** Before the only node is asked again; by chance half as long, or half as long again. */
  secondTryMs: 100,
}

/** Public nodes take at least so many at once; and more together would wait for the slowest. */
const batchMax = 50

export const createChainNodes = (needs: Needs): ChainNodes => {
  const { family, clock = systemClock, random = Math.random, timeoutMs, onTrouble, observe } = needs
  const room = needs.room ?? createRoom(() => Number.POSITIVE_INFINITY)
  const pace = { ...usualPace, ...needs.pace }
  const names = namesOf(needs.upstreams)
  const nodes = needs.upstreams.map((upstream, place) =>
    createHttpNode({
      name: names[place] as string,
      family,
      upstream,
      answerBytesMax: needs.answerBytesMax,
      room,
      clock,
    }),
  )
  const watching = { clock, onTrouble, observe }
  const givers = new WeakMap<NodeAnswer, HttpNode>()
  const heads = createHeads({
    nodes,
    family,
    blockTimeMs: needs.blockTimeMs,
    watching,
    pollMs: { min: pace.pollMsMin, max: pace.pollMsMax },
    pollTimeoutMs: Math.min(pace.pollTimeoutMs, timeoutMs),
  })
  const chain: Chain = {
    ...watching,
    network: needs.network,
    family,
    nodes,
    isLagging: heads.isLagging,
    isOlder: heads.isOlder,
    givers,
    random,
    timeoutMs,
    room,
    batchBytesMax: needs.answerBytesMax * batchAnswersMax,
    hedges: createHedgeBudget(),
    hedgeMs: { min: pace.hedgeMsMin, max: pace.hedgeMsMax, unknown: pace.hedgeMsUnknown },
    secondTryMs: pace.secondTryMs,
  }
  let closing: Promise<void> | undefined

  /** Starts the work, and gives what ends it early. */
  const begin = (calls: readonly NodeCall[], onEnd: (answers: Outcome[]) => void): (() => void) => {
    if (calls.length <= batchMax && calls.every(isRead)) {
      const task = new ReadTask(chain, calls, onEnd)
      task.start()
      return () => task.abort()
    }
    return beginMany(chain, calls, onEnd)
  }

  return {
    ask: (calls, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason)
        if (calls.length === 0) return resolve([])
        heads.use()
        let isOver = false
        const leave = () => {
          isOver = true
          abort()
          reject(signal.reason)
        }
        const abort = begin(calls, (answers) => {
          isOver = true
          signal.removeEventListener('abort', leave)
          resolve(answers)
        })
        if (!isOver) signal.addEventListener('abort', leave, { once: true })
      }),
    heads: heads.heads,
    saw: (latest, answer) => heads.saw(latest, givers.get(answer)),
    isBehind: (answer) => {
      const giver = givers.get(answer)
      return giver !== undefined && heads.isBehind(giver)
    },
    status: () =>
      nodes.map(({ name, breaker, health, latest }) => ({
        name,
        isPaused: breaker.waitMs() > 0,
        latencyMs: health.latencyMs(),
        failureRate: health.failureRate(),
        latest,
      })),
    close() {
      heads.close()
      closing ??= Promise.all(nodes.map((node) => node.close())).then(() => {})
      return closing
    },
  }
}

const isRead = ({ kind }: NodeCall) => kind === 'read'

/** Reads in batches, side by side; the others one after the other, as they came: their order may matter. */
const beginMany = (chain: Chain, calls: readonly NodeCall[], onEnd: (answers: Outcome[]) => void): (() => void) => {
  const answers = new Array<Outcome>(calls.length)
  const places = [...calls.keys()]
  const callAt = (place: number) => calls[place] as NodeCall
  const reads = places.filter((place) => isRead(callAt(place)))
  const sends = places.filter((place) => !isRead(callAt(place)))
  let awaited = calls.length
  const told = (place: number, answer: Outcome) => {
    answers[place] = answer
    awaited -= 1
    if (awaited === 0) onEnd(answers)
  }

  const tasks: ReadTask[] = []
  for (let from = 0; from < reads.length; from += batchMax) {
    const group = reads.slice(from, from + batchMax)
    const task = new ReadTask(chain, group.map(callAt), (got) => {
      for (const [index, place] of group.entries()) told(place, got[index] as Outcome)
    })
    tasks.push(task)
  }
  const leash = createLeash()
  const sendAll = async () => {
    const untilMs = chain.clock.nowMs() + chain.timeoutMs
    for (const place of sends) {
      const answer = await send(chain, callAt(place), untilMs, leash)
      if (leash.isGone) return
      told(place, answer)
    }
  }
  for (const task of tasks) task.start()
  void sendAll()
  return () => {
    for (const task of tasks) task.abort()
    letGo(leash)
  }
}

/** At most one call in ten is asked twice for being slow, beside a few in reserve. */
const createHedgeBudget = (): HedgeBudget => {
  const reserve = 10
  let left = reserve
  return {
    earn() {
      left = Math.min(reserve, left + 0.1)
    },
    take() {
      if (left < 1) return false
      left -= 1
      return true
    },
  }
}

/** The host of each; the second one of the same host gets `#2`. */
const namesOf = (upstreams: readonly Upstream[]): string[] => {
  const seen = new Map<string, number>()
  return upstreams.map(({ url }) => {
    const { host } = new URL(url)
    const count = (seen.get(host) ?? 0) + 1
    seen.set(host, count)
    return count === 1 ? host : `${host}#${count}`
  })
}
