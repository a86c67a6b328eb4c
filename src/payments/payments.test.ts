import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { AggregatorRegistry, Registry } from 'prom-client'
import type { Failure } from '#contract/errors.js'
import { createScriptedRail, scriptedHeader } from '../../test/fakes/scripted-rail.js'
import { assertBooks } from '../../test/money.js'
import { detailsOf, failing, openPayments, pauseAt } from '../../test/payment-processes.js'
import { createPaymentMetrics } from './metrics.js'
import { paymentResponseHeader, successResponse } from './payment-response.js'
import { findUnfinished } from './unfinished.js'

const world = await openPayments()
const { sql, chain, clock, startProcess, sign, balanceOf, rowsOf } = world
after(world.close)

const decoded = (header: string | undefined) => JSON.parse(Buffer.from(header ?? '', 'base64').toString())
const responseOf = (failure: Failure) => decoded(failure.headers[paymentResponseHeader])

test('a payment is credited to the wallet that signed it, and its signature is forgotten', async () => {
  const { header, payer, key } = sign()
  const receipt = await startProcess().topUp(header)
  const { paymentId, transaction, ...rest } = receipt
  assert.deepEqual(rest, {
    walletAddress: payer,
    network: 'eip155:8453',
    amountUsdNanos: 7_500_000_000n,
    balanceUsdNanos: 7_500_000_000n,
    isReplay: false,
  })
  assert.equal(await balanceOf(payer), 7_500_000_000n)
  const [row] = await rowsOf(key)
  assert.deepEqual([row?.id, row?.state, row?.tx_hash, row?.payload], [paymentId, 'credited', transaction, null])
  const response = { success: true, transaction, network: 'eip155:8453', payer }
  assert.deepEqual(decoded(successResponse(receipt)), response)
  await assertBooks(sql, clock.nowMs())
})

test('a payment that is sent again is answered with what was told before, though the wallet has paid more since', async () => {
  const first = sign()
  const payments = startProcess()
  const receipt = await payments.topUp(first.header)
  await payments.topUp(sign({ payer: first.payer }).header)
  assert.deepEqual(await startProcess().topUp(first.header), { ...receipt, isReplay: true })
  assert.equal(await balanceOf(first.payer), 15_000_000_000n)
})

test('fifty requests with one payment, in two processes, send it once and all hear the same', async () => {
  const { header, key, payer } = sign()
  const processes = [startProcess({ patienceMs: 30_000 }), startProcess({ patienceMs: 30_000 })] as const
  const sentBefore = chain.sent.length
  const receipts = await Promise.all(
    Array.from({ length: 50 }, (_, index) => processes[index % 2 ? 0 : 1].topUp(header)),
  )
  assert.equal(chain.sent.length, sentBefore + 1)
  assert.equal(receipts.filter(({ isReplay }) => !isReplay).length, 1)
  for (const receipt of receipts) assert.deepEqual({ ...receipt, isReplay: true }, { ...receipts[0], isReplay: true })
  assert.equal(await balanceOf(payer), 7_500_000_000n)
  assert.equal((await rowsOf(key)).length, 1)
})

test('of two payloads for one transfer only one is sent, whichever process has it', async () => {
  const { key, payer, amount } = sign()
  const sentBefore = chain.sent.length
  const headers = ['a', 'b', 'c', 'd'].map((salt) => scriptedHeader({ key, payer, amount, salt }))
  const processes = [startProcess({ patienceMs: 30_000 }), startProcess({ patienceMs: 30_000 })] as const
  const results = await Promise.allSettled(headers.map((header, index) => processes[index % 2 ? 0 : 1].topUp(header)))
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
  for (const result of results)
    if (result.status === 'rejected')
      assert.equal(detailsOf(result.reason).reason, 'invalid_exact_evm_nonce_already_used')
  assert.equal(chain.sent.length, sentBefore + 1)
  assert.equal(await balanceOf(payer), 7_500_000_000n)
  // And later just the same.
  const late = await failing(startProcess().topUp(scriptedHeader({ key, payer, amount, salt: 'late' })))
  assert.equal(late.code, 'PAYMENT_VERIFICATION_FAILED')
  assert.equal(await balanceOf(payer), 7_500_000_000n)
})

test('amounts out of bounds are refused before anything is written down', async () => {
  for (const amount of ['4999999', '1000000001', `9${'0'.repeat(30)}`]) {
    const { header, key, payer } = sign({ amount })
    const failure = await failing(startProcess().topUp(header))
    assert.equal(failure.status, 400)
    assert.match(failure.message, /is not between 5 and 1000 USD/)
    const response = { success: false, errorReason: 'invalid_payment_requirements', transaction: '' }
    assert.deepEqual(responseOf(failure), { ...response, network: 'eip155:8453', payer })
    assert.deepEqual(await rowsOf(key), [])
  }
  assert.equal((await startProcess().topUp(sign({ amount: '5000000' }).header)).amountUsdNanos, 5_000_000_000n)
})

test('a payment that was refused before it was sent may be sent again, when the wallet has been filled', async () => {
  const { header, key, payer } = sign()
  chain.fill(payer, 0n)
  const refused = await failing(startProcess().topUp(header))
  assert.deepEqual([refused.status, detailsOf(refused)], [400, { reason: 'insufficient_funds' }])
  assert.match(refused.message, /has too little USDC; nothing was credited/)
  assert.equal((await rowsOf(key))[0]?.payload, null)
  chain.fill(payer, 7_500_000n)
  assert.equal((await startProcess().topUp(header)).balanceUsdNanos, 7_500_000_000n)
})

test('a payment that was sent and failed stays refused, and is not sent again', async () => {
  const { header, key, payer } = sign()
  chain.fates.set(key, 'fails')
  const refused = await failing(startProcess().topUp(header))
  const sentBefore = chain.sent.length
  chain.fates.set(key, 'settles')
  const again = await failing(startProcess().topUp(header))
  assert.deepEqual([again.body, again.headers], [refused.body, refused.headers])
  assert.equal(detailsOf(again).transaction, chain.sent.at(-1))
  assert.equal(chain.sent.length, sentBefore)
  assert.equal(await balanceOf(payer), undefined)
})

test('while the chain cannot be asked nothing is sent, and the same payment works afterwards', async () => {
  const { header, key, payer } = sign()
  const troubles: string[] = []
  const payments = startProcess({ onTrouble: (trouble) => troubles.push(trouble) })
  chain.isDown = true
  const failure = await failing(payments.topUp(header))
  chain.isDown = false
  assert.deepEqual([failure.status, failure.code, failure.headers['retry-after']], [503, 'SERVICE_UNAVAILABLE', '5'])
  assert.equal(responseOf(failure).success, false)
  assert.match(troubles.join(), /could not be verified: connect ECONNREFUSED/)
  assert.equal((await rowsOf(key))[0]?.state, 'received')
  await payments.topUp(header)
  assert.equal(await balanceOf(payer), 7_500_000_000n)
})

test('those who waited for an attempt hear how it went, and do not all try again', async () => {
  const { header } = sign()
  const pause = pauseAt('before verify')
  const first = startProcess({ rails: [createScriptedRail(chain, pause.step)] }).topUp(header)
  await pause.arrived
  let questions = 0
  const asked: string[] = []
  const second = startProcess({
    life: { step: () => void questions++ },
    rails: [createScriptedRail(chain, (where) => asked.push(where))],
    patienceMs: 30_000,
  }).topUp(header)
  // It has seen that somebody is at work.
  while (questions < 2) await new Promise(setImmediate)
  chain.isDown = true
  pause.goOn()
  const failures = await Promise.all([failing(first), failing(second)])
  chain.isDown = false
  assert.deepEqual(
    failures.map(({ failure }) => failure),
    ['chainUnreachable', 'chainUnreachable'],
  )
  assert.deepEqual(asked, [])
  await startProcess().topUp(header)
})

test('a chain that goes away before anything is sent leaves the transfer to whoever comes next', async () => {
  const { header, key, payer, amount } = sign()
  const rail = createScriptedRail(chain, (where) => {
    if (where === 'before record') throw new Error('socket hang up')
  })
  const sentBefore = chain.sent.length
  const failure = await failing(startProcess({ rails: [rail] }).topUp(header))
  assert.deepEqual([failure.failure, chain.sent.length], ['chainUnreachable', sentBefore])
  await startProcess().topUp(scriptedHeader({ key, payer, amount, salt: 'signed again' }))
  assert.equal((await failing(startProcess().topUp(header))).failure, 'paymentRefused')
  assert.equal(await balanceOf(payer), 7_500_000_000n)
})

test('a payment whose outcome is not known yet is credited by the next round, without being sent again', async () => {
  const { header, key, payer } = sign()
  chain.fates.set(key, 'settles unseen')
  const payments = startProcess()
  const failure = await failing(payments.topUp(header))
  const sent = chain.sent.length
  const transaction = chain.sent.at(-1)
  assert.deepEqual([failure.status, failure.code], [503, 'SETTLEMENT_PENDING'])
  assert.deepEqual(detailsOf(failure), { reason: 'settlement_pending', transaction, network: 'eip155:8453' })
  assert.deepEqual(responseOf(failure).transaction, transaction)
  assert.equal(await balanceOf(payer), undefined)
  clock.advance(600_000)
  const [unfinished, ...others] = await findUnfinished(sql, { nowMs: clock.nowMs() })
  assert.deepEqual([unfinished?.transaction, unfinished?.state, others], [transaction, 'broadcast', []])
  await payments.reconcile()
  assert.equal(await balanceOf(payer), 7_500_000_000n)
  assert.equal((await payments.topUp(header)).transaction, transaction)
  assert.equal(chain.sent.length, sent)
  assert.deepEqual(await findUnfinished(sql, { nowMs: clock.nowMs() }), [])
})

test('whoever sends an unfinished payment again need not wait for the next round', async () => {
  const { header, key } = sign()
  chain.fates.set(key, 'is lost')
  await failing(startProcess().topUp(header))
  // Too soon: the chain is not asked again for every request.
  assert.equal((await failing(startProcess().topUp(header))).code, 'SETTLEMENT_PENDING')
  clock.advance(1_000)
  assert.equal((await startProcess().topUp(header)).balanceUsdNanos, 7_500_000_000n)
})

test('money that came by a transaction of the payer is credited', async () => {
  const { header, key, payer } = sign()
  chain.fates.set(key, 'comes otherwise')
  const payments = startProcess()
  assert.equal((await failing(payments.topUp(header))).code, 'SETTLEMENT_PENDING')
  assert.equal(await balanceOf(payer), undefined)
  clock.advance(2_000)
  await payments.reconcile()
  assert.equal((await payments.topUp(header)).transaction, `by ${payer}`)
  assert.equal(await balanceOf(payer), 7_500_000_000n)
})

test('what the books have already is not credited again, and an operator sees it', async () => {
  const { header, key, payer } = sign()
  const payments = startProcess()
  await payments.topUp(header)
  const kept =
    await sql`select * from x402_broadcast b join x402_payment p on p.id = b.payment_id where p.payment_key = ${key}`
  assert.equal(kept.length, 1)
  await sql`delete from x402_broadcast where payment_id in (select id from x402_payment where payment_key = ${key})`
  await sql`delete from x402_payment where payment_key = ${key}`
  chain.moved.delete(key)
  chain.fill(payer, 7_500_000n)
  const failure = await failing(payments.topUp(header))
  assert.equal(failure.code, 'SETTLEMENT_PENDING')
  assert.equal(await balanceOf(payer), 7_500_000_000n)
  clock.advance(600_000)
  await payments.reconcile()
  const [found] = await findUnfinished(sql, { nowMs: clock.nowMs() })
  assert.deepEqual([found?.state, found?.reason], ['settled', 'already_credited'])
  await sql`delete from x402_broadcast where payment_id = ${found?.id}`
  await sql`update x402_payment set state = 'credited', balance_after = 0 where id = ${found?.id}`
})

/** Two payments for which the chain names one transaction: the first is credited, the second was lost at first. */
const payTogether = async (network: string) => {
  const rails = [createScriptedRail(chain, () => {}, network)]
  const payments = startProcess({ rails })
  const [first, second] = [sign(), sign()]
  const { transaction } = await payments.topUp(scriptedHeader(first, network))
  chain.fates.set(second.key, 'is lost')
  const header = scriptedHeader(second, network)
  await failing(payments.topUp(header))
  chain.moved.set(second.key, transaction)
  clock.advance(600_000)
  await payments.reconcile()
  return { payments, payer: second.payer, header, transaction }
}

test('one transaction of an EVM chain may pay for several payments', async () => {
  const { payments, payer, header, transaction } = await payTogether('eip155:8453')
  assert.equal(await balanceOf(payer), 7_500_000_000n)
  assert.equal((await payments.topUp(header)).transaction, transaction)
})

test('a transaction of Solana pays for one payment only', async () => {
  const { payer } = await payTogether('solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp')
  const [found] = await findUnfinished(sql, { nowMs: clock.nowMs() })
  assert.deepEqual([found?.payer, found?.reason], [payer, 'transaction_of_another_payment'])
  assert.equal(await balanceOf(payer), undefined)
  await sql`delete from x402_broadcast where payment_id = ${found?.id}`
  await sql`delete from x402_payment where id = ${found?.id}`
})

test('payments whose rail is off wait, and are finished when it is on again', async () => {
  const { header, key, payer } = sign()
  chain.fates.set(key, 'settles unseen')
  await failing(startProcess().topUp(header))
  clock.advance(60_000)
  const counts: unknown[] = []
  const without = startProcess({ rails: [], onUnfinished: (found) => counts.push(...found) })
  await without.reconcile()
  assert.equal((await rowsOf(key))[0]?.state, 'broadcast')
  assert.deepEqual(counts, [{ network: 'eip155:8453', payments: 1 }])
  assert.deepEqual(without.accepts(1n), [])
  assert.match((await failing(without.topUp(header))).message, /network/)
  await startProcess().reconcile()
  assert.equal(await balanceOf(payer), 7_500_000_000n)
})

test('what can be paid is told for any amount, and no unit too little', () => {
  const [entry] = startProcess().accepts(5_000_000_001n)
  assert.equal(entry?.amount, '5000001')
})

test('operators see payments, those that are unfinished, and what is left for fees', async () => {
  const registry = new Registry()
  const metrics = createPaymentMetrics(registry)
  const payments = startProcess(metrics)
  await payments.topUp(sign().header)
  const { header, key, payer } = sign()
  chain.fill(payer, 0n)
  await failing(payments.topUp(header))
  await payments.reconcile()
  metrics.onFeeWallets(await payments.feeWallets())
  const text = await registry.metrics()
  assert.match(text, /tessera_x402_payments_total\{network="eip155:8453",outcome="credited"\} 1/)
  assert.match(text, /tessera_x402_payments_total\{network="eip155:8453",outcome="refused"\} 1/)
  assert.match(text, /tessera_x402_payments_unfinished\{network="eip155:8453"\} 0/)
  assert.match(text, /tessera_x402_fee_wallet_balance\{network="eip155:8453"\} 0.5/)
  assert.match(text, /tessera_x402_fee_wallet_low\{network="eip155:8453"\} 1/)
  const workers = [await registry.getMetricsAsJSON(), await registry.getMetricsAsJSON()]
  const ofBoth = await AggregatorRegistry.aggregate(workers).metrics()
  assert.match(ofBoth, /tessera_x402_payments_total\{network="eip155:8453",outcome="credited"\} 2/)
  assert.match(ofBoth, /tessera_x402_fee_wallet_balance\{network="eip155:8453"\} 0.5/)
  assert.match(ofBoth, /tessera_x402_fee_wallet_low\{network="eip155:8453"\} 1/)
  chain.isDown = true
  assert.deepEqual(await payments.feeWallets(), [])
  chain.isDown = false
  assert.equal((await rowsOf(key)).length, 1)
})

test('a service that starts prepares its rails, finishes what was left, and looks at its fee wallets', async () => {
  const { header, key, payer } = sign()
  chain.fates.set(key, 'settles unseen')
  await failing(startProcess().topUp(header))
  clock.advance(60_000)
  const steps: string[] = []
  const rail = createScriptedRail(chain, (where) => steps.push(where))
  await new Promise<void>((resolve) => {
    const told = new Set<string>()
    const tell = (what: string) => () => void (told.add(what).size === 2 && resolve())
    const hooks = { onUnfinished: tell('unfinished'), onFeeWallets: tell('fee wallets') }
    const payments = startProcess({ ...hooks, rails: [rail] })
    payments.start()
    after(payments.stop)
  })
  assert.ok(steps.includes('prepare'))
  assert.equal(await balanceOf(payer), 7_500_000_000n)
})

test('nothing is sent for callers who have left, as long as none of those who share a payment is still there', async () => {
  for (const isShared of [false, true]) {
    const pause = pauseAt('before record')
    const payments = startProcess({ rails: [createScriptedRail(chain, pause.step)] })
    const { header, key, payer } = sign()
    const caller = new AbortController()
    const left = payments.topUp(header, caller.signal)
    await pause.arrived
    const stayed = isShared ? payments.topUp(header, new AbortController().signal) : undefined
    caller.abort()
    const sentBefore = chain.sent.length
    pause.goOn()
    if (stayed) assert.equal((await stayed).transaction, (await left).transaction)
    else assert.equal((await failing(left)).failure, 'chainUnreachable')
    assert.equal(chain.sent.length - sentBefore, isShared ? 1 : 0)
    assert.equal((await rowsOf(key))[0]?.state, isShared ? 'credited' : 'received')
    await payments.topUp(header)
    assert.equal(await balanceOf(payer), 7_500_000_000n)
  }
})

test('a service that stops waits for payments that it works on', async () => {
  const pause = pauseAt('before send')
  const payments = startProcess({ rails: [createScriptedRail(chain, pause.step)] })
  const { header, payer } = sign()
  const receipt = payments.topUp(header)
  await pause.arrived
  const stopped = payments.stop()
  pause.goOn()
  await stopped
  assert.equal(await balanceOf(payer), 7_500_000_000n)
  await receipt
})

test('nothing that was signed gets into the log', async () => {
  const signature = `0x${'ab'.repeat(65)}`
  const troubles: string[] = []
  const rail = createScriptedRail(chain, () => {
    throw new Error(`execution of ${signature} reverted\nargs: ${signature}`)
  })
  const { header } = sign()
  await failing(startProcess({ rails: [rail], onTrouble: (trouble) => troubles.push(trouble) }).topUp(header))
  assert.match(troubles.join(), /could not be verified: execution of \[...\] reverted$/)
})

test('the books are in order after all of this', () => assertBooks(sql, clock.nowMs()))
