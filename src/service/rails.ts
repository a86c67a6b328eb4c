import type { OperatorConfig } from '#catalog/config/config-file.js'
import type { Rail } from '#payments/rail.js'
import type { LocalParts } from '#payments/remote/remote-rail.js'
import type { Clock } from '#plumbing/clock.js'
import type { Sql } from '#store/sql.js'

/** CAIP-2. */
export const solanaMainnet = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'

export type X402 = NonNullable<OperatorConfig['x402']>

type Needs = { sql: Sql; clock: Clock }

/** `troubles` say why a chain of the config file cannot be used; the others can. */
export type Rails = { rails: Rail[]; troubles: { chain: string; reason: unknown }[] }

/** The chains of the config file. Their libraries are large, and are loaded only where they are used. */
export const createRails = async (x402: X402, needs: Needs): Promise<Rails> => {
  const found: Rails = { rails: [], troubles: [] }
  const add = async (chain: string, creating: Promise<Rail> | undefined) => {
    try {
      const rail = await creating
      if (rail) found.rails.push(rail)
    } catch (reason) {
      found.troubles.push({ chain, reason })
    }
  }
  await add('evm', x402.evm && createEvm(x402, x402.evm, needs))
  await add('solana', x402.solana && createSolana(x402, x402.solana, needs))
  return found
}

const createEvm = async (x402: X402, evm: NonNullable<X402['evm']>, needs: Needs): Promise<Rail> => {
  const { createEvmLocalParts, createEvmRail } = await import('#payments/evm/create-evm-rail.js')
  const terms = { ...evm, maxTimeoutSeconds: x402.settlementTimeoutSeconds }
  if (x402.facilitatorUrl !== undefined) return createRemote(x402.facilitatorUrl, await createEvmLocalParts(terms))
  return createEvmRail({ ...terms, feeWalletKey: given(evm.feeWalletKey) }, needs)
}

const createSolana = async (x402: X402, solana: NonNullable<X402['solana']>, needs: Needs): Promise<Rail> => {
  const terms = { ...solana, network: solanaMainnet, maxTimeoutSeconds: x402.settlementTimeoutSeconds }
  if (x402.facilitatorUrl !== undefined) {
    const { createSolanaLocalParts } = await import('#payments/solana/ground.js')
    return createRemote(x402.facilitatorUrl, await createSolanaLocalParts(terms))
  }
  const { createSolanaRail } = await import('#payments/solana/rail.js')
  return createSolanaRail({ ...terms, feeWalletKey: given(solana.feeWalletKey) }, needs)
}

const createRemote = async (url: string, local: LocalParts): Promise<Rail> => {
  const { createRemoteRail } = await import('#payments/remote/remote-rail.js')
  return createRemoteRail({ url, local })
}

/** The config file is not valid without one, unless somebody else settles. */
const given = (key: string | undefined): string => {
  if (key === undefined) throw new Error('there is no fee wallet')
  return key
}
