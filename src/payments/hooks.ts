import type { FeeWallet } from './rail.js'

export type NetworkFeeWallet = { network: string } & FeeWallet

export type PaymentOutcome = 'credited' | 'refused' | 'pending' | 'unreachable' | 'busy'

/** What those who keep the log and the metrics are told. */
export type PaymentHooks = {
  /** One payment, or one more attempt to find out about it. */
  onPayment?: (network: string, outcome: PaymentOutcome) => void
  onUnfinished?: (counts: { network: string; payments: number }[]) => void
  onFeeWallets?: (wallets: NetworkFeeWallet[]) => void
  /** For the log: something that callers are told less about. */
  onTrouble?: (trouble: string) => void
}
