import { isDeepStrictEqual } from 'node:util'
import { networkDefaults } from '#capabilities/rpc/networks.js'
import type { Rpc } from '#catalog/config/config-file.js'
import type { RpcNetwork } from '#catalog/config/config-schema.js'
import { type ChainNodes, createChainNodes, type NodeEvent } from '#engines/nodes/chain-nodes.js'
import type { NodeError } from '#engines/nodes/node.js'
import type { Room } from '#plumbing/room.js'

type Needs = {
  config: () => Rpc | undefined
  room: Room
  onTrouble: (network: string, node: string, error: NodeError) => void
  observe?: (network: string, event: NodeEvent) => void
}

type Entry = RpcNetwork & Pick<Rpc, 'timeoutMs' | 'answerBytesMax'>

/** The nodes of each network that the config file names; made on first use, and anew when its entry changes. */
export const createChains = ({ config, room, onTrouble, observe = () => {} }: Needs) => {
  const chains = new Map<string, { of: Rpc; entry: Entry; nodes: ChainNodes }>()
  /** No longer for new calls. */
  const retired = new Map<ChainNodes, NodeJS.Timeout>()

  const drop = (network: string) => {
    const known = chains.get(network)
    if (known === undefined) return
    const { nodes, entry } = known
    chains.delete(network)
    // Calls that are on their way end as they began: they have all their time, also those that are yet to be noted.
    const close = () => {
      retired.delete(nodes)
      void nodes.close()
    }
    retired.set(nodes, setTimeout(close, 2 * entry.timeoutMs).unref())
  }

  const nodesOf = (network: string): ChainNodes | undefined => {
    const rpc = config()
    const known = chains.get(network)
    if (known !== undefined && known.of === rpc) return known.nodes
    for (const name of chains.keys()) if (rpc?.networks[name] === undefined) drop(name)
    const of = rpc?.networks[network]
    if (rpc === undefined || of === undefined) return undefined
    const { timeoutMs, answerBytesMax } = rpc
    const entry = { ...of, timeoutMs, answerBytesMax }
    if (known !== undefined && isDeepStrictEqual(known.entry, entry)) {
      known.of = rpc
      return known.nodes
    }
    drop(network)
    const nodes = createChainNodes({
      network,
      family: of.family,
      upstreams: of.upstreams.map(upstreamOf),
      timeoutMs,
      answerBytesMax,
      room,
      blockTimeMs: blockTimeMs(network, of),
      onTrouble: (node, error) => onTrouble(network, node, error),
      observe: (event) => observe(network, event),
    })
    chains.set(network, { of: rpc, entry, nodes })
    return nodes
  }

  return {
    nodesOf,
    /** Of those that somebody has used. */
    status: () => [...chains].map(([network, { nodes }]) => ({ network, nodes: nodes.status() })),
    async close() {
      for (const timer of retired.values()) clearTimeout(timer)
      const current = [...chains.values()].map(({ nodes }) => nodes)
      await Promise.all([...current, ...retired.keys()].map((nodes) => nodes.close()))
      chains.clear()
      retired.clear()
    },
  }
}

export const upstreamOf = (upstream: RpcNetwork['upstreams'][number]) =>
  typeof upstream === 'string' ? { url: upstream } : upstream

export const blockTimeMs = (network: string, entry: RpcNetwork): number =>
  entry.blockTimeMs ?? networkDefaults(network, entry.family).blockTimeMs
