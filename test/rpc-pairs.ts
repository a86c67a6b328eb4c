import assert from 'node:assert/strict'
import { type FakeRpcNode, startFakeRpcNode } from './fakes/rpc-node.js'
import { startRpcService } from './rpc-service.js'

export type Pair = { network: string; nodes: [FakeRpcNode, FakeRpcNode] }

/**
 * A service in front of networks that have two nodes each, to be spoiled. It remembers what was wrong with a node, so every
 * test takes a network of its own.
 */
export const startPairs = async (test: { after(work: () => void | Promise<void>): void }, count: number) => {
  const pairs: Pair[] = await Promise.all(
    Array.from({ length: count }, async (_, index) => ({
      network: `network-${index}`,
      nodes: [await startFakeRpcNode(test), await startFakeRpcNode(test)],
    })),
  )
  const networks = pairs.map(({ network, nodes }) => [network, { upstreams: nodes.map(({ url }) => url) }])
  const limits = { timeoutMs: 2_000, answerBytesMax: 100_000 }
  const service = await startRpcService(test, { networks: Object.fromEntries(networks), ...limits })
  return {
    service,
    /** Every address has a balance of its own, so that answers cannot be mixed up. */
    takePair(): Pair {
      const pair = pairs.pop()
      assert.ok(pair, 'more networks are needed')
      for (const node of pair.nodes) node.answer('eth_getBalance', ([address]: [string]) => `0xb${address.slice(-8)}`)
      return pair
    },
  }
}

/** How often both together were asked this. */
export const askedOf = ({ nodes }: Pair, method: string) => nodes[0].times(method) + nodes[1].times(method)

export const askBalance = (id: number, address = `0x${String(id).padStart(40, '0')}`) => ({
  jsonrpc: '2.0',
  id,
  method: 'eth_getBalance',
  params: [address, 'latest'],
})

/** The answer to that. */
export const balanceTold = (id: number) => ({ jsonrpc: '2.0', id, result: `0xb${String(id).padStart(8, '0')}` })
