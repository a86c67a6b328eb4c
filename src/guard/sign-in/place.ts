import type { WalletFamily } from '#accounts/wallets/address.js'

/** Where one signs in, and on what terms. */
export type SignInPlace = {
  /** The origin that clients use, such as https://api.example.com. */
  publicUrl: string
  /** Wallets of a family that is not here cannot sign in. */
  evm?: { chainId: number; rpcUrl?: string | undefined } | undefined
  /** CAIP-2, such as solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp. */
  solana?: { network: string } | undefined
  /** How long after it was issued what was signed can be used. */
  maxAgeSeconds: number
  /** Whether it can be used more than once in that time. */
  isReusable: boolean
}

const solanaMainnet = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'

/** All spellings of the family's chain, the full one first; none where the family cannot sign in. */
export const chainNames = ({ evm, solana }: SignInPlace, family: WalletFamily): string[] => {
  if (family === 'evm') return evm ? [`eip155:${evm.chainId}`, String(evm.chainId)] : []
  if (!solana) return []
  const names = [solana.network, solana.network.replace(/^solana:/, '')]
  return solana.network === solanaMainnet ? [...names, 'mainnet'] : names
}
