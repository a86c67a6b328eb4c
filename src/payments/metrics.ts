import { Counter, Gauge, type Registry } from 'prom-client'
import type { PaymentHooks } from './hooks.js'

/** What an operator sees of payments in /metrics. */
export const createPaymentMetrics = (registry: Registry) => {
  const registers = [registry]
  const payments = new Counter({
    name: 'tessera_x402_payments_total',
    help: 'Payments of wallets, and further attempts to find out about one, by how they ended',
    labelNames: ['network', 'outcome'],
    registers,
  })
  // Every process tells the same of these, about all of them together: several are not added up.
  const unfinished = new Gauge({
    name: 'tessera_x402_payments_unfinished',
    help: 'Payments that are neither credited nor refused, in all processes together',
    labelNames: ['network'],
    aggregator: 'max',
    registers,
  })
  const balance = new Gauge({
    name: 'tessera_x402_fee_wallet_balance',
    help: 'What is left to pay the fees of the chain with, in its own coin',
    labelNames: ['network'],
    aggregator: 'min',
    registers,
  })
  const low = new Gauge({
    name: 'tessera_x402_fee_wallet_low',
    help: '1 when the fee wallet should be filled up, 0 otherwise',
    labelNames: ['network'],
    aggregator: 'max',
    registers,
  })
  return {
    onPayment: (network, outcome) => payments.inc({ network, outcome }),
    onUnfinished: (counts) => {
      unfinished.reset()
      for (const count of counts) unfinished.set({ network: count.network }, count.payments)
    },
    onFeeWallets: (wallets) => {
      for (const { network, balance: left, isLow } of wallets) {
        balance.set({ network }, Number(left))
        low.set({ network }, isLow ? 1 : 0)
      }
    },
  } satisfies PaymentHooks
}
