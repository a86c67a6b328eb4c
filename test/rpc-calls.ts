import assert from 'node:assert/strict'
import type { ChainNodes, Heads } from '#engines/nodes/chain-nodes.js'
import type { NodeAnswer, NodeCall, NodeError } from '#engines/nodes/node.js'
import { neverStops, type StopSignal } from '#plumbing/stop-signal.js'
import { createAnswerCalls } from '../src/capabilities/rpc/answer-calls.js'
import { checkMethods } from '../src/capabilities/rpc/body.js'
import { createRpcCache } from '../src/capabilities/rpc/cache.js'
import type { Family } from '../src/capabilities/rpc/method.js'
import type { Outcome } from '../src/capabilities/rpc/outcome.js'

type Answers = (NodeAnswer | NodeError)[]
type Ask = { calls: readonly NodeCall[]; signal: StopSignal; answer(answers: Answers): void; break(error: Error): void }

/** Nodes that answer when and what a test says. */
export const createNodes = () => {
  const asks: Ask[] = []
  const seen: number[] = []
  const heads: Heads = { latest: 100, finalized: 50, restarts: 0 }
  const nodes: ChainNodes = {
    ask: (calls, signal) =>
      new Promise((resolve, reject) => {
        asks.push({ calls, signal, answer: resolve, break: reject })
        signal.addEventListener('abort', () => reject(signal.reason))
      }),
    heads: () => ({ ...heads }),
    saw(latest) {
      seen.push(latest)
      heads.latest = Math.max(heads.latest ?? 0, latest)
    },
    isBehind: () => false,
    status: () => [],
    close: async () => {},
  }
  return { nodes, asks, heads, seen }
}

export type Call = [method: string, params?: unknown[]]

export const createSubject = (family: Family = 'evm') => {
  const { nodes, asks, heads, seen } = createNodes()
  const sends: string[] = []
  let now = 0
  const clock = { nowMs: () => now }
  const answer = createAnswerCalls({
    nodesOf: () => nodes,
    cache: createRpcCache({ bytesMax: () => 1_000_000, clock }),
    clock,
    blockTimeMs: () => 2_000,
    hashOfSend: (_family, _method, params) => `hash of ${params}`,
  })
  const request = (calls: Call[], { signal = neverStops, network = 'base-mainnet', onSend = noteSend } = {}) => {
    const items = calls.map(([method, params], place) => ({
      id: String(place),
      method,
      params: params && JSON.stringify(params),
      place,
    }))
    return answer({ network, family, items: checkMethods(family, network, items), signal, onSend })
  }
  const noteSend = async ({ method, hash }: { method: string; hash: string | undefined }) => {
    sends.push(`${method} ${hash}`)
    return async (end: string, result: string | undefined) => {
      sends.push(`${end} ${result}`)
    }
  }
  return {
    request,
    asks,
    heads,
    seen,
    sends,
    /** The ask that the nodes got last. */
    last: () => asks.at(-1) ?? assert.fail('no node was asked'),
    passMs(ms: number) {
      now += ms
    },
  }
}

/** Lets everything that can go on go on. */
export const settle = () => new Promise((resolve) => setImmediate(resolve))

export const result = (text: string): NodeAnswer => ({ result: text })
export const balance: Call = ['eth_getBalance', ['0x1', 'latest']]
export const sourcesOf = (outcomes: Outcome[]) =>
  outcomes.map((outcome) => ('source' in outcome ? outcome.source : 'failed'))
export const textsOf = (outcomes: Outcome[]) =>
  outcomes.map((outcome) =>
    'result' in outcome ? outcome.result : 'error' in outcome ? outcome.error : outcome.failed,
  )
