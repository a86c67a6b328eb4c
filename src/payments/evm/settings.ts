import type { Clock } from '#plumbing/clock.js'
import type { Sql } from '#store/sql.js'

/** What is taken, and where. */
export type EvmTerms = {
  rpcUrl: string
  /** Who is paid. */
  payTo: string
  chainId: number
  /** The token: one with EIP-3009, such as USDC. */
  asset: string
  /** The name and version that the token has in its EIP-712 domain. */
  tokenName: string
  tokenVersion: string
  /** How many blocks must have a payment before it counts; 1 = the one that it is in. */
  confirmations: number
  maxTimeoutSeconds: number
}

export type EvmRailSettings = EvmTerms & {
  /** The private key of the wallet that pays the chain's fees, in hex, with or without 0x. */
  feeWalletKey: string
  /** What a unit of gas may cost at most, in gwei, as a decimal. */
  maxFeeGwei: string
  /** The fee wallet is called low below this, in ETH, as a decimal. */
  lowFeeBalance: string
  /** Factories that may deploy the wallet of a payer at our expense (ERC-6492); well-known ones if not given. */
  walletFactories?: string[]
}

export type EvmRailNeeds = {
  sql: Sql
  clock: Clock
  /** How long `settle` waits for the chain. */
  waitMs?: number
}
