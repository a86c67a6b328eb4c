import { type Hex, numberToHex } from 'viem'
import { JsonRpcError } from '#plumbing/json-rpc.js'
import type { Node } from './node.js'

export type Log = {
  address: Hex
  topics: Hex[]
  data: Hex
  logIndex: number
  transactionHash: Hex
  blockNumber: bigint
}
export type Receipt = { transactionHash: Hex; status: 'success' | 'reverted'; blockNumber: bigint; logs: Log[] }
export type Head = { number: bigint; timestamp: bigint; baseFee: bigint }

type RawLog = Omit<Log, 'logIndex' | 'blockNumber'> & { logIndex: Hex; blockNumber: Hex }
type RawReceipt = { transactionHash: Hex; status: Hex; blockNumber: Hex; logs: RawLog[] }
type Block = { number: Hex; timestamp: Hex; baseFeePerGas?: Hex }
type Call = { from?: Hex; to: Hex; data: Hex }
type LogFilter = { address: Hex; topics: (Hex | Hex[])[]; fromBlock: bigint; toBlock: bigint }

export type Chain = ReturnType<typeof createChain>

const logOf = (log: RawLog): Log => ({ ...log, logIndex: Number(log.logIndex), blockNumber: BigInt(log.blockNumber) })

// A node without this method is no reason not to settle: on a rollup the tip hardly matters.
const tipWithoutAdvice = 1_000_000n

// More than anything that we would pay for. A payer's contract that never comes to an end is stopped here.
const gas = numberToHex(3_000_000)

/** What we ask of a node, in our types. Whatever cannot be read as such throws. */
export const createChain = (node: Node) => ({
  id: async () => Number(BigInt(await node<Hex>('eth_chainId'))),

  head: async (): Promise<Head> => {
    const block = await node<Block>('eth_getBlockByNumber', 'latest', false)
    return {
      number: BigInt(block.number),
      timestamp: BigInt(block.timestamp),
      baseFee: BigInt(block.baseFeePerGas ?? '0x0'),
    }
  },

  tip: async (): Promise<bigint> => {
    try {
      return BigInt(await node<Hex>('eth_maxPriorityFeePerGas'))
    } catch (error) {
      if (error instanceof JsonRpcError) return tipWithoutAdvice
      throw error
    }
  },

  receipt: async (hash: string): Promise<Receipt | undefined> => {
    const raw = await node<RawReceipt | null>('eth_getTransactionReceipt', hash)
    if (raw === null) return undefined
    const { transactionHash, status, blockNumber, logs } = raw
    return {
      transactionHash,
      status: BigInt(status) === 1n ? 'success' : 'reverted',
      blockNumber: BigInt(blockNumber),
      logs: logs.map(logOf),
    }
  },

  /** Whether it was mined or waits to be. */
  isKnown: async (hash: string) => (await node<object | null>('eth_getTransactionByHash', hash)) !== null,

  /** How many transactions an address has sent: the next nonce that the chain takes from it. */
  countOf: async (address: Hex, at: bigint | 'latest' | 'pending') =>
    BigInt(await node<Hex>('eth_getTransactionCount', address, typeof at === 'bigint' ? numberToHex(at) : at)),

  balanceOf: async (address: Hex) => BigInt(await node<Hex>('eth_getBalance', address, 'latest')),

  codeOf: (address: Hex) => node<Hex>('eth_getCode', address, 'latest'),

  call: (call: Call, at: bigint | 'latest' = 'latest') =>
    node<Hex>('eth_call', { ...call, gas }, typeof at === 'bigint' ? numberToHex(at) : at),

  gasFor: async (call: Call) => BigInt(await node<Hex>('eth_estimateGas', { ...call, gas })),

  logs: async ({ fromBlock, toBlock, ...rest }: LogFilter): Promise<Log[]> => {
    const filter = { ...rest, fromBlock: numberToHex(fromBlock), toBlock: numberToHex(toBlock) }
    return (await node<RawLog[]>('eth_getLogs', filter)).map(logOf)
  },

  /** False when the node would not have it now: too early, too late, too cheap, or nobody to pay for it. */
  send: async (raw: string): Promise<boolean> => {
    try {
      await node<Hex>('eth_sendRawTransaction', raw)
      return true
    } catch (error) {
      if (!(error instanceof JsonRpcError)) throw error
      return /already known|known transaction|already imported|already exists/i.test(error.message)
    }
  },
})
