import { callJsonRpc } from '#plumbing/json-rpc.js'

/** Where stakes are kept: an EVM contract whose `balanceOf(address)` is the stake. */
export type Staking = { rpcUrl: string; contract: string }

const word = (hex: string) => hex.replace(/^0x/, '').toLowerCase().padStart(64, '0')

// The two calls below are written out, since they are all we need of the ABI: a four-byte selector, then 32-byte words.
const balanceOf = '0x70a08231'
const isValidSignature = '0x1626ba7e'

export const readStake = async ({ rpcUrl, contract }: Staking, address: string): Promise<bigint> => {
  const result = await callJsonRpc(rpcUrl, 'eth_call', [{ to: contract, data: balanceOf + word(address) }, 'latest'])
  return typeof result === 'string' && /^0x[0-9a-f]+$/i.test(result) ? BigInt(result) : 0n
}

/** Asks a contract wallet whether a signature is its own (EIP-1271); false when the address is no contract. */
export const contractAccepts = async (
  { rpcUrl }: Staking,
  wallet: string,
  hash: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> => {
  const code = await callJsonRpc(rpcUrl, 'eth_getCode', [wallet, 'latest'])
  if (typeof code !== 'string' || code === '0x') return false
  const bytes = Buffer.from(signature).toString('hex')
  const padded = bytes.padEnd(Math.ceil(bytes.length / 64) * 64, '0')
  const data = `${isValidSignature}${Buffer.from(hash).toString('hex')}${word('40')}${word(signature.length.toString(16))}${padded}`
  const result = await callJsonRpc(rpcUrl, 'eth_call', [{ to: wallet, data }, 'latest'])
  // The contract says yes by answering with the selector itself.
  return typeof result === 'string' && result.toLowerCase().startsWith(isValidSignature)
}
