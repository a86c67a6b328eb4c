import { formatEther, type Hex, parseEther, parseGwei } from 'viem'
import type { Outcome, Rail, RecordAttempt, SignedPayment } from '../rail.js'
import { createFacilitator } from './facilitator.js'
import { createFeeWallet } from './fee-wallet.js'
import { evmGround } from './ground.js'
import { createLook } from './look.js'
import { failed, Unpayable } from './reasons.js'
import type { EvmRailNeeds, EvmRailSettings } from './settings.js'
import { knownWalletFactories } from './wallet-factories.js'

/** Payments within an hour that were sent and have not come to anything, until no more wallets are deployed. */
const wastedMax = 20n

export const evmRail = (settings: EvmRailSettings, { sql, clock, waitMs = 45_000 }: EvmRailNeeds): Rail => {
  const { chainId, confirmations } = settings
  const { network, shortName, asset, chain, requirements, read, prepare } = evmGround(settings)
  const key: Hex = `0x${settings.feeWalletKey.replace(/^0x/, '')}`
  const feeWallet = createFeeWallet({ chain, sql, network, chainId, key, maxFeeWei: parseGwei(settings.maxFeeGwei) })
  const walletFactories = settings.walletFactories ?? knownWalletFactories

  // Some factories run code of the payer's choosing, which may do as it likes with the gas that we pay, each time under
  // the name of another payer. Plain wallets, and those that are there already, can pay all the same.
  const allowDeployment = async () => {
    const lately = new Date(clock.nowMs() - 3_600_000)
    const { wasted } = await sql.one<{ wasted: bigint }>`
      select count(*) wasted from x402_payment
      where network = ${network} and state in ('broadcast', 'refused') and tx_hash is not null and changed_at > ${lately}`
    if (wasted >= wastedMax) throw new Unpayable('deployments_paused')
  }
  const facilitator = createFacilitator({
    ...{ chain, feeWallet, confirmations, waitMs, requirements },
    walletFactories,
    allowDeployment,
  })

  const sendAgain = async (payment: SignedPayment, record: RecordAttempt): Promise<Outcome> => {
    const verdict = await facilitator.verify(payment)
    if (!verdict.isGood) return failed(verdict.reason)
    const settlement = await facilitator.settle(payment, record)
    if ('transaction' in settlement) return { state: 'settled', transaction: settlement.transaction }
    return settlement.sent.length > 0 ? { state: 'pending' } : failed(settlement.reason)
  }
  const look = createLook({ chain, feeWallet, asset, confirmations, clock, sendAgain })

  return {
    network,
    shortName,
    requirements,
    read,
    verify: facilitator.verify,

    async settle(payment, record) {
      const settlement = await facilitator.settle(payment, record)
      if ('transaction' in settlement) return { state: 'settled', transaction: settlement.transaction }
      const { reason, sent } = settlement
      if (sent.length > 0) return look(payment, sent, record).catch((): Outcome => ({ state: 'pending' }))
      // Somebody else may have sent it, and then the money has come all the same.
      if (reason === 'invalid_exact_evm_nonce_already_used') return look(payment, [], record)
      return failed(reason)
    },

    look,

    async feeWallet() {
      const balance = await feeWallet.balance()
      const isLow = balance < parseEther(settings.lowFeeBalance)
      return { address: feeWallet.address, balance: formatEther(balance), unit: 'ETH', isLow }
    },

    prepare,
  }
}
