import { decimalFromNanos, nanosFromDecimal } from '#catalog/prices.js'
import type { Clock } from '#plumbing/clock.js'
import type { Rail } from '../rail.js'
import { createDeliveries } from './deliveries.js'
import { createFacilitator } from './facilitator.js'
import { openFeeKey } from './fee-key.js'
import { shortNameOf, solanaGround } from './ground.js'
import { createPaymentReader } from './read-payment.js'
import type { SolanaSettings } from './settings.js'
import { createTokenAccount } from './token-account.js'
import { readWireAgain } from './wire.js'

type Needs = {
  clock: Clock
  /** How long `settle` waits for the chain. */
  waitMs?: number
}

/** USDC on Solana: the payer signs a transfer, and our fee wallet completes it, sends it and pays the fee. */
export const createSolanaRail = async (settings: SolanaSettings, { clock, waitMs = 45_000 }: Needs): Promise<Rail> => {
  const { network, confirmation } = settings
  const [kit, { ExactSvmScheme }] = await Promise.all([import('@solana/kit'), import('@x402/svm/exact/facilitator')])
  const feeKey = openFeeKey(kit, settings.feeWalletKey)
  const { owner, mint, tokenAccount, node, rules, requirements, check } = await solanaGround(kit, settings)
  // A lamport is a billionth of a SOL.
  const lowLamports = nanosFromDecimal(settings.lowFeeBalance)
  const facilitator = createFacilitator({ ExactSvmScheme, node, feeKey, base58: kit.getBase58Decoder() })
  const messageDecoder = kit.getCompiledTransactionMessageDecoder()
  const deliveries = createDeliveries({
    node,
    clock,
    confirmation,
    waitMs,
    complete: facilitator.complete,
    blockhashOf: ({ payload }) => messageDecoder.decode(readWireAgain(payload.transaction).message).lifetimeToken,
  })
  const termsOf = (amount: bigint) => requirements(amount, feeKey.address)

  return {
    network,
    shortName: shortNameOf(network),
    requirements: termsOf,
    read: createPaymentReader(kit, { ...rules, feeWallet: feeKey.address }),
    verify: (payment) => facilitator.verify(payment, termsOf(payment.amount)),
    settle: (payment, record) => facilitator.settle(payment, termsOf(payment.amount), { record, ...deliveries }),
    look: deliveries.look,

    async feeWallet() {
      const lamports = await node.balance(feeKey.address, 'confirmed')
      return {
        address: feeKey.address,
        balance: decimalFromNanos(lamports),
        unit: 'SOL',
        isLow: lamports < lowLamports,
      }
    },

    async prepare() {
      await check()
      if ((await node.account(tokenAccount, confirmation)) === undefined)
        await createTokenAccount({ kit, node, feeKey, confirmation, waitMs }, { owner, mint, tokenAccount })
    },
  }
}
