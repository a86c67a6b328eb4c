import type { Rail } from '../rail.js'
import type { LocalParts } from '../remote/remote-rail.js'
import type { EvmRailNeeds, EvmRailSettings, EvmTerms } from './settings.js'

/** USDC, and tokens like it, on an EVM chain. The libraries for it are large, and only loaded by those who use it. */
export const createEvmRail = async (settings: EvmRailSettings, needs: EvmRailNeeds): Promise<Rail> => {
  const { evmRail } = await import('./evm-rail.js')
  return evmRail(settings, needs)
}

/** The same where somebody else sends transactions and pays the fees. */
export const createEvmLocalParts = async (terms: EvmTerms): Promise<LocalParts> => {
  const { evmLocalParts } = await import('./ground.js')
  return evmLocalParts(terms)
}
