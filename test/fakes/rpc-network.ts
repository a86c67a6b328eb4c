import { type ChainNodes, createChainNodes, type NodeEvent } from '#engines/nodes/chain-nodes.js'
import type { CallKind, NodeCall, NodeError } from '#engines/nodes/node.js'
import { neverStops, type StopSignal } from '#plumbing/stop-signal.js'
import { type FakeRpcNode, startFakeRpcNode } from './rpc-node.js'

type Test = { after(work: () => void | Promise<void>): void }
type Needs = Parameters<typeof createChainNodes>[0]
type Trouble = { node: string; error: NodeError }

/** Never in a test: whoever wants another node asked for being slow says so. */
const patient = { hedgeMsMin: 60_000, hedgeMsMax: 60_000, hedgeMsUnknown: 60_000, secondTryMs: 5 }

export const connect = (test: Test, upstreams: Needs['upstreams'], more: Partial<Needs> = {}) => {
  const troubles: Trouble[] = []
  const events: NodeEvent[] = []
  const time = { nowMs: 1_000_000 }
  const nodes = createChainNodes({
    network: 'test-network',
    family: 'evm',
    upstreams,
    timeoutMs: 20_000,
    answerBytesMax: 1_000_000,
    blockTimeMs: 12_000,
    // The first of those that are equally good; and all are, since time stands still unless a test moves it.
    random: () => 0,
    clock: { nowMs: () => time.nowMs },
    onTrouble: (node, error) => void troubles.push({ node, error }),
    observe: (event) => void events.push(event),
    ...more,
    pace: { ...patient, ...more.pace },
  })
  test.after(() => nodes.close())
  return { nodes, troubles, events, time, ...asking(nodes) }
}

const asking = (nodes: ChainNodes) => ({
  /** One call, and what came of it. */
  async ask(method: string, params = '[]', more: Partial<NodeCall> = {}, signal: StopSignal = neverStops) {
    const [answer] = await nodes.ask([call(method, params, more)], signal)
    return answer as NonNullable<typeof answer>
  },
})

export const call = (method: string, params: string | undefined = '[]', more: Partial<NodeCall> = {}): NodeCall => ({
  method,
  params,
  kind: 'read' as CallKind,
  isNullDoubtful: false,
  ...more,
})

/** So many fake nodes of one network. */
export const startNetwork = async (test: Test, count: number, more: Partial<Needs> = {}) => {
  const fakes: FakeRpcNode[] = []
  for (let place = 0; place < count; place++) fakes.push(await startFakeRpcNode(test))
  const upstreams = fakes.map(({ url }) => ({ url }))
  return { fakes, ...connect(test, upstreams, more) }
}

/** Asks until all have told how far they are, as the product sees it. */
export const untilHeadsKnown = async (nodes: ChainNodes) => {
  await until(() => nodes.status().every(({ latest }) => latest !== undefined))
}

export const until = async (isTrue: () => boolean) => {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 2))
}
