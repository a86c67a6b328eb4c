import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  ContractDecoder,
  EdrContext,
  MineOrdering,
  OP_CHAIN_TYPE,
  opGenesisState,
  opHardforkToString,
  opLatestHardfork,
  opProviderFactory,
} from '@nomicfoundation/edr'
import {
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  type Hex,
  hexToBytes,
  keccak256,
  numberToHex,
  pad,
  parseAbi,
  serializeErc6492Signature,
} from 'viem'
import { installFolder } from '../../src/config.js'

type Bytecode = Record<'usdc' | 'wallet' | 'walletFactory' | 'staking' | 'multicall3', Hex>

/** A JSON-RPC error, as a node answers it. */
type RpcError = { code: number; message: string; data?: unknown }
type Call = { id?: unknown; method: string; params?: unknown[] }

/** What can be wrong with a node. Everything is as it should be until a test says otherwise. */
export type EvmFaults = {
  /** Every call is answered with 502. */
  isDown: boolean
  /** Every call is answered with 200 and a page of HTML. */
  isNonsense: boolean
  /** Transactions are accepted with their hash, and forgotten. */
  dropSends: boolean
  /** Calls of these methods take effect, and then the connection is cut instead of an answer. */
  cutAnswersTo: Set<string>
  /** Calls of these methods get this error, and do nothing. */
  errors: Map<string, RpcError>
  /** How many blocks `eth_getLogs` covers at most; nodes of providers have such a limit. */
  logBlocksMax: number
  delayMs: number
}

export type EvmNode = Awaited<ReturnType<typeof startEvmNode>>

const chainId = 8453
const usdc: Hex = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const multicall3: Hex = '0xcA11bde05977b3631167028862bE2a173976CA11'
const walletFactory: Hex = `0x${'fac'.padEnd(40, '0')}`
const staking: Hex = `0x${'5'.repeat(40)}`

const factoryAbi = parseAbi([
  'function deploy(address owner, uint256 salt) returns (address)',
  'function walletOf(address owner, uint256 salt) view returns (address)',
])

// One for the process, with a native runtime behind it; made when first needed.
let context: Promise<EdrContext> | undefined
const edr = () => {
  context ??= (async () => {
    const made = new EdrContext()
    await made.registerProviderFactory(OP_CHAIN_TYPE, opProviderFactory())
    return made
  })()
  return context
}

const createProvider = async (genesisTimeMs: number) => {
  const hardfork = opLatestHardfork()
  return (await edr()).createProvider(
    OP_CHAIN_TYPE,
    {
      allowBlocksWithSameTimestamp: true,
      allowUnlimitedContractSize: false,
      bailOnCallFailure: true,
      bailOnTransactionFailure: false,
      chainId: BigInt(chainId),
      coinbase: hexToBytes(`0x${'c'.repeat(40)}`),
      defaultTransactionGasLimit: 30_000_000n,
      genesisState: opGenesisState(hardfork),
      hardfork: opHardforkToString(hardfork),
      initialBaseFeePerGas: 10_000_000n,
      minGasPrice: 0n,
      mining: { autoMine: true, blockGasLimit: 30_000_000n, memPool: { order: MineOrdering.Priority } },
      network: { genesisBlockGasLimit: 30_000_000n, genesisBlockTime: BigInt(Math.floor(genesisTimeMs / 1000)) },
      networkId: BigInt(chainId),
      observability: {},
      ownedAccounts: [],
      precompileOverrides: [],
    },
    { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => {} },
    { subscriptionCallback: () => {} },
    new ContractDecoder(),
  )
}

/** A contract that refuses is told in the words of the engine; the nodes of a chain have others. */
const spellRevert = (error: RpcError): RpcError => {
  const bytes = (error.data as { data?: unknown } | null | undefined)?.data
  if (typeof bytes !== 'string' || !/^reverted/i.test(error.message)) return error
  const reason = /reason string '(.*)'/s.exec(error.message)?.[1]
  return {
    code: 3,
    message: reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`,
    data: bytes,
  }
}

const slotOf = (address: string, slot: bigint): Hex =>
  keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [address as Hex, slot]))

/**
 * A node of Base for tests: the real EVM of an OP chain with a pool and blocks, behind JSON-RPC, with USDC at its real
 * address. A block is mined for every transaction, unless a test says otherwise. Other processes reach it by its URL.
 */
export const startEvmNode = async (
  test: { after(work: () => Promise<void>): void },
  { genesisTimeMs = Date.now() }: { genesisTimeMs?: number } = {},
) => {
  const bytecode = JSON.parse(
    readFileSync(join(installFolder, 'test/chains/contracts/bytecode.json'), 'utf8'),
  ) as Bytecode
  const provider = await createProvider(genesisTimeMs)
  const faults: EvmFaults = {
    isDown: false,
    isNonsense: false,
    dropSends: false,
    cutAnswersTo: new Set(),
    errors: new Map(),
    logBlocksMax: 10_000,
    delayMs: 0,
  }
  /** The methods that were called from outside, in order. */
  const calls: string[] = []

  const handle = async (call: Call) => {
    const { data } = await provider.handleRequest(JSON.stringify({ jsonrpc: '2.0', params: [], ...call }))
    const answer = (typeof data === 'string' ? JSON.parse(data) : data) as { result?: unknown; error?: RpcError }
    const said = answer.error ? { error: spellRevert(answer.error) } : answer
    return { jsonrpc: '2.0', ...said, id: call.id ?? null } as { id: unknown; result?: unknown; error?: RpcError }
  }
  /** Asks the node itself, past all faults and without being counted. */
  const request = async <T = unknown>(method: string, ...params: unknown[]): Promise<T> => {
    const { result, error } = await handle({ id: 1, method, params })
    if (error) throw new Error(`${method}: ${error.message}`)
    return result as T
  }

  const answer = async (call: Call) => {
    calls.push(call.method)
    const failed = (error: RpcError) => ({ jsonrpc: '2.0', id: call.id ?? null, error })
    const error = faults.errors.get(call.method)
    if (error) return failed(error)
    if (call.method === 'eth_sendRawTransaction' && faults.dropSends)
      return { jsonrpc: '2.0', id: call.id, result: keccak256(call.params?.[0] as Hex) }
    if (call.method === 'eth_getLogs' && (await blocksAsked(call)) > faults.logBlocksMax)
      return failed({ code: -32000, message: `eth_getLogs is limited to ${faults.logBlocksMax} blocks` })
    return handle(call).catch(({ message }: Error) => failed({ code: -32603, message }))
  }
  const blocksAsked = async (call: Call) => {
    const { fromBlock, toBlock } = Object(call.params?.[0]) as { fromBlock?: unknown; toBlock?: unknown }
    const latest = Number(await request<Hex>('eth_blockNumber'))
    const height = (name: unknown) => (String(name).startsWith('0x') ? Number(name) : name === 'earliest' ? 0 : latest)
    return height(toBlock) - height(fromBlock) + 1
  }

  const server = createServer(async (incoming, response) => {
    let text = ''
    for await (const chunk of incoming) text += chunk
    if (faults.delayMs > 0) await sleep(faults.delayMs)
    if (faults.isDown) return response.writeHead(502).end('Bad gateway')
    if (faults.isNonsense) return response.writeHead(200, { 'content-type': 'text/html' }).end('<html>hello</html>')
    const asked = JSON.parse(text) as Call | Call[]
    const told = Array.isArray(asked) ? await Promise.all(asked.map(answer)) : await answer(asked)
    if ([asked].flat().some((call) => faults.cutAnswersTo.has(call.method))) return response.destroy()
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(told))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  test.after(close)

  const setCode = (address: string, code: Hex) => request('hardhat_setCode', address, code)
  const store = (address: string, slot: Hex, value: bigint) =>
    request('hardhat_setStorageAt', address, slot, numberToHex(value, { size: 32 }))
  const read = async (address: string, slot: Hex) => BigInt(await request<Hex>('eth_getStorageAt', address, slot))

  await setCode(usdc, bytecode.usdc)
  await setCode(multicall3, bytecode.multicall3)
  await setCode(walletFactory, bytecode.walletFactory)
  await setCode(staking, bytecode.staking)

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    chainId,
    usdc,
    /** Makes contract wallets: `deploy(address owner, uint256 salt)`, `walletOf(address owner, uint256 salt)`. */
    walletFactory,
    /** Answers `balanceOf(address)` with what `stake` has set. */
    staking,
    faults,
    calls,
    request,
    /** Adds to what an address has of USDC, in millionths. */
    mint: async (address: string, amount: bigint) => {
      const slot = slotOf(address, 0n)
      await store(usdc, slot, (await read(usdc, slot)) + amount)
    },
    balanceOf: (address: string) => read(usdc, slotOf(address, 0n)),
    /** Sets what an address has of ETH. */
    fund: (address: string, wei: bigint) => request('hardhat_setBalance', address, numberToHex(wei)),
    stake: (address: string, amount: bigint) => store(staking, slotOf(address, 0n), amount),
    /** A contract wallet that takes the signatures of its owner (EIP-1271). */
    installWallet: async (address: string, owner: string) => {
      await setCode(address, bytecode.wallet)
      await request('hardhat_setStorageAt', address, numberToHex(0, { size: 32 }), pad(owner as Hex))
    },
    /** A contract wallet that its factory has not made yet, and how its owner's signatures are wrapped (ERC-6492). */
    announcedWallet: async (owner: string, salt = 0n) => {
      const args = [owner as Hex, salt] as const
      const to = walletFactory
      const data = encodeFunctionData({ abi: factoryAbi, functionName: 'walletOf', args })
      const address = getAddress(`0x${(await request<Hex>('eth_call', { to, data }, 'latest')).slice(-40)}`)
      const deployment = encodeFunctionData({ abi: factoryAbi, functionName: 'deploy', args })
      const wrap = (signature: Hex): Hex =>
        serializeErc6492Signature({ address: walletFactory, data: deployment, signature })
      return { address, wrap }
    },
    // One by one: the engine stumbles over many at once on an OP chain.
    mine: async (blocks = 1) => {
      for (let mined = 0; mined < blocks; mined++) await request('evm_mine')
    },
    setAutomine: (isOn: boolean) => request('evm_setAutomine', isOn),
    /** Later blocks are later by so much. */
    passTime: async (seconds: number) => {
      await request('evm_increaseTime', numberToHex(seconds))
      await request('evm_mine')
    },
    close,
  }
}
