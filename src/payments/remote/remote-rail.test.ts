import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import { x402Facilitator } from '@x402/core/facilitator'
import { Failure } from '#contract/errors.js'
import { createScriptedRail } from '../../../test/fakes/scripted-rail.js'
import { assertBooks } from '../../../test/money.js'
import { openPayments } from '../../../test/payment-processes.js'
import { findUnfinished } from '../unfinished.js'
import { createRemoteRail, type LocalParts } from './remote-rail.js'

const world = await openPayments()
const { sql, chain, clock, sign, balanceOf, rowsOf } = world
after(world.close)

const network = 'eip155:8453'
const scripted = createScriptedRail(chain)

/** The official facilitator, on a chain in memory, and behind HTTP that can be made to fail. */
const startFacilitator = async () => {
  const facilitator = new x402Facilitator().register(network, {
    scheme: 'exact',
    caipFamily: 'eip155:*',
    getExtra: () => ({ feePayer: 'theirs' }),
    getSigners: () => ['theirs'],
    verify: async ({ payload }) => {
      const payment = scripted.read(payload)
      const verdict = chain.verdictOn(payment)
      return {
        isValid: verdict.isGood,
        payer: payment.payer,
        ...(!verdict.isGood && { invalidReason: verdict.reason }),
      }
    },
    settle: async ({ payload }) => {
      const payment = scripted.read(payload)
      const verdict = chain.verdictOn(payment)
      if (!verdict.isGood) return { success: false, errorReason: verdict.reason, transaction: '', network }
      const transaction = `theirs-${payment.paymentKey}`
      chain.send(payment, transaction, chain.fates.get(payment.paymentKey))
      return { success: true, payer: payment.payer, transaction, network }
    },
  })
  const faults = {
    /** Answers instead of the facilitator, or after it: `settle` is done, but nobody hears how it went. */
    instead: undefined as { path: string; status: number; body: string } | undefined,
    cutsAfter: undefined as string | undefined,
    /** Settles, and then says that it did not, for this reason. */
    denies: undefined as string | undefined,
    isHanging: false,
  }
  const server = createServer(async (request, response) => {
    const path = request.url?.slice(1) ?? ''
    let text = ''
    for await (const chunk of request) text += chunk
    if (faults.instead?.path === path) return response.writeHead(faults.instead.status).end(faults.instead.body)
    if (faults.isHanging) return undefined
    const { paymentPayload, paymentRequirements } = text ? JSON.parse(text) : {}
    const answer =
      path === 'supported'
        ? facilitator.getSupported()
        : await facilitator[path as 'verify' | 'settle'](paymentPayload, paymentRequirements)
    if (faults.cutsAfter === path) return request.socket.destroy()
    if (faults.denies !== undefined && path === 'settle')
      return response.end(JSON.stringify({ success: false, errorReason: faults.denies, transaction: '', network }))
    return response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}`, faults }
}

const { url, faults } = await startFacilitator()

const blind: LocalParts = {
  network,
  shortName: 'base',
  requirements: (amount, extra) => ({ ...scripted.requirements(amount)!, extra }),
  read: (payload) => scripted.read(payload),
}
/** Sees the chain, whoever sent the transaction. */
const seeing: LocalParts = { ...blind, find: (payment) => scripted.look(payment, [], async () => {}).then(onlyIfMoved) }
const onlyIfMoved = (outcome: Awaited<ReturnType<typeof scripted.look>>) =>
  outcome.state === 'settled' ? outcome : ({ state: 'pending' } as const)

const startRemote = async (local: LocalParts = seeing, timeoutMs = 5_000) => {
  const rail = await createRemoteRail({ local, url, timeoutMs })
  await rail.prepare()
  return world.startProcess({ rails: [rail] })
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'credited',
    (error: unknown) => (error instanceof Failure ? error.code : String(error)),
  )

const paid = 7_500_000_000n

test('a facilitator of somebody else settles, with our terms and its own fee payer', async () => {
  for (const local of [seeing, blind]) {
    const payments = await startRemote(local)
    assert.deepEqual(payments.accepts(5_000_000_000n)[0]?.extra, { feePayer: 'theirs' })
    const { header, key, payer } = sign()
    const receipt = await payments.topUp(header)
    assert.deepEqual([receipt.transaction, receipt.balanceUsdNanos], [`theirs-${key}`, paid])
    assert.deepEqual(await payments.topUp(header), { ...receipt, isReplay: true })
    assert.equal(await balanceOf(payer), paid)
  }
})

test('a facilitator that denies what it has settled is not believed', async () => {
  const payments = await startRemote()
  const { header, key, payer } = sign()
  faults.denies = 'invalid_payload'
  const receipt = await payments.topUp(header)
  faults.denies = undefined
  assert.equal(receipt.transaction, `theirs-${key}`)
  assert.equal(await balanceOf(payer), paid)
})

test('nothing can be paid before the facilitator has said how, or where it does not settle', async () => {
  const rail = await createRemoteRail({ local: seeing, url })
  const payments = world.startProcess({ rails: [rail] })
  assert.deepEqual(payments.accepts(5_000_000_000n), [])
  assert.equal(await codeOf(payments.topUp(sign().header)), 'SERVICE_UNAVAILABLE')
  assert.deepEqual(await payments.feeWallets(), [])
  const elsewhere = await createRemoteRail({ local: { ...seeing, network: 'eip155:1' }, url })
  await assert.rejects(elsewhere.prepare(), /does not settle 'exact' on eip155:1/)
})

test('what it refuses is refused in its own words, and nothing is settled', async () => {
  const payments = await startRemote()
  const { header, payer, key } = sign()
  chain.fill(payer, 0n)
  const failure = await payments.topUp(header).catch((error: unknown) => error)
  assert.ok(failure instanceof Failure)
  assert.match(failure.message, /the facilitator says insufficient_funds/)
  assert.equal((await rowsOf(key))[0]?.tx_hash, null)
  const status = {
    path: 'verify',
    status: 400,
    body: '{"isValid":false,"invalidReason":"invalid_exact_evm_signature"}',
  }
  faults.instead = status
  assert.equal(await codeOf(payments.topUp(sign().header)), 'PAYMENT_VERIFICATION_FAILED')
  faults.instead = undefined
})

test('a settlement whose answer is lost is found on the chain, and credited once', async () => {
  const payments = await startRemote()
  const { header, payer, key } = sign()
  faults.cutsAfter = 'settle'
  const failure = await payments.topUp(header).catch((error: unknown) => error)
  faults.cutsAfter = undefined
  assert.ok(failure instanceof Failure && failure.code === 'SETTLEMENT_PENDING')
  // Nobody outside sees the placeholder.
  assert.deepEqual((failure.body as { details: object }).details, {
    reason: 'settlement_pending',
    transaction: '',
    network,
  })
  assert.deepEqual(await balanceOf(payer), undefined)
  const [unfinished] = await findUnfinished(sql, { nowMs: clock.nowMs(), olderThanMs: 0 })
  assert.equal(unfinished?.transaction, null)
  clock.advance(2_000)
  await payments.reconcile()
  assert.deepEqual([await balanceOf(payer), (await rowsOf(key))[0]?.tx_hash], [paid, `theirs-${key}`])
})

test('a settlement that never reached it is asked for again', async () => {
  const payments = await startRemote()
  const { header, payer } = sign()
  faults.instead = { path: 'settle', status: 502, body: 'Bad gateway' }
  assert.equal(await codeOf(payments.topUp(header)), 'SETTLEMENT_PENDING')
  clock.advance(2_000)
  await payments.reconcile()
  assert.equal(await balanceOf(payer), undefined)
  faults.instead = undefined
  clock.advance(60_000)
  await payments.reconcile()
  assert.equal(await balanceOf(payer), paid)
})

test('a facilitator that hangs leaves the payment pending', async () => {
  const { header, payer } = sign()
  const rail = await createRemoteRail({ local: seeing, url, timeoutMs: 50 })
  await rail.prepare()
  const payments = world.startProcess({
    rails: [{ ...rail, verify: async () => ({ isGood: true }) }],
  })
  faults.isHanging = true
  assert.equal(await codeOf(payments.topUp(header)), 'SETTLEMENT_PENDING')
  faults.isHanging = false
  clock.advance(2_000)
  assert.equal(await codeOf((await startRemote()).topUp(header)), 'credited')
  assert.equal(await balanceOf(payer), paid)
})

test('success that the chain does not confirm, or for another network, credits nothing', async () => {
  const payments = await startRemote()
  const lies = [
    { success: true, transaction: 'a lie', network },
    { success: true, transaction: '', network },
    { success: true, transaction: 'elsewhere', network: 'eip155:1' },
    { success: true },
    { success: 'yes', transaction: 1 },
  ]
  for (const lie of lies) {
    const { header, payer } = sign()
    faults.instead = { path: 'settle', status: 200, body: JSON.stringify(lie) }
    assert.equal(await codeOf(payments.topUp(header)), 'SETTLEMENT_PENDING')
    clock.advance(60_000)
    await payments.reconcile()
    assert.equal(await balanceOf(payer), undefined)
    faults.instead = undefined
    clock.advance(60_000)
    await payments.reconcile()
    assert.equal(await balanceOf(payer), paid)
  }
})

test('refused while settling is final only when it was surely not sent', async () => {
  const payments = await startRemote()
  const replies = [
    [
      { success: false, errorReason: 'invalid_exact_evm_signature', transaction: '', network },
      'PAYMENT_VERIFICATION_FAILED',
    ],
    [
      { success: false, errorReason: 'invalid_exact_evm_nonce_already_used', transaction: '', network },
      'SETTLEMENT_PENDING',
    ],
    [{ success: false, errorReason: 'invalid_transaction_state', transaction: '0x1', network }, 'SETTLEMENT_PENDING'],
    [{ success: false, errorReason: 'settlement_pending', transaction: '0x2', network }, 'SETTLEMENT_PENDING'],
    [{ success: false, errorReason: 'unexpected_settle_error', transaction: '', network }, 'SETTLEMENT_PENDING'],
  ] as const
  for (const [reply, code] of replies)
    for (const status of [200, 400]) {
      faults.instead = { path: 'settle', status, body: JSON.stringify(reply) }
      assert.equal(await codeOf(payments.topUp(sign().header)), code, reply.errorReason)
    }
  faults.instead = undefined
})

test('without a view of the chain an unknown outcome stays open until the facilitator says more', async () => {
  const payments = await startRemote(blind)
  const { header, payer, key } = sign()
  faults.cutsAfter = 'settle'
  assert.equal(await codeOf(payments.topUp(header)), 'SETTLEMENT_PENDING')
  faults.cutsAfter = undefined
  clock.advance(60_000)
  // It says that the nonce is used, which may be by this payment or another one.
  await payments.reconcile()
  assert.deepEqual([await balanceOf(payer), (await rowsOf(key))[0]?.state], [undefined, 'broadcast'])
})

test('the books are in order after all of this', () => assertBooks(sql, clock.nowMs()))
