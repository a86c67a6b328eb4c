import * as ethers from 'ethers'
import {
  type BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  createWalletClient,
  type Hex,
  http,
  parseAbi,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'

const signatures = [
  'function balanceOf(address) view returns (uint256)',
  'function transfer(address to, uint256 value) returns (bool)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
] as const
const multicallSignatures = [
  'function aggregate3((address target, bool allowFailure, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[])',
]
const tokenAbi = parseAbi(signatures)

type Transfer = { from: string; to: string; value: bigint }

/** What applications do with a chain, in the words of one client library. */
export type EvmClient = {
  name: string
  chainId(): Promise<number>
  height(): Promise<bigint>
  ethOf(address: string): Promise<bigint>
  nonceOf(address: string): Promise<number>
  blockHashAt(height: bigint): Promise<string | null>
  tokensOf(address: string): Promise<bigint>
  /** In one call, by way of the contract Multicall3. */
  tokensOfAll(addresses: string[]): Promise<bigint[]>
  estimateTransfer(to: string, value: bigint): Promise<bigint>
  /** Signs and sends EIP-1559 transactions; gives the hash. */
  sendEth(to: string, wei: bigint): Promise<string>
  sendTokens(to: string, value: bigint): Promise<string>
  /** The block it is in. */
  waitFor(hash: string): Promise<bigint>
  transfersTo(to: string, fromHeight: bigint): Promise<Transfer[]>
  /** Why the contract would not do it, as this library tells its user. */
  refusalOf(to: string, value: bigint): Promise<string | null | undefined>
  close(): void
}

type Settings = {
  url: string
  headers: Record<string, string>
  privateKey: Hex
  token: Hex
  multicall: Hex
  isBatching: boolean
  /** Sees every answer. */
  onAnswer(answer: { status: number; headers: Headers | Record<string, string> }): void
}

export const createViemClient = ({ url, headers, privateKey, token, isBatching, onAnswer }: Settings): EvmClient => {
  const transport = http(url, {
    batch: isBatching,
    fetchOptions: { headers },
    onFetchResponse: onAnswer,
    retryCount: 0,
  })
  const account = privateKeyToAccount(privateKey)
  // The client keeps the height for a while by itself; what we keep is of interest here.
  const reader = createPublicClient({ chain: base, transport, cacheTime: 0 })
  const writer = createWalletClient({ account, chain: base, transport })
  const contract = { address: token, abi: tokenAbi } as const
  return {
    name: `viem ${isBatching ? 'in batches' : 'call by call'}`,
    chainId: () => reader.getChainId(),
    height: () => reader.getBlockNumber(),
    ethOf: (address) => reader.getBalance({ address: address as Hex }),
    nonceOf: (address) => reader.getTransactionCount({ address: address as Hex }),
    blockHashAt: async (blockNumber) => (await reader.getBlock({ blockNumber })).hash,
    tokensOf: (address) => reader.readContract({ ...contract, functionName: 'balanceOf', args: [address as Hex] }),
    tokensOfAll: (addresses) =>
      reader.multicall({
        contracts: addresses.map((address) => ({ ...contract, functionName: 'balanceOf', args: [address as Hex] })),
        allowFailure: false,
      }) as Promise<bigint[]>,
    estimateTransfer: (to, value) =>
      reader.estimateContractGas({ ...contract, account, functionName: 'transfer', args: [to as Hex, value] }),
    sendEth: (to, value) => writer.sendTransaction({ to: to as Hex, value, type: 'eip1559' }),
    sendTokens: (to, value) =>
      writer.writeContract({ ...contract, functionName: 'transfer', args: [to as Hex, value] }),
    waitFor: async (hash) =>
      (await reader.waitForTransactionReceipt({ hash: hash as Hex, pollingInterval: 20 })).blockNumber,
    transfersTo: async (to, fromBlock) => {
      const filter = { ...contract, eventName: 'Transfer', args: { to: to as Hex }, fromBlock } as const
      const logs = await reader.getContractEvents({ ...filter, strict: true })
      return logs.map(({ args }) => args)
    },
    async refusalOf(to, value) {
      try {
        await reader.simulateContract({ ...contract, account, functionName: 'transfer', args: [to as Hex, value] })
      } catch (error) {
        const reverted = (error as BaseError).walk((cause) => cause instanceof ContractFunctionRevertedError)
        return (reverted as ContractFunctionRevertedError | null)?.reason
      }
      return null
    },
    close: () => {},
  }
}

export const createEthersClient = (settings: Settings): EvmClient => {
  const { url, headers, privateKey, token, multicall, isBatching, onAnswer } = settings
  const request = new ethers.FetchRequest(url)
  for (const [name, value] of Object.entries(headers)) request.setHeader(name, value)
  request.processFunc = async (_, response) => {
    onAnswer({ status: response.statusCode, headers: response.headers })
    return response
  }
  const provider = new ethers.JsonRpcProvider(request, base.id, {
    staticNetwork: true,
    // The library remembers answers for a moment by itself; what we keep is of interest here.
    cacheTimeout: -1,
    polling: true,
    pollingInterval: 20,
    ...(!isBatching && { batchMaxCount: 1 }),
  })
  const wallet = new ethers.Wallet(privateKey, provider)
  const abi = new ethers.Interface(signatures)
  // biome-ignore lint/suspicious/noExplicitAny: the methods of a contract are made from its interface
  const contract = new ethers.Contract(token, abi, wallet) as any
  // biome-ignore lint/suspicious/noExplicitAny: the same
  const aggregator = new ethers.Contract(multicall, multicallSignatures, wallet) as any
  return {
    name: `ethers ${isBatching ? 'in batches' : 'call by call'}`,
    chainId: async () => Number(await provider.send('eth_chainId', [])),
    height: async () => BigInt(await provider.getBlockNumber()),
    ethOf: (address) => provider.getBalance(address),
    nonceOf: (address) => provider.getTransactionCount(address),
    blockHashAt: async (height) => (await provider.getBlock(height))?.hash ?? null,
    tokensOf: (address) => contract.balanceOf(address),
    async tokensOfAll(addresses) {
      const calls = addresses.map((address) => ({
        target: token,
        allowFailure: false,
        callData: abi.encodeFunctionData('balanceOf', [address]),
      }))
      const answers: { returnData: string }[] = await aggregator.aggregate3.staticCall(calls)
      return answers.map(({ returnData }) => BigInt(returnData))
    },
    estimateTransfer: (to, value) => contract.transfer.estimateGas(to, value),
    sendEth: async (to, value) => (await wallet.sendTransaction({ to, value, type: 2 })).hash,
    sendTokens: async (to, value) => (await contract.transfer(to, value)).hash,
    async waitFor(hash) {
      const receipt = await provider.waitForTransaction(hash)
      return BigInt(receipt?.blockNumber ?? -1)
    },
    async transfersTo(to, fromHeight) {
      const logs: ethers.EventLog[] = await contract.queryFilter(contract.filters.Transfer(null, to), fromHeight)
      return logs.map(({ args }) => ({ from: args[0], to: args[1], value: args[2] }))
    },
    async refusalOf(to, value) {
      try {
        await contract.transfer.staticCall(to, value)
      } catch (error) {
        return ethers.isCallException(error) ? error.reason : undefined
      }
      return null
    },
    close: () => provider.destroy(),
  }
}
