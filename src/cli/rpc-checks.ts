import type { OperatorConfig, Rpc } from '#catalog/config/config-file.js'
import type { RpcNetwork } from '#catalog/config/config-schema.js'
import { createChainNodes } from '#engines/nodes/chain-nodes.js'
import { NodeError } from '#engines/nodes/node.js'
import { neverStops } from '#plumbing/stop-signal.js'
import { blockTimeMs, upstreamOf } from '../service/chains.js'

type Check = { check: string; ok: boolean; detail: string }
type Told = { name: string; chain: string; head: number } | { name: string; trouble: string }

const patienceMs = 10_000
/** They are not asked in the same moment. */
const lagMaxMs = 30_000

/** What every node of a family can be asked: which chain it is on, and how far that is. */
const questions = {
  evm: ['eth_chainId', 'eth_blockNumber'],
  solana: ['getGenesisHash', 'getSlot'],
  starknet: ['starknet_chainId', 'starknet_blockNumber'],
} as const

/** Networks whose chain is known by its number; a wrong address is easily pasted. */
const chainIds: Record<string, number> = {
  'arbitrum-mainnet': 42161,
  'arbitrum-sepolia': 421614,
  'avalanche-fuji': 43113,
  'avalanche-mainnet': 43114,
  'base-mainnet': 8453,
  'base-sepolia': 84532,
  'bsc-mainnet': 56,
  'bsc-testnet': 97,
  'ethereum-holesky': 17000,
  'ethereum-mainnet': 1,
  'ethereum-sepolia': 11155111,
  'linea-mainnet': 59144,
  'linea-sepolia': 59141,
  'optimism-mainnet': 10,
  'optimism-sepolia': 11155420,
  'polygon-amoy': 80002,
  'polygon-mainnet': 137,
  'zksync-mainnet': 324,
  'zksync-sepolia': 300,
}

/** Whether every node answers, is on the chain that its network is called by, and is as far as the others. */
export const checkNodes = async ({ rpc }: OperatorConfig): Promise<Check[]> => {
  if (rpc === undefined) return []
  const checks = Object.entries(rpc.networks).map(([network, entry]) => checkNetwork(network, entry, rpc))
  return (await Promise.all(checks)).flat()
}

const checkNetwork = async (network: string, entry: RpcNetwork, rpc: Rpc): Promise<Check[]> => {
  const told = await Promise.all(entry.upstreams.map((upstream) => askNode(network, entry, upstream, rpc)))
  const heads = told.flatMap((one) => ('head' in one ? one.head : []))
  const furthest = Math.max(...heads)
  const known = chainIds[network]
  const first = told.find((one) => 'chain' in one)
  const wanted = known === undefined ? first && 'chain' in first && first.chain : `"0x${known.toString(16)}"`
  return told.map((one): Check => {
    const check = `${network} answers through ${one.name}`
    if ('trouble' in one) return { check, ok: false, detail: one.trouble }
    if (one.chain !== wanted) {
      const other = known === undefined ? 'another chain than its first node' : `another chain than ${wanted}`
      return { check, ok: false, detail: `it is on ${one.chain}, ${other}` }
    }
    const lag = furthest - one.head
    const isBehind = lag * blockTimeMs(network, entry) > lagMaxMs
    return { check, ok: !isBehind, detail: isBehind ? `${lag} blocks behind` : `block ${one.head}` }
  })
}

const askNode = async (
  network: string,
  entry: RpcNetwork,
  upstream: RpcNetwork['upstreams'][number],
  { answerBytesMax }: Rpc,
): Promise<Told> => {
  const { family } = entry
  const nodes = createChainNodes({
    network,
    family,
    upstreams: [upstreamOf(upstream)],
    timeoutMs: patienceMs,
    answerBytesMax,
    blockTimeMs: blockTimeMs(network, entry),
    onTrouble: () => {},
  })
  const name = nodes.status()[0]?.name ?? network
  try {
    const calls = questions[family].map((method) => ({
      method,
      params: '[]',
      kind: 'read' as const,
      isNullDoubtful: false,
    }))
    const [chain, head] = await nodes.ask(calls, neverStops)
    for (const answer of [chain, head]) {
      if (answer instanceof NodeError) return { name, trouble: answer.message }
      if (answer === undefined || 'error' in answer) return { name, trouble: 'it refuses to say which chain it is on' }
    }
    const textOf = (answer: typeof chain) => (answer !== undefined && 'result' in answer ? answer.result : '')
    return { name, chain: textOf(chain), head: Number(textOf(head).replaceAll('"', '')) }
  } finally {
    await nodes.close()
  }
}
