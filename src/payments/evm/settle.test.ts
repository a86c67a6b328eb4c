import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { signAuthorization, startEvmPayments } from '../../../test/chains/evm-payments.js'
import type { RecordAttempt } from '../rail.js'

const payments = await startEvmPayments({ after })
const { node, payTo, records, sql } = payments
const rail = await payments.rail()
const reasonOnly = (told: object) => ({ reason: 'reason' in told ? told.reason : undefined })

test('what the official client signs is taken, and the money has moved once it is settled', async () => {
  const payer = await payments.payer(7_000_000n)
  const payment = await payments.signed(rail, payer)
  assert.deepEqual(await rail.verify(payment), { isGood: true })
  const before = await node.balanceOf(payTo)
  const outcome = await payments.settle(rail, payment)
  assert.equal(outcome.state, 'settled')
  assert.equal(await node.balanceOf(payer.address), 2_000_000n)
  assert.equal((await node.balanceOf(payTo)) - before, 5_000_000n)
  const [attempt] = await records.attemptsOf(payment)
  assert.deepEqual(outcome, { state: 'settled', transaction: attempt?.transaction })
  assert.deepEqual(await payments.look(rail, payment), outcome)
})

test('twenty payments at once from two processes with one key all settle, and no nonce is lost', async () => {
  const rails = [rail, await payments.rail()]
  const payers = await Promise.all(Array.from({ length: 20 }, () => payments.payer()))
  const signed = await Promise.all(payers.map((payer) => payments.signed(rail, payer)))
  const before = await node.balanceOf(payTo)
  const outcomes = await Promise.all(signed.map((payment, index) => payments.settle(rails[index % 2]!, payment)))
  assert.deepEqual(new Set(outcomes.map(({ state }) => state)), new Set(['settled']))
  assert.equal((await node.balanceOf(payTo)) - before, 100_000_000n)
  const attempts = (await Promise.all(signed.map(records.attemptsOf))).flat()
  const nonces = attempts.map(({ feeNonce }) => Number(feeNonce)).sort((a, b) => a - b)
  assert.deepEqual(
    nonces,
    nonces.map((_, index) => nonces[0]! + index),
  )
})

test('a contract wallet pays', async () => {
  const owner = await payments.payer()
  const wallet = privateKeyToAccount(generatePrivateKey()).address
  await node.installWallet(wallet, owner.address)
  await node.mint(wallet, 5n)
  const payment = await payments.read(rail, await signAuthorization(owner, { from: wallet, to: payTo, value: 5n }))
  assert.equal(payment.payer, wallet.toLowerCase())
  assert.deepEqual(await rail.verify(payment), { isGood: true })
  assert.equal((await payments.settle(rail, payment)).state, 'settled')
  assert.equal(await node.balanceOf(wallet), 0n)
})

test('a wallet that is not there yet pays when its factory is allowed, and no other factory is called', async () => {
  const allowed = await payments.rail({ walletFactories: [node.walletFactory.toUpperCase().replace('0X', '0x')] })
  const owner = await payments.payer()
  const { address: from, wrap } = await node.announcedWallet(owner.address)
  await node.mint(from, 5n)
  const { signature, authorization } = await signAuthorization(owner, { from, to: payTo, value: 5n })
  const payment = await payments.read(rail, { authorization, signature: wrap(signature) })

  const refused = { reason: 'eip6492_factory_not_allowed' }
  assert.deepEqual(await rail.verify(payment).then(reasonOnly), refused)
  assert.deepEqual(await payments.settle(rail, payment).then(reasonOnly), refused)
  assert.deepEqual(await records.attemptsOf(payment), [])

  assert.deepEqual(await allowed.verify(payment), { isGood: true })
  assert.equal((await payments.settle(allowed, payment)).state, 'settled')
  assert.equal(await node.balanceOf(from), 0n)
  assert.equal((await records.attemptsOf(payment)).length, 2)
})

test('a payment whose wallet was deployed before the process ended is sent by the next one', async () => {
  const allowed = await payments.rail({ walletFactories: [node.walletFactory] })
  const owner = await payments.payer()
  const { address: from, wrap } = await node.announcedWallet(owner.address)
  await node.mint(from, 5n)
  const { signature, authorization } = await signAuthorization(owner, { from, to: payTo, value: 5n })
  const payment = await payments.read(allowed, { authorization, signature: wrap(signature) })
  const record = records.recordOf(payment)
  const isFull = async () => (await records.attemptsOf(payment)).length > 0
  const recordOnce: RecordAttempt = async (attempt, sql) => {
    if (await isFull()) throw new Error('the disk is full')
    await record(attempt, sql)
  }
  assert.deepEqual(await allowed.settle(payment, recordOnce), { state: 'pending' })
  assert.equal(await node.balanceOf(from), 5n)
  assert.equal((await payments.look(await payments.rail(), payment)).state, 'settled')
  assert.equal(await node.balanceOf(from), 0n)
})

test('a transaction that cannot be written down is not sent, and takes no nonce', async () => {
  const payment = await payments.signed(rail, await payments.payer())
  const before = node.calls.length
  await assert.rejects(
    rail.settle(payment, async (attempt, sql) => {
      await records.recordOf(payment)(attempt, sql)
      throw new Error('the disk is full')
    }),
    /the disk is full/,
  )
  assert.equal(node.calls.slice(before).includes('eth_sendRawTransaction'), false)
  assert.deepEqual(await records.attemptsOf(payment), [])
  assert.equal((await payments.settle(rail, payment)).state, 'settled')
})

test('an answer that is lost on its way back does not lose the payment', async () => {
  const payment = await payments.signed(rail, await payments.payer())
  node.faults.cutAnswersTo.add('eth_sendRawTransaction')
  const outcome = await payments.settle(rail, payment)
  node.faults.cutAnswersTo.clear()
  assert.equal(outcome.state, 'settled')
  assert.equal((await records.attemptsOf(payment)).length, 1)
})

test('what the chain would charge too much for is not sent', async () => {
  const payment = await payments.signed(rail, await payments.payer())
  await node.request('hardhat_setNextBlockBaseFeePerGas', '0x2540be401')
  await node.mine()
  const before = node.calls.length
  assert.deepEqual(await payments.settle(rail, payment).then(reasonOnly), { reason: 'fee_too_high' })
  await node.request('hardhat_setNextBlockBaseFeePerGas', '0x989680')
  await node.mine()

  await node.fund(payments.feeWallet.address, 1_000n)
  assert.deepEqual(await payments.settle(rail, payment).then(reasonOnly), { reason: 'fee_wallet_empty' })
  await node.fund(payments.feeWallet.address, 10n ** 18n)

  assert.equal(node.calls.slice(before).includes('eth_sendRawTransaction'), false)
  assert.deepEqual(await records.attemptsOf(payment), [])
  assert.equal((await payments.settle(rail, payment)).state, 'settled')
})

test('a contract wallet that needs much gas to say yes is not paid for', async () => {
  const from = privateKeyToAccount(generatePrivateKey()).address
  // Counts down from 65 535, then says yes to everything.
  await node.request('hardhat_setCode', from, '0x61ffff5b6001900380600357631626ba7e60e01b5f5260205ff3')
  await node.mint(from, 5n)
  const owner = await payments.payer()
  const payment = await payments.read(rail, await signAuthorization(owner, { from, to: payTo, value: 5n }))
  const outcome = await payments.settle(rail, payment).then(reasonOnly)
  assert.deepEqual(outcome, { reason: 'gas_too_high' })
  assert.deepEqual(await records.attemptsOf(payment), [])
})

test('wallets are not deployed while many payments come to nothing, and others pay all the same', async () => {
  const allowed = await payments.rail({ walletFactories: [node.walletFactory] })
  const owner = await payments.payer()
  const { address: from, wrap } = await node.announcedWallet(owner.address, 7n)
  await node.mint(from, 5n)
  const { signature, authorization } = await signAuthorization(owner, { from, to: payTo, value: 5n })
  const payment = await payments.read(allowed, { authorization, signature: wrap(signature) })
  await sql`
    insert into x402_payment (id, fingerprint, payment_key, network, asset, payer, pay_to, amount, state, tx_hash,
                              leased_until, created_at, changed_at)
    select gen_random_uuid(), sha256(convert_to('wasted ' || n, 'UTF8')), 'wasted ' || n, ${payment.network}, '', 'many', '',
           1, 'refused', 'wasted ' || n, now(), now(), now() from generate_series(1, 20) n`
  assert.deepEqual(await payments.settle(allowed, payment).then(reasonOnly), { reason: 'deployments_paused' })
  assert.deepEqual(await records.attemptsOf(payment), [])
  const plain = await payments.signed(allowed, await payments.payer())
  assert.equal((await payments.settle(allowed, plain)).state, 'settled')
  await sql`delete from x402_payment where payer = 'many'`
  assert.equal((await payments.settle(allowed, payment)).state, 'settled')
})

test('the time that a slow node takes for its answers is part of the wait', async () => {
  const hasty = await payments.rail({}, { waitMs: 500 })
  const payment = await payments.signed(hasty, await payments.payer())
  await node.setAutomine(false)
  node.faults.delayMs = 250
  node.calls.length = 0
  assert.deepEqual(await payments.settle(hasty, payment), { state: 'pending' })
  node.faults.delayMs = 0
  const asked = node.calls.filter((method) => method === 'eth_getTransactionReceipt').length
  assert.ok(asked <= 5, `it was asked ${asked} times`)
  await node.setAutomine(true)
  await node.mine()
  assert.equal((await payments.look(hasty, payment)).state, 'settled')
})
