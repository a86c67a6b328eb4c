import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callJsonRpc } from '#plumbing/json-rpc.js'
import { openSolanaShop } from '../../../test/chains/svm-shop.js'
import type { Attempt } from '../rail.js'

test('a payment that was settled is found by whoever asks later, and moves money once', async (t) => {
  const { node, rail, openRail, attempts, record, sign, sends, received } = await openSolanaShop(t)
  const payment = await sign()
  const settled = await rail.settle(payment, record)
  const fresh = await openRail()
  assert.deepEqual(await fresh.look(payment, attempts, record), settled)
  assert.deepEqual(await fresh.look(payment, [], record), settled, 'even when the attempt was not written down')
  const verdict = await fresh.verify(payment)
  assert.deepEqual(verdict, {
    isGood: false,
    reason: 'invalid_exact_svm_transaction_simulation_failed',
    says: 'it was settled before',
  })
  assert.deepEqual(await fresh.settle(payment, record), settled, 'money has moved, so it has not failed')
  node.faults.hideStatuses = true
  assert.deepEqual(await fresh.settle(payment, record), { state: 'pending' })
  node.faults.hideStatuses = false
  node.expireBlockhash()
  assert.deepEqual(await fresh.settle(payment, record), settled)
  assert.deepEqual([sends(), attempts.length, await received()], [1, 1, 5_000_000n])
})

test('what cannot be written down is not sent', async (t) => {
  const { rail, sign, sends, received } = await openSolanaShop(t)
  const broken = () => Promise.reject(new Error('the database is away'))
  await assert.rejects(rail.settle(await sign(), broken), /the database is away/)
  assert.deepEqual([sends(), await received()], [0, 0n])
})

test('a process that dies after writing down and before sending leaves a payment that the next one completes', async (t) => {
  const { rail, openRail, attempts, record, sign, sends, received } = await openSolanaShop(t)
  const payment = await sign()
  const die = async (attempt: Attempt) => {
    await record(attempt)
    throw new Error('killed')
  }
  await assert.rejects(rail.settle(payment, die), /killed/)
  assert.equal(sends(), 0)
  const next = await openRail()
  assert.deepEqual(await next.look(payment, attempts, record), { state: 'pending' })
  assert.deepEqual(await next.look(payment, attempts, record), {
    state: 'settled',
    transaction: attempts[0]?.transaction,
  })
  assert.deepEqual([sends(), attempts.length, await received()], [1, 1, 5_000_000n])
})

test('a transaction that got lost is sent again', async (t) => {
  const { node, rail, attempts, record, sign, received } = await openSolanaShop(t)
  const payment = await sign()
  node.faults.dropSends = true
  assert.deepEqual(await rail.settle(payment, record), { state: 'pending' })
  assert.deepEqual(await rail.look(payment, attempts, record), { state: 'pending' })
  assert.equal(await received(), 0n)
  node.faults.dropSends = false
  assert.deepEqual(await rail.look(payment, attempts, record), { state: 'pending' })
  assert.equal((await rail.look(payment, attempts, record)).state, 'settled')
  assert.equal(await received(), 5_000_000n)
})

test('a node that cuts us off while we send does not make us think that nothing was sent', async (t) => {
  const { node, rail, record, sign, received } = await openSolanaShop(t)
  node.faults.cutSends = true
  assert.equal((await rail.settle(await sign(), record)).state, 'settled')
  assert.equal(await received(), 5_000_000n)
})

test('a node that hides what it knows leaves a payment pending, not failed', async (t) => {
  const { node, rail, attempts, record, sign, received } = await openSolanaShop(t)
  const payment = await sign()
  node.faults.hideStatuses = true
  assert.deepEqual(await rail.settle(payment, record), { state: 'pending' })
  assert.deepEqual(await rail.look(payment, attempts, record), { state: 'pending' })
  node.faults.hideStatuses = false
  assert.equal((await rail.look(payment, attempts, record)).state, 'settled')
  assert.equal(await received(), 5_000_000n)
})

test('a payment fails by age only when its blockhash is gone for good, everywhere and for a while', async (t) => {
  const { node, rail, clock, attempts, record, sign, received } = await openSolanaShop(t)
  const payment = await sign()
  const look = () => rail.look(payment, attempts, record)
  node.faults.dropSends = true
  assert.deepEqual(await rail.settle(payment, record), { state: 'pending' })

  // A node that is behind has not heard of it; when it has caught up, all waiting begins anew.
  node.faults.knowsNoBlockhash = true
  assert.deepEqual(await look(), { state: 'pending' })
  clock.advance(59_000)
  node.faults.knowsNoBlockhash = false
  assert.deepEqual(await look(), { state: 'pending' })

  // Too old at the head, while a block that is not final yet may have it.
  node.faults.isFinalityBehind = true
  node.expireBlockhash()
  clock.advance(120_000)
  assert.deepEqual(await look(), { state: 'pending' })
  clock.advance(120_000)
  assert.deepEqual(await look(), { state: 'pending' })

  node.faults.isFinalityBehind = false
  assert.deepEqual(await look(), { state: 'pending' })
  clock.advance(59_000)
  assert.deepEqual(await look(), { state: 'pending' })
  clock.advance(1_000)
  assert.deepEqual(await look(), {
    state: 'failed',
    reason: 'settle_exact_svm_block_height_exceeded',
    says: 'it expired before the chain took it; sign a new one',
  })
  assert.deepEqual([node.landed.size, await received()], [0, 0n])
})

test('a blockhash that only the newest blocks know is not gone', async (t) => {
  const { node, rail, clock, attempts, record, sign } = await openSolanaShop(t)
  node.expireBlockhash()
  const payment = await sign()
  node.faults.dropSends = true
  node.faults.isFinalityBehind = true
  assert.deepEqual(await rail.settle(payment, record), { state: 'pending' })
  for (let minute = 0; minute < 3; minute++) {
    clock.advance(60_000)
    assert.deepEqual(await rail.look(payment, attempts, record), { state: 'pending' })
  }
})

test('a transfer counts as soon as the chain is as sure as the operator wants', async (t) => {
  const { node, rail, openRail, attempts, record, sign } = await openSolanaShop(t)
  const careful = await openRail({ confirmation: 'finalized' })
  const payment = await sign()
  node.faults.confirmation = 'processed'
  assert.deepEqual(await rail.settle(payment, record), { state: 'pending' })
  node.faults.confirmation = 'confirmed'
  assert.equal((await rail.look(payment, attempts, record)).state, 'settled')
  assert.deepEqual(await careful.look(payment, attempts, record), { state: 'pending' })
  node.faults.confirmation = 'finalized'
  assert.equal((await careful.look(payment, attempts, record)).state, 'settled')
})

test('a transfer that fails on the chain has failed once that is final', async (t) => {
  const { node, rail, attempts, record, sign, received } = await openSolanaShop(t)
  const [first, second] = [await sign(15_000_000n), await sign(15_000_000n)]
  assert.deepEqual(await rail.verify(second), { isGood: true })
  // The money goes elsewhere between the check and the sending.
  const outcome = await rail.settle(second, async (attempt) => {
    await record(attempt)
    assert.equal((await rail.settle(first, async () => {})).state, 'settled')
  })
  assert.deepEqual(outcome, { state: 'pending' })
  await callJsonRpc(node.url, 'sendTransaction', [attempts[0]?.raw, { encoding: 'base64', skipPreflight: true }])
  node.faults.confirmation = 'confirmed'
  assert.deepEqual(await rail.look(second, attempts, record), { state: 'pending' })
  node.faults.confirmation = 'finalized'
  assert.deepEqual(await rail.look(second, attempts, record), {
    state: 'failed',
    reason: 'invalid_exact_svm_transaction_failed',
    says: 'the payer does not have enough USDC',
  })
  assert.equal(await received(), 15_000_000n)
})

test('nonsense about a transaction is never taken for its absence', async (t) => {
  const { node, rail, clock, attempts, record, sign } = await openSolanaShop(t)
  const payment = await sign()
  node.faults.dropSends = true
  await rail.settle(payment, record)
  const answer = (value: unknown) => JSON.stringify({ jsonrpc: '2.0', id: 1, result: { value } })
  const nonsense: [string, unknown][] = [
    ['getSignatureStatuses', []],
    ['getSignatureStatuses', null],
    ['getSignatureStatuses', [{}]],
    ['getSignatureStatuses', [{ err: null, confirmationStatus: 'perhaps' }]],
    ['isBlockhashValid', null],
    ['isBlockhashValid', 0],
    ['isBlockhashValid', {}],
  ]
  for (const [method, value] of nonsense) {
    node.faults.answersByMethod.set(method, answer(value))
    clock.advance(120_000)
    await assert.rejects(rail.look(payment, attempts, record), /answered \w+ with something else/)
    node.faults.answersByMethod.clear()
  }
})
