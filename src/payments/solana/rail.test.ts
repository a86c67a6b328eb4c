import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OperatorError } from '#plumbing/operator-error.js'
import { createPayer, createSolanaKey, instructions } from '../../../test/chains/svm-payments.js'
import { openSolanaShop, startLamports } from '../../../test/chains/svm-shop.js'
import type { Attempt, SignedPayment } from '../rail.js'
import { createSolanaRail } from './rail.js'
import type { SolanaSettings } from './settings.js'

test('what the official client signs is read, verified and settled, and the fee wallet pays the fee', async (t) => {
  const { node, rail, payer, feeKey, attempts, sign, sends, received } = await openSolanaShop(t)
  const payment = await sign(12_340_000n)
  assert.deepEqual([payment.payer, payment.amount, payment.validUntilMs], [payer.address, 12_340_000n, null])
  assert.deepEqual(await rail.verify(payment), { isGood: true })
  assert.equal(sends(), 0)
  const outcome = await rail.settle(payment, async (attempt) => {
    assert.equal(sends(), 0, 'nothing is sent before it is written down')
    attempts.push(attempt)
  })
  assert.deepEqual(outcome, { state: 'settled', transaction: attempts[0]?.transaction })
  assert.deepEqual([...node.landed.keys()], [attempts[0]?.transaction])
  assert.equal(await received(), 12_340_000n)
  assert.equal(await node.tokenBalance(payer.address), 20_000_000n - 12_340_000n)
  assert.equal(node.lamports(feeKey.address), startLamports - 10_001n)
})

test('five payments at once are five transfers', async (t) => {
  const { node, rail, openRail, record, payer, sign, received } = await openSolanaShop(t)
  await node.mintTo(payer.address, 10_000_000n)
  const rails = [rail, await openRail()]
  const payments = await Promise.all([1, 2, 3, 4, 5].map((dollars) => sign(BigInt(dollars) * 1_000_000n)))
  const outcomes = await Promise.all(
    payments.map((payment, index) => (rails[index % 2] ?? rail).settle(payment, record)),
  )
  assert.deepEqual(new Set(outcomes.map(({ state }) => state)), new Set(['settled']))
  assert.equal(await received(), 15_000_000n)
})

test('what the chain would refuse is refused with a reason for a person, and costs nothing', async (t) => {
  const { node, rail, payer, feeKey, settings, record, attempts, sign, craftPayment } = await openSolanaShop(t)
  const refused = async (payment: SignedPayment, reason: string, says: RegExp) => {
    const verdict = await rail.verify(payment)
    assert.ok(!verdict.isGood)
    assert.equal(verdict.reason, `invalid_exact_svm_${reason}`)
    assert.match(verdict.says, says)
    const outcome = await rail.settle(payment, record)
    assert.deepEqual(outcome, { state: 'failed', reason: verdict.reason, says: verdict.says })
  }
  const stranger = createSolanaKey().address
  const { systemTransfer, computeLimit, computePrice } = instructions

  await refused(await sign(20_000_001n), 'transaction_simulation_failed', /not have enough USDC/)
  const poor = await createPayer(node, 0n)
  const poorPayment = rail.read(await poor.pay(rail.requirements(1n)))
  await refused(poorPayment, 'transaction_simulation_failed', /not have enough USDC/)
  await refused(
    await craftPayment(({ limit, price, transfer }) => [
      limit,
      price,
      transfer,
      systemTransfer(payer.address, stranger, 1n),
    ]),
    'payload_unknown_fourth_instruction',
    /memos and assertions/,
  )
  await refused(
    await craftPayment(({ limit, transfer, memo }) => [limit, computePrice(500_001n), transfer, memo]),
    'payload_transaction_instructions_compute_price_instruction_too_high',
    /price of compute units is too high/,
  )
  await refused(
    await craftPayment(({ price, transfer }) => [computeLimit(100_001), price, transfer]),
    'payload_transaction_instructions_compute_limit_instruction_too_high',
    /limit of compute units is too high/,
  )
  await refused(
    await craftPayment(({ limit, memo, transfer }) => [limit, memo, transfer]),
    'payload_transaction_instructions_compute_price_instruction',
    /second instruction/,
  )
  const old = await sign()
  node.expireBlockhash()
  await refused(old, 'transaction_simulation_failed', /has expired; sign a new one/)

  assert.deepEqual([attempts.length, node.landed.size], [0, 0])
  assert.equal(node.lamports(feeKey.address), startLamports)
  assert.equal(await node.tokenBalance(settings.payTo), 0n)
})

test('trouble with the chain is no fault of the payment: it is thrown, and nothing is written down', async (t) => {
  const { node, rail, attempts, record, sign } = await openSolanaShop(t)
  const payment = await sign()
  const troubles: [string, () => void][] = [
    [
      'down',
      () => {
        node.faults.isDown = true
      },
    ],
    [
      'no JSON',
      () => {
        node.faults.answersWith = '<html>'
      },
    ],
    [
      'JSON of something else',
      () => {
        node.faults.answersWith = '{"jsonrpc":"2.0","id":1,"result":{"value":{}}}'
      },
    ],
    [
      'nothing',
      () => {
        node.faults.answersWith = 'null'
      },
    ],
    [
      'behind',
      () => {
        node.faults.answersWith = '{"error":{"code":-32005,"message":"Node is behind"}}'
      },
    ],
  ]
  const known: Attempt = { transaction: '1'.repeat(64), raw: '', feeNonce: null }
  for (const [name, begin] of troubles) {
    begin()
    await assert.rejects(rail.verify(payment), name)
    await assert.rejects(rail.settle(payment, record), name)
    await assert.rejects(rail.look(payment, [known], record), name)
    await assert.rejects(rail.feeWallet(), name)
    Object.assign(node.faults, { isDown: false, answersWith: undefined })
  }
  assert.deepEqual([attempts, node.landed.size], [[], 0])
  assert.deepEqual(await rail.verify(payment), { isGood: true })
})

test('an empty fee wallet is our trouble, not the fault of the payer', async (t) => {
  const { node, settings, rail, clock, sign } = await openSolanaShop(t)
  assert.deepEqual(await rail.feeWallet(), {
    address: rail.requirements(1n)?.extra.feePayer,
    balance: '0.1',
    unit: 'SOL',
    isLow: false,
  })
  const empty = createSolanaKey()
  const poorRail = await createSolanaRail({ ...settings, feeWalletKey: empty.secret }, { clock })
  await poorRail.prepare()
  assert.deepEqual(await poorRail.feeWallet(), { address: empty.address, balance: '0', unit: 'SOL', isLow: true })
  const payer = await createPayer(node)
  const payment = poorRail.read(await payer.pay(poorRail.requirements(5_000_000n)))
  await assert.rejects(poorRail.verify(payment), /fee wallet \w+ has too little SOL/)
  node.fund(empty.address, 1_000_000n)
  assert.deepEqual(await poorRail.verify(payment), { isGood: true })
  assert.deepEqual(await rail.verify(await sign()), { isGood: true })
})

test('nobody is asked to pay before the recipient can be paid; the missing token account is made', async (t) => {
  const { node, settings, clock } = await openSolanaShop(t)
  const feeKey = createSolanaKey()
  const change = { payTo: createSolanaKey().address, feeWalletKey: feeKey.secret }
  const rail = await createSolanaRail({ ...settings, ...change }, { clock })
  await assert.rejects(
    rail.prepare(),
    (error) => error instanceof OperatorError && /cannot be made/.test(error.message),
  )
  node.fund(feeKey.address, startLamports)
  const sameRecipient = await createSolanaRail({ ...settings, payTo: change.payTo }, { clock })
  await Promise.all([rail.prepare(), rail.prepare(), sameRecipient.prepare()])
  await rail.prepare()
  const payer = await createPayer(node)
  const payment = rail.read(await payer.pay(rail.requirements(5_000_000n)))
  assert.equal((await rail.settle(payment, async () => {})).state, 'settled')
  assert.equal(await node.tokenBalance(change.payTo), 5_000_000n)
})

test('a rail that cannot work says so to the operator, and never shows a key', async (t) => {
  const { node, settings, clock } = await openSolanaShop(t)
  const open = (change: Partial<SolanaSettings>) => createSolanaRail({ ...settings, ...change }, { clock })
  const isSaid = (pattern: RegExp) => (error: unknown) =>
    error instanceof OperatorError && pattern.test(error.message) && !error.message.includes(settings.feeWalletKey)
  await assert.rejects(open({ payTo: 'nobody' }), isSaid(/recipient of Solana is not an address/))
  await assert.rejects(open({ feeWalletKey: `${settings.feeWalletKey}1` }), isSaid(/not a base58 key of 64 bytes/))
  await assert.rejects(open({ feeWalletKey: 'secret!' }), isSaid(/not a base58 key of 64 bytes/))
  const devnet = await open({ network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1' })
  await assert.rejects(devnet.prepare(), isSaid(/belongs to solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/))
  const noToken = await open({ asset: createSolanaKey().address })
  await assert.rejects(noToken.prepare(), isSaid(/no token with 6 decimals/))
  const rail = await open({})
  node.faults.hasNoHistory = true
  await assert.rejects(rail.prepare(), isSaid(/does not look back at old transactions/))
  node.faults.isDown = true
  await assert.rejects(rail.prepare(), /HTTP 502/)
})
