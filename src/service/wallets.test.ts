import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { emptyConfig, type OperatorConfig, parseConfig } from '#catalog/config/config-file.js'
import { systemClock } from '#plumbing/clock.js'
import { startEvmPayments } from '../../test/chains/evm-payments.js'
import { createEvmWallet } from '../../test/wallets.js'
import { createWallets } from './wallets.js'

const { node, sql, settings } = await startEvmPayments({ after })

const configWith = (more: string) =>
  parseConfig(
    `x402:
  evm: { rpcUrl: "${node.url}", payTo: "${settings.payTo}", feeWalletKey: "${settings.feeWalletKey}" }
  ${more}`,
    { file: 'tessera.yaml', env: {} },
  )

const open = async (config: OperatorConfig) => {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const publicUrl = () => 'https://api.example.com'
  const registry = new Registry()
  const wallets = createWallets({ sql, clock: systemClock, config: () => config, publicUrl, registry, log })
  await wallets.start()
  return { wallets, lines, offered: () => wallets.terms()?.accepts(5_000_000_000n) ?? [] }
}

test('a chain that cannot be reached is offered all the same; one where no payment can arrive is not', async () => {
  node.faults.isDown = true
  const down = await open(configWith(''))
  while (!/cannot be paid yet/.test(down.lines.join())) await sleep(20)
  assert.equal(down.offered().length, 1)
  await down.wallets.stop()
  node.faults.isDown = false
  const elsewhere = configWith('')
  elsewhere.x402!.evm!.chainId = 1
  const wrong = await open(elsewhere)
  while (wrong.offered().length > 0) await sleep(20)
  assert.match(wrong.lines.join(), /belongs to another chain: 8453/)
  await wrong.wallets.stop()
})

test('a chain with a wrong key does not keep the other from being used', async () => {
  const payTo = '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV'
  const solana = `solana: { rpcUrl: "${node.url}", payTo: "${payTo}", feeWalletKey: "${'2'.repeat(88)}" }`
  const { wallets, offered, lines } = await open(configWith(solana))
  assert.deepEqual(
    offered().map(({ network }) => network),
    ['eip155:8453'],
  )
  assert.match(lines.join(), /payments cannot be taken on solana: .*key/)
  assert.ok(!lines.join().includes('2222'))
  await wallets.stop()
})

test('a config file that changes turns no payment away, and leaves one desk open', async () => {
  let config = configWith('')
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const publicUrl = () => 'https://api.example.com'
  const wallets = createWallets({
    sql,
    clock: systemClock,
    config: () => config,
    publicUrl,
    registry: new Registry(),
    log,
  })
  const opened = () => lines.filter((line) => line.includes('payments are taken')).length
  await wallets.start()
  while (opened() === 0) await sleep(20)

  const wallet = createEvmWallet()
  await node.mint(wallet.address, 5_000_000n)
  const accepts = wallets.payments()!.accepts(5_000_000_000n)
  const resource = { url: 'https://api.example.com', description: '', mimeType: '' }
  const signed = await wallet.client.createPaymentPayload({ x402Version: 2, resource, accepts } as never)
  await node.setAutomine(false)
  const paying = wallets.payments()!.topUp(Buffer.from(JSON.stringify(signed)).toString('base64'))
  while (!node.calls.includes('eth_sendRawTransaction')) await sleep(20)

  config = configWith('minimumTopUpUsd: "6"')
  const deadlineMs = performance.now() + 3_500
  while (performance.now() < deadlineMs) {
    assert.ok(wallets.payments(), 'somebody is at the desk')
    await sleep(20)
  }
  await node.setAutomine(true)
  await node.mine()
  assert.equal((await paying).amountUsdNanos, 5_000_000_000n)
  assert.equal(opened(), 2)
  config = emptyConfig
  while (wallets.payments() !== undefined) await sleep(20)
  await wallets.stop()
})
