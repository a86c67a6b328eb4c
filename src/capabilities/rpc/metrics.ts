import { Counter, Gauge, type Registry } from 'prom-client'
import type { NodeEvent, NodeStatus } from '#engines/nodes/chain-nodes.js'
import type { Outcome } from './outcome.js'

type Needs = {
  registry: Registry
  status: () => { network: string; nodes: NodeStatus[] }[]
  cacheBytes: () => number
  /** Of large ones that are under way. */
  answerBytes: () => number
}

/** What an operator sees of calls of blockchain nodes in /metrics. */
export const createRpcMetrics = ({ registry, status, cacheBytes, answerBytes }: Needs) => {
  const registers = [registry]
  // Counted by hand, and handed over when somebody looks: a counter with labels costs as much as a kept answer.
  const counts = new Map<string, { labels: Record<string, string>; count: number }>()
  new Counter({
    name: 'tessera_rpc_calls_total',
    help: 'Calls of blockchain nodes, by where the answer came from and what it was',
    labelNames: ['network', 'source', 'outcome'],
    registers,
    collect() {
      for (const [name, { labels, count }] of counts) {
        this.inc(labels, count)
        counts.delete(name)
      }
    },
  })
  const bytes = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
  bytes('tessera_rpc_cache_bytes', 'Memory that kept answers of blockchain nodes take', cacheBytes)
  bytes('tessera_rpc_answer_bytes', 'Bytes of large answers of blockchain nodes that are under way', answerBytes)
  const gauge = (name: string, help: string, read: (node: NodeStatus) => number | undefined) =>
    new Gauge({
      name,
      help,
      labelNames: ['network', 'node'],
      registers,
      collect() {
        this.reset()
        for (const { network, nodes } of status())
          for (const node of nodes) {
            const value = read(node)
            if (value !== undefined) this.set({ network, node: node.name }, value)
          }
      },
    })
  gauge('tessera_rpc_node_up', 'Whether a node is asked, or left alone after failures', ({ isPaused }) =>
    isPaused ? 0 : 1,
  )
  gauge('tessera_rpc_node_failure_rate', 'Share of calls that failed lately', ({ failureRate }) => failureRate)
  gauge('tessera_rpc_node_latency_seconds', 'How long a node takes to answer lately', ({ latencyMs }) =>
    latencyMs === undefined ? undefined : latencyMs / 1000,
  )
  gauge('tessera_rpc_node_head', 'The newest block that a node has told of', ({ latest }) => latest)

  const repeats = new Counter({
    name: 'tessera_rpc_node_repeats_total',
    help: 'Calls that a node was asked because another one failed (retried) or was slow (hedged)',
    labelNames: ['network', 'node', 'kind'],
    registers,
  })

  return {
    onNodeEvent(network: string, { kind, node }: NodeEvent) {
      if (kind !== 'tried') repeats.inc({ network, node, kind })
    },
    onOutcomes(network: string, outcomes: readonly Outcome[]) {
      for (const outcome of outcomes) {
        const source = 'failed' in outcome ? 'node' : outcome.source
        const what = 'failed' in outcome ? 'failed' : 'result' in outcome ? 'result' : 'error'
        const name = `${network} ${source} ${what}`
        const counted = counts.get(name)
        if (counted) counted.count++
        else counts.set(name, { labels: { network, source, outcome: what }, count: 1 })
      }
    },
  }
}
