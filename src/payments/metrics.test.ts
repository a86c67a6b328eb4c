import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AggregatorRegistry, Registry } from 'prom-client'
import { createPaymentMetrics } from './metrics.js'

test('two workers tell what they share once, and add up what each of them did', async () => {
  const network = 'eip155:8453'
  const reports = await Promise.all(
    [1, 2].map(async () => {
      const registry = new Registry()
      const metrics = createPaymentMetrics(registry)
      metrics.onPayment(network, 'credited')
      metrics.onUnfinished([{ network, payments: 3 }])
      metrics.onFeeWallets([{ network, address: '0x', balance: '0.5', unit: 'ETH', isLow: true }])
      return registry.getMetricsAsJSON()
    }),
  )
  const text = await AggregatorRegistry.aggregate(reports).metrics()
  const reading = (name: string) => Number(new RegExp(`^${name}{.*} (.+)$`, 'm').exec(text)?.[1])
  assert.equal(reading('tessera_x402_payments_total'), 2)
  assert.equal(reading('tessera_x402_payments_unfinished'), 3)
  assert.equal(reading('tessera_x402_fee_wallet_balance'), 0.5)
  assert.equal(reading('tessera_x402_fee_wallet_low'), 1)
})
