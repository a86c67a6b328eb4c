import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createWalletClient, encodeFunctionData, type Hex, http, parseAbi, parseEther, parseTransaction } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { signAuthorization, signCancellation, startEvmPayments } from '../../../test/chains/evm-payments.js'
import { createTestClock } from '../../../test/service.js'
import type { SignedPayment } from '../rail.js'
import { payloadOf } from './read-payment.js'

const payments = await startEvmPayments({ after })
const { node, payTo, records, sql } = payments
/** Does not wait for the chain, as a process that ends right after sending. */
const hasty = await payments.rail({}, { waitMs: 0 })
const patient = await payments.rail()

const token = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)',
])
const somebody = privateKeyToAccount(generatePrivateKey())
await node.fund(somebody.address, parseEther('1'))
const theirs = createWalletClient({ account: somebody, chain: base, transport: http(node.url) })
const broadcast = ({ signature, authorization }: ReturnType<typeof payloadOf>): Promise<Hex> => {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const args = [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce, signature] as const
  return theirs.writeContract({ address: node.usdc, abi: token, functionName: 'transferWithAuthorization', args })
}
const refusesSends = { code: -32000, message: 'the pool is full' }
const unsent = async (payment: SignedPayment) => {
  node.faults.errors.set('eth_sendRawTransaction', refusesSends)
  assert.deepEqual(await payments.settle(hasty, payment), { state: 'pending' })
  node.faults.errors.clear()
}
const received = async (work: () => Promise<unknown>) => {
  const before = await node.balanceOf(payTo)
  await work()
  return (await node.balanceOf(payTo)) - before
}

test('what was written down and never sent is sent by whoever looks next', async () => {
  const payment = await payments.signed(hasty, await payments.payer())
  await unsent(payment)
  const another = await payments.rail()
  assert.deepEqual(await payments.look(another, payment), { state: 'pending' })
  const [attempt] = await records.attemptsOf(payment)
  assert.deepEqual(await payments.look(another, payment), { state: 'settled', transaction: attempt?.transaction })
  assert.equal((await records.attemptsOf(payment)).length, 1)
})

test('what the node took and forgot is sent again', async () => {
  const payment = await payments.signed(hasty, await payments.payer())
  node.faults.dropSends = true
  assert.deepEqual(await payments.settle(hasty, payment), { state: 'pending' })
  assert.deepEqual(await payments.look(patient, payment), { state: 'pending' })
  node.faults.dropSends = false
  assert.equal(await received(() => payments.look(patient, payment)), 5_000_000n)
  assert.equal((await payments.look(patient, payment)).state, 'settled')
})

test('later payments do not wait for one that was never sent', async () => {
  const first = await payments.signed(hasty, await payments.payer())
  await unsent(first)
  const second = await payments.signed(hasty, await payments.payer())
  const before = await node.balanceOf(payTo)
  assert.equal((await payments.settle(patient, second)).state, 'settled')
  assert.equal((await node.balanceOf(payTo)) - before, 10_000_000n)
  assert.equal((await payments.look(patient, first)).state, 'settled')
})

test('nor for one that was given up, or of which nothing is known: their nonces are filled, and move no money', async () => {
  const first = await payments.signed(hasty, await payments.payer())
  await unsent(first)
  await records.giveUp(first)
  await sql`update fee_wallet set next_nonce = next_nonce + 1`
  const second = await payments.signed(hasty, await payments.payer())
  const before = await node.balanceOf(payTo)
  assert.equal((await payments.settle(patient, second)).state, 'settled')
  assert.equal((await node.balanceOf(payTo)) - before, 5_000_000n)
})

test('a payment that waits for the fee wallet of before costs the new one nothing', async () => {
  const payment = await payments.signed(hasty, await payments.payer())
  await unsent(payment)
  await sql`update x402_payment set state = 'credited' where payment_key <> ${payment.paymentKey}`
  const feeWalletKey = generatePrivateKey()
  const { address } = privateKeyToAccount(feeWalletKey)
  await node.fund(address, parseEther('1'))
  const another = await payments.rail({ feeWalletKey })
  assert.deepEqual(await payments.look(another, payment), { state: 'pending' })
  assert.equal(Number(await node.request<Hex>('eth_getTransactionCount', address, 'latest')), 0)
  assert.equal((await payments.look(another, payment)).state, 'settled')
})

test('a nonce that went to something else does not hold a payment up', async () => {
  const payment = await payments.signed(hasty, await payments.payer())
  await unsent(payment)
  const feeClient = createWalletClient({ account: payments.feeWallet, chain: base, transport: http(node.url) })
  await feeClient.sendTransaction({ to: somebody.address, value: 1n })
  assert.equal((await payments.look(patient, payment)).state, 'settled')
  const [lost, used] = await records.attemptsOf(payment)
  assert.equal(used!.feeNonce, lost!.feeNonce! + 1n)
})

test('a payment that waits to be mined is pending, and settled once it is deep enough', async () => {
  const careful = await payments.rail({ confirmations: 3 }, { waitMs: 0 })
  const payment = await payments.signed(careful, await payments.payer())
  await node.setAutomine(false)
  assert.deepEqual(await payments.settle(careful, payment), { state: 'pending' })
  assert.deepEqual(await payments.look(careful, payment), { state: 'pending' })
  await node.setAutomine(true)
  await node.mine()
  assert.deepEqual(await payments.look(careful, payment), { state: 'pending' })
  await node.mine()
  assert.deepEqual(await payments.look(careful, payment), { state: 'pending' })
  await node.mine()
  assert.equal((await payments.look(careful, payment)).state, 'settled')
  assert.equal((await records.attemptsOf(payment)).length, 1)
})

test('what the payer sends is found, however long ago and whatever the node allows to be searched', async () => {
  const payment = await payments.signed(patient, await payments.payer())
  const transaction = await broadcast(payloadOf(payment))
  await node.mine(300)
  node.faults.logBlocksMax = 60
  const verdict = await patient.verify(payment)
  assert.equal(verdict.isGood === false && verdict.reason, 'invalid_exact_evm_nonce_already_used')
  assert.deepEqual(await payments.look(patient, payment), { state: 'settled', transaction })
  assert.deepEqual(await payments.settle(patient, payment), { state: 'settled', transaction })
  assert.deepEqual(await records.attemptsOf(payment), [])
  node.faults.logBlocksMax = 10_000
})

test('when the payer is faster than our own transaction, that of the payer counts', async () => {
  const payment = await payments.signed(hasty, await payments.payer())
  await unsent(payment)
  const transaction = await broadcast(payloadOf(payment))
  assert.deepEqual(await payments.look(patient, payment), { state: 'settled', transaction })
})

test('an authorization that was cancelled, or used for another transfer, has paid nothing', async () => {
  const payer = await payments.payer()
  const cancelled = await payments.signed(hasty, payer)
  const { nonce } = payloadOf(cancelled).authorization
  const signature = await signCancellation(payer, nonce)
  const args = [payer.address, nonce, signature] as const
  await theirs.writeContract({ address: node.usdc, abi: token, functionName: 'cancelAuthorization', args })
  const outcome = await payments.look(patient, cancelled)
  assert.equal(outcome.state === 'failed' && outcome.says, 'the payer has cancelled the authorization')

  const redirected = await payments.signed(hasty, payer)
  const same = { from: payer.address, value: 5_000_000n, nonce: payloadOf(redirected).authorization.nonce }
  await broadcast((await signAuthorization(payer, { ...same, to: somebody.address })) as ReturnType<typeof payloadOf>)
  assert.equal((await payments.look(patient, redirected)).state, 'failed')
})

test('a transfer of the same amount in the same transaction does not stand for one that was redirected', async () => {
  const payer = await payments.payer()
  const payment = await payments.signed(hasty, payer)
  const { nonce } = payloadOf(payment).authorization
  const base = { from: payer.address, value: payment.amount }
  const signed = await Promise.all([
    signAuthorization(payer, { ...base, to: somebody.address, nonce }),
    signAuthorization(payer, { ...base, to: payTo }),
  ])
  const calls = signed.map(({ signature, authorization: { from, to, validAfter, validBefore, ...rest } }) => {
    const args = [from, to, base.value, BigInt(validAfter), BigInt(validBefore), rest.nonce, signature] as const
    return {
      target: node.usdc,
      callData: encodeFunctionData({ abi: token, functionName: 'transferWithAuthorization', args }),
    }
  })
  const both = await received(() =>
    theirs.writeContract({
      address: '0xcA11bde05977b3631167028862bE2a173976CA11',
      abi: parseAbi(['function aggregate((address target, bytes callData)[] calls) returns (uint256, bytes[])']),
      functionName: 'aggregate',
      args: [calls],
    }),
  )
  assert.equal(both, payment.amount)
  assert.equal((await payments.look(patient, payment)).state, 'failed')
})

/** The payer has spent the money elsewhere by the time the transaction is mined. */
const reverted = async (payer: PrivateKeyAccount) => {
  const payment = await payments.signed(hasty, payer)
  await node.setAutomine(false)
  assert.deepEqual(await payments.settle(hasty, payment), { state: 'pending' })
  await node.mint(payer.address, -5_000_000n)
  await node.setAutomine(true)
  await node.mine()
  return payment
}

test('what the chain reverted is not sent again, and is not over before it has expired', async () => {
  const payment = await reverted(await payments.payer(5_000_000n))
  assert.deepEqual(await payments.look(patient, payment), { state: 'pending' })
  assert.equal((await records.attemptsOf(payment)).length, 1)
})

test('money that comes by the same authorization after our transaction was reverted is found', async () => {
  const payer = await payments.payer(5_000_000n)
  const payment = await reverted(payer)
  assert.deepEqual(await payments.look(patient, payment), { state: 'pending' })
  await node.mint(payer.address, 5_000_000n)
  const transaction = await broadcast(payloadOf(payment))
  assert.deepEqual(await payments.look(patient, payment), { state: 'settled', transaction })
})

test('a transaction that pays too little is outbid under its own nonce, but never above the limit', async () => {
  const clock = createTestClock()
  const rail = await payments.rail({ maxFeeGwei: '6' }, { waitMs: 0, clock })
  const payment = await payments.signed(rail, await payments.payer())
  await node.setAutomine(false)
  const setBaseFee = (gwei: bigint) =>
    node.request('hardhat_setNextBlockBaseFeePerGas', `0x${(gwei * 10n ** 9n).toString(16)}`)
  assert.deepEqual(await payments.settle(rail, payment), { state: 'pending' })
  await setBaseFee(3n)
  await node.mine()
  assert.deepEqual(await payments.look(rail, payment), { state: 'pending' })
  assert.equal((await records.attemptsOf(payment)).length, 1)
  clock.advance(60_000)
  assert.deepEqual(await payments.look(rail, payment), { state: 'pending' })
  const [cheap, dear, ...more] = await records.attemptsOf(payment)
  assert.deepEqual([dear!.feeNonce, more.length], [cheap!.feeNonce, 0])
  assert.ok(parseTransaction(dear!.raw as Hex).maxFeePerGas! <= 6n * 10n ** 9n)

  await payments.look(rail, payment)
  clock.advance(60_000)
  assert.deepEqual(await payments.look(rail, payment), { state: 'pending' })
  assert.equal((await records.attemptsOf(payment)).length, 2)
  await setBaseFee(3n)
  await node.mine()
  assert.deepEqual(await payments.look(rail, payment), { state: 'settled', transaction: dear!.transaction })
  await setBaseFee(0n)
  await node.mine()
  await node.setAutomine(true)
})

test('a node that does not answer decides nothing', async () => {
  const payment = await payments.signed(hasty, await payments.payer())
  await unsent(payment)
  node.faults.isDown = true
  await assert.rejects(payments.look(patient, payment))
  node.faults.isDown = false
  await payments.look(patient, payment)
  assert.equal((await payments.look(patient, payment)).state, 'settled')
})

test('what the chain no longer takes has failed, by the time of the chain', async () => {
  const notAgain = await reverted(await payments.payer(5_000_000n))
  const payment = await payments.signed(hasty, await payments.payer())
  node.faults.dropSends = true
  await payments.settle(hasty, payment)
  assert.deepEqual(await payments.look(patient, payment), { state: 'pending' })
  node.faults.dropSends = false
  await node.passTime(301)
  for (const expired of [payment, notAgain]) {
    const outcome = await payments.look(patient, expired)
    assert.equal(outcome.state === 'failed' && outcome.reason, 'invalid_exact_evm_payload_authorization_valid_before')
  }
})
