import { EVM_NETWORK_CHAIN_ID_MAP } from '@x402/evm/v1'
import { getAddress } from 'viem'
import { OperatorError } from '#plumbing/operator-error.js'
import type { Outcome, Requirements, SignedPayment } from '../rail.js'
import type { LocalParts } from '../remote/remote-rail.js'
import { createChain } from './chain.js'
import { createFind } from './find.js'
import { createNode } from './node.js'
import { readPayment } from './read-payment.js'
import type { EvmTerms } from './settings.js'

const shortNameOf = (chainId: number): string =>
  Object.entries(EVM_NETWORK_CHAIN_ID_MAP).find(([, id]) => id === chainId)?.[0] ?? `eip155:${chainId}`

/** What is known about payments on an EVM chain without any key. */
export const evmGround = (terms: EvmTerms) => {
  const { chainId, tokenName, tokenVersion, maxTimeoutSeconds } = terms
  const network = `eip155:${chainId}`
  const asset = getAddress(terms.asset)
  const payTo = getAddress(terms.payTo)
  const chain = createChain(createNode(terms.rpcUrl))

  const requirements = (amount: bigint): Requirements => ({
    scheme: 'exact',
    network,
    amount: String(amount),
    asset,
    payTo,
    maxTimeoutSeconds,
    extra: { name: tokenName, version: tokenVersion },
  })

  return {
    network,
    shortName: shortNameOf(chainId),
    asset,
    chain,
    requirements,
    read: (payload: unknown): SignedPayment => readPayment(payload, { network, asset, payTo }),

    async prepare() {
      const found = await chain.id()
      if (found !== chainId)
        throw new OperatorError(
          `the node for ${network} belongs to another chain: ${found}`,
          `Give the URL of a node of chain ${chainId}.`,
        )
      if ((await chain.codeOf(asset)) === '0x')
        throw new OperatorError(
          `there is no token at ${asset} on ${network}`,
          'Set the address of USDC on this chain as the asset.',
        )
    },
  }
}

/** For payments that somebody else sends: what they were used for is seen on the chain, by whomever. */
export const evmLocalParts = (terms: EvmTerms): LocalParts => {
  const { chain, asset, requirements, ...ground } = evmGround(terms)
  const find = createFind({ chain, asset, confirmations: terms.confirmations })
  return {
    ...ground,
    requirements: (amount, extra) => {
      const ours = requirements(amount)
      return { ...ours, extra: { ...extra, ...ours.extra } }
    },
    find: async (payment): Promise<Outcome> => (await find(payment, await chain.head())) ?? { state: 'pending' },
  }
}
