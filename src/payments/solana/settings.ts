export type SolanaSettings = SolanaTerms & {
  /** 64 bytes in base58, as Solana's tools write a key. */
  feeWalletKey: string
  /** In SOL. */
  lowFeeBalance: string
}

/** What is taken, and where. */
export type SolanaTerms = {
  rpcUrl: string
  payTo: string
  /** The mint of USDC. */
  asset: string
  /** CAIP-2: the first 32 characters of the hash of the chain's first block. */
  network: string
  /** How sure the chain must be of a transfer before it is credited. */
  confirmation: 'confirmed' | 'finalized'
  maxTimeoutSeconds: number
}
