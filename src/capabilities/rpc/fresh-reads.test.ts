import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ChainNodes } from '#engines/nodes/chain-nodes.js'
import type { NodeAnswer, NodeCall } from '#engines/nodes/node.js'
import { createStop } from '#plumbing/stop-signal.js'
import { createAnswerCalls } from './answer-calls.js'
import { checkMethods } from './body.js'
import { createRpcCache } from './cache.js'

/** Every answer of this chain tells at which height it was read. */
const answerAt = ({ method }: NodeCall, height: number): NodeAnswer => {
  const hex = `"0x${height.toString(16)}"`
  return { result: method === 'eth_getTransactionReceipt' ? `{"blockNumber":${hex}}` : hex }
}

const heightOf = (result: string): number => Number(result.match(/0x[0-9a-f]+/)?.[0])

const shows = new Set(['eth_blockNumber', 'eth_getTransactionReceipt'])

type Step =
  | { kind: 'block' }
  /** The nodes notice how far the chain is. */
  | { kind: 'poll' }
  | { kind: 'pass'; ms: number }
  | { kind: 'ask'; methods: string[] }
  /** A node reads, and later answers. */
  | { kind: 'read' | 'answer' | 'leave'; which: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('block' as const) }) },
  fc.record({ kind: fc.constant('poll' as const) }),
  fc.record({ kind: fc.constant('pass' as const), ms: fc.nat({ max: 1_500 }) }),
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      methods: fc.array(fc.constantFrom('eth_blockNumber', 'eth_getTransactionReceipt', 'eth_getBalance'), {
        minLength: 1,
        maxLength: 2,
      }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom('read' as const, 'answer' as const), which: fc.nat() }),
  },
  fc.record({ kind: fc.constant('leave' as const), which: fc.nat() }),
)

const settle = () => new Promise((resolve) => setImmediate(resolve))

test('whatever happens in between, who has seen a block never reads what is older', () =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
      let height = 100
      let known = 100
      let now = 0
      const flights: { readAt: number | undefined; read(): void; answer(): void }[] = []
      const nodes: ChainNodes = {
        ask: (calls, signal) =>
          new Promise((resolve, reject) => {
            const flight = {
              readAt: undefined as number | undefined,
              read() {
                flight.readAt ??= height
              },
              answer() {
                flight.read()
                flights.splice(flights.indexOf(flight), 1)
                resolve(calls.map((call) => answerAt(call, flight.readAt ?? height)))
              },
            }
            flights.push(flight)
            signal.addEventListener('abort', () => reject(signal.reason))
          }),
        heads: () => ({ latest: known, finalized: 0, restarts: 0 }),
        saw(latest) {
          known = Math.max(known, latest)
        },
        isBehind: () => false,
        status: () => [],
        close: async () => {},
      }
      const clock = { nowMs: () => now }
      const cache = createRpcCache({ bytesMax: () => 1_000_000, clock })
      const answer = createAnswerCalls({
        nodesOf: () => nodes,
        cache,
        clock,
        blockTimeMs: () => 1_000,
        hashOfSend: () => undefined,
      })

      /** The newest block that anybody has been shown. */
      let seen = 0
      const stops: (() => void)[] = []
      const requests: Promise<void>[] = []
      const ask = async (methods: string[], signal: ReturnType<typeof createStop>['signal']) => {
        const seenBefore = seen
        const calls = methods.map((method, place) => ({ id: '1', method, params: undefined, place }))
        const items = checkMethods('evm', 'n', calls)
        const onSend = () => assert.fail('nothing is sent')
        const outcomes = await answer({ network: 'n', family: 'evm', items, signal, onSend })
        for (const [place, outcome] of outcomes.entries()) {
          const read = 'result' in outcome ? heightOf(outcome.result) : assert.fail('it has no result')
          assert.ok(read >= seenBefore, `${methods[place]} was read at ${read}, and ${seenBefore} had been seen`)
          if (shows.has(methods[place] ?? '')) seen = Math.max(seen, read)
        }
      }

      for (const one of steps) {
        if (one.kind === 'block') height++
        else if (one.kind === 'poll') known = Math.max(known, height)
        else if (one.kind === 'pass') now += one.ms
        else if (one.kind === 'ask') {
          const { signal, stop } = createStop()
          stops.push(stop)
          requests.push(
            ask(one.methods, signal).catch((error) => {
              if (!signal.aborted || error.name !== 'AbortError') throw error
            }),
          )
        } else if (one.kind === 'leave') stops[one.which % stops.length]?.()
        else flights[one.which % flights.length]?.[one.kind]()
        await settle()
      }
      for (const flight of [...flights]) flight.answer()
      await Promise.all(requests)
    }),
    { numRuns: 300 },
  ))
