import type { Family } from './method.js'

/** What holds for a network unless the operator says otherwise. */
export type NetworkDefaults = {
  /** Base credits of one call. */
  creditsPerCall: number
  /** How long what is true of the newest block is kept. */
  blockTimeMs: number
}

/** By the chain, which is what the name of a network begins with. */
const blockTimesMs: ReadonlyMap<string, number> = new Map([
  ['ethereum', 12_000],
  ['base', 2_000],
  ['optimism', 2_000],
  ['polygon', 2_000],
  ['linea', 2_000],
  ['avalanche', 2_000],
  ['bsc', 750],
  ['arbitrum', 250],
  ['robinhood', 250],
  ['zksync', 1_000],
  ['solana', 400],
  ['starknet', 4_000],
])

const familyBlockTimesMs: Record<Family, number> = { evm: 2_000, solana: 400, starknet: 4_000 }

export const networkDefaults = (name: string, family: Family): NetworkDefaults => {
  const chain = name.slice(0, name.indexOf('-'))
  return {
    creditsPerCall: family === 'solana' || chain === 'solana' || chain === 'zksync' ? 30 : 20,
    blockTimeMs: blockTimesMs.get(chain) ?? familyBlockTimesMs[family],
  }
}
