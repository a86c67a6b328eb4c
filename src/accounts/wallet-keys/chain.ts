import { callJsonRpc } from '#plumbing/json-rpc.js'

/** Where stakes are kept: an EVM contract whose `balanceOf(address)` is the stake. */
export type Staking = { rpcUrl: string; contract: string }

// Written out, since it is all we need of the ABI: a four-byte selector, then a 32-byte word.
const balanceOf = '0x70a08231'
const word = (address: string) => address.replace(/^0x/, '').toLowerCase().padStart(64, '0')

export const readStake = async ({ rpcUrl, contract }: Staking, address: string): Promise<bigint> => {
  const result = await callJsonRpc(rpcUrl, 'eth_call', [{ to: contract, data: balanceOf + word(address) }, 'latest'])
  // An address without a contract answers with nothing, which is not the same as no stake.
  if (typeof result !== 'string' || !/^0x[0-9a-f]{64,}$/i.test(result))
    throw new Error(`there is no staking contract at ${contract}`)
  return BigInt(result.slice(0, 66))
}
