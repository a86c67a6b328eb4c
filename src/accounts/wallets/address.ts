/** Chains whose addresses we know. */
export type WalletFamily = 'evm' | 'solana'

const evmPattern = /^0x[0-9a-f]{40}$/i
const solanaPattern = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/

export const walletPattern = '^(0x[a-fA-F0-9]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$'

export const familyOf = (address: string): WalletFamily | undefined => {
  if (evmPattern.test(address)) return 'evm'
  return solanaPattern.test(address) ? 'solana' : undefined
}

/** The one spelling of an address: of an EVM chain in lower case; of Solana as it is, where case tells two apart. */
export const normalAddress = (address: string): string =>
  familyOf(address) === 'evm' ? address.toLowerCase() : address
