import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertBooks } from '../../test/money.js'
import { detailsOf, failing, openPayments } from '../../test/payment-processes.js'

const world = await openPayments()
const { sql, chain, clock, startProcess, sign, rowsOf } = world
after(world.close)

test('more payments than a process can take at once are told to retry', async () => {
  const payments = startProcess({ workMax: 1 })
  const first = sign()
  const running = payments.topUp(first.header)
  const joined = payments.topUp(first.header)
  const { header, key } = sign()
  const failure = await failing(payments.topUp(header))
  assert.deepEqual([failure.failure, failure.status, failure.headers['retry-after']], ['paymentsBusy', 503, '2'])
  assert.deepEqual(await rowsOf(key), [])
  assert.deepEqual(await joined, { ...(await running), isReplay: true })
  await payments.topUp(header)
})

test('a wallet that signs one balance away many times has few of them sent at once, and holds up nobody else', async () => {
  const { payer } = sign()
  const signed = Array.from({ length: 12 }, () => sign({ payer }))
  chain.fill(payer, 100_000_000n)
  for (const { key } of signed) chain.fates.set(key, 'settles unseen')
  const processes = [startProcess(), startProcess()]
  const sentBefore = chain.sent.length
  const failures = await Promise.all(signed.map(({ header }, index) => failing(processes[index % 2]!.topUp(header))))
  assert.equal(chain.sent.length - sentBefore, 4)
  assert.equal(failures.filter(({ failure }) => failure === 'paymentsBusy').length, 8)
  await processes[0]!.topUp(sign().header)
  clock.advance(60_000)
  await processes[1]!.reconcile()
  await processes[0]!.topUp(sign({ payer }).header)
})

test('a wallet whose payments come to nothing again and again is not sent for, for an hour', async () => {
  const payments = startProcess()
  const { payer } = sign()
  const payOnce = () => {
    const { header, key } = sign({ payer })
    chain.fates.set(key, 'fails')
    return failing(payments.topUp(header))
  }
  for (let failed = 0; failed < 6; failed++) await payOnce()
  const sentBefore = chain.sent.length
  assert.equal(detailsOf(await payOnce()).reason, 'too_many_failed_payments')
  assert.equal(chain.sent.length, sentBefore)
  clock.advance(3_600_001)
  await payments.topUp(sign({ payer }).header)
})

test('payments that were refused are forgotten after a day, unless something was sent', async () => {
  const unsent = sign()
  chain.fill(unsent.payer, 0n)
  const failed = sign()
  chain.fates.set(failed.key, 'fails')
  const payments = startProcess()
  for (const { header } of [unsent, failed]) await failing(payments.topUp(header))
  clock.advance(86_399_000)
  await payments.reconcile()
  assert.equal((await rowsOf(unsent.key)).length, 1)
  clock.advance(1_000)
  await payments.reconcile()
  assert.deepEqual([(await rowsOf(unsent.key)).length, (await rowsOf(failed.key)).length], [0, 1])
})

test('of payments that were never sent, however many come, only the newest are remembered', async () => {
  const payments = startProcess()
  const { header } = sign()
  const { paymentId } = await payments.topUp(header)
  const flood = (state: string) => sql`
    insert into x402_payment (id, fingerprint, payment_key, network, asset, payer, pay_to, amount, state, leased_until,
                              created_at, changed_at)
    select gen_random_uuid(), sha256(convert_to(${state} || n, 'UTF8')), 'flood ' || n, 'eip155:8453', '', 'nobody', '', 1,
           ${state}::payment_state, ${new Date(clock.nowMs())}, ${new Date(clock.nowMs())},
           ${new Date(clock.nowMs())}::timestamptz + n * interval '1 microsecond'
    from generate_series(1, 6000) n`
  await flood('refused')
  await flood('received')
  clock.advance(10)
  await payments.reconcile()
  const [left] = await sql`select count(*) payments from x402_payment where tx_hash is null`
  assert.ok(Number(left?.payments) <= 10_000, String(left?.payments))
  assert.ok(Number(left?.payments) > 9_000, String(left?.payments))
  assert.equal((await payments.topUp(header)).paymentId, paymentId)
  await sql`delete from x402_payment where payer = 'nobody'`
})

test('the books are in order after all of this', () => assertBooks(sql, clock.nowMs()))
