import { fail } from '#contract/errors.js'
import type { ChainNodes } from '#engines/nodes/chain-nodes.js'
import { type JsonText, NodeError } from '#engines/nodes/node.js'
import type { Clock } from '#plumbing/clock.js'
import type { StopSignal } from '#plumbing/stop-signal.js'
import { type CheckedItem, withId } from './body.js'
import { type Asked, questionKey, type RpcCache } from './cache.js'
import { type Answer, arrive, board, createFlight, type Flight } from './flight.js'
import { createFreshness, type Freshness } from './freshness.js'
import { heightShown } from './height-shown.js'
import { keptFor } from './keeping.js'
import type { Family } from './method.js'
import type { Outcome, Source } from './outcome.js'
import { type OnSend, sendNoted } from './sending.js'

type Needs = {
  /** Others when the operator has connected others; undefined when none any more. */
  nodesOf(network: string): ChainNodes | undefined
  cache: RpcCache
  clock: Clock
  blockTimeMs(network: string): number
  /** Of the transaction that a call sends, as far as it can be known before. */
  hashOfSend(family: Family, method: string, params: JsonText | undefined): string | undefined
}

export type CallsOrder = {
  network: string
  family: Family
  items: readonly CheckedItem[]
  signal: StopSignal
  onSend: OnSend
}

/** One outcome for each call that has an id, in their order. Throws the signal's reason as soon as that has fired. */
export type AnswerCalls = (order: CallsOrder) => Promise<Outcome[]>

/** What is under way on one network. */
type Chain = {
  /** Another one for other nodes, and for a chain that begins anew, so that nothing is left of what was said before. */
  name: string
  nodes: ChainNodes
  /** How often the chain had begun anew. */
  restarts: number
  freshness: Freshness
  /** Reads that a node is being asked for, by their question. */
  flying: Map<string, { flight: Flight; seat: number }>
}

/** A call of this request that waits for an answer. */
type Wait = { place: number; flight: Flight; seat: number; source: Source }

/** Answers from what is kept, from what somebody already waits for, and all the rest with one visit to a node. */
export const createAnswerCalls = ({ nodesOf, cache, clock, blockTimeMs, hashOfSend }: Needs): AnswerCalls => {
  const chains = new Map<string, Chain>()
  let chainsSoFar = 0

  const chainOf = (network: string): Chain => {
    const known = chains.get(network)
    const nodes = nodesOf(network)
    if (nodes === undefined) throw fail('rpcNetworkUnsupported', network, 'none of that name')
    const { restarts } = nodes.heads()
    if (known?.nodes === nodes && known.restarts === restarts) return known
    const chain: Chain = {
      name: `${network} ${++chainsSoFar}`,
      nodes,
      restarts,
      freshness: createFreshness(nodes),
      flying: new Map(),
    }
    chains.set(network, chain)
    return chain
  }

  /** Asks a node, then learns from its answers and keeps what may be kept. */
  const fly = async (chain: Chain, { network, family }: CallsOrder, flight: Flight): Promise<Answer[]> => {
    const asked: Asked = { generation: flight.generation, untilMs: clock.nowMs() + blockTimeMs(network) }
    try {
      const answers = await chain.nodes.ask(flight.calls, flight.signal)
      learn(chain, family, flight, answers)
      keep(chain, family, flight, answers, asked)
      return answers
    } finally {
      forget(chain, flight)
    }
  }

  const keep = (chain: Chain, family: Family, flight: Flight, answers: readonly Answer[], asked: Asked) => {
    const generation = chain.freshness.generation()
    const { finalized, restarts } = chain.nodes.heads()
    if (restarts !== chain.restarts) return
    const isAlone = flight.seats.length === 1
    for (const [seat, { item, key }] of flight.seats.entries()) {
      const answer = answers[seat]
      if (key === undefined || !hasResult(answer) || chain.nodes.isBehind(answer)) continue
      const kept = keptFor({ family, method: item.methodOf, params: item.params, result: answer.result, finalized })
      if (kept === 'forever' || (kept === 'block' && generation === asked.generation))
        cache.put(key, isAlone ? answer.result : copyOf(answer.result), kept, asked)
    }
  }

  /**
   * It is not shared with other requests, which need not wait until it is noted, and not broken off when its caller leaves:
   * somebody will want to know how it ended.
   */
  const flySending = (chain: Chain, order: CallsOrder, flight: Flight): Promise<Answer[]> => {
    const { network, onSend, signal } = order
    const ask = () => fly(chain, order, flight).finally(() => chain.freshness.changed())
    return sendNoted({ network, flight, onSend, signal, ask })
  }

  return async (order) => {
    const { network, family, signal } = order
    signal.throwIfAborted()
    const items = withId(order.items)
    const isSending = items.some(({ methodOf }) => methodOf.kind !== 'read')
    const chain = chainOf(network)
    const generation = chain.freshness.generation()
    const outcomes = new Array<Outcome>(items.length)
    const waits: Wait[] = []
    let own: Flight | undefined
    for (const [place, item] of items.entries()) {
      const { methodOf, params } = item
      const key = methodOf.kind === 'read' ? questionKey(chain.name, methodOf.name, params) : undefined
      const kept = key === undefined ? undefined : cache.get(key, generation)
      if (kept !== undefined) {
        outcomes[place] = { result: kept, source: 'cache' }
        continue
      }
      const flying = key === undefined ? undefined : chain.flying.get(key)
      if (flying?.flight.generation === generation) {
        waits.push({ place, flight: flying.flight, seat: flying.seat, source: 'merged' })
        continue
      }
      own ??= createFlight(generation)
      const hash = methodOf.kind === 'send' ? hashOfSend(family, methodOf.name, params) : undefined
      const seat = board(own, { item, key, hash })
      if (key !== undefined && !isSending) chain.flying.set(key, { flight: own, seat })
      waits.push({ place, flight: own, seat, source: 'node' })
    }
    if (waits.length === 0) return outcomes

    if (own !== undefined) own.answers = (isSending ? flySending : fly)(chain, order, own)
    const flights = [...new Set(waits.map(({ flight }) => flight))]
    const answers = await arrive(flights, signal, (flight) => {
      if (isSending && flight === own) return
      forget(chain, flight)
      flight.stop()
    })
    for (const { place, flight, seat, source } of waits) {
      const answer = answers[flights.indexOf(flight)]?.[seat]
      outcomes[place] = toOutcome(answer, source, flight.seats[seat]?.hash)
    }
    return outcomes
  }
}

/** A part of a text keeps the whole alive, and the answer to a batch may be large. */
const copyOf = (text: JsonText): JsonText => Buffer.from(text, 'latin1').toString('latin1')

const hasResult = (answer: Answer | undefined): answer is { result: JsonText } =>
  answer !== undefined && 'result' in answer

const learn = (chain: Chain, family: Family, flight: Flight, answers: readonly Answer[]) => {
  for (const [seat, { item }] of flight.seats.entries()) {
    const answer = answers[seat]
    if (!hasResult(answer)) continue
    const shown = heightShown(family, item.method, item.params, answer.result)
    if (shown !== undefined) chain.freshness.learn(shown, answer)
  }
}

const forget = ({ flying }: Chain, flight: Flight) => {
  for (const { key } of flight.seats) if (key !== undefined && flying.get(key)?.flight === flight) flying.delete(key)
}

const toOutcome = (answer: Answer | undefined, source: Source, hash: string | undefined): Outcome => {
  if (answer === undefined) throw new Error('a call has no answer')
  if (answer instanceof NodeError) return { failed: answer, hash }
  return 'result' in answer ? { result: answer.result, source } : { error: answer.error, source }
}
