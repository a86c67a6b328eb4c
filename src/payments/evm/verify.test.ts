import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { signAuthorization, signPayment, startEvmPayments } from '../../../test/chains/evm-payments.js'

const payments = await startEvmPayments({ after })
const { node, payTo, sql } = payments
const rail = await payments.rail()
const nowSeconds = () => BigInt(Math.floor(Date.now() / 1000))

const reasonOf = async (payload: object): Promise<string> => {
  const verdict = await rail.verify(rail.read(payload))
  if (verdict.isGood) return 'none'
  assert.notEqual(verdict.says, '')
  return verdict.reason
}
const nothingWasSent = async () => {
  assert.equal(node.calls.includes('eth_sendRawTransaction'), false)
  assert.deepEqual(await sql`select * from x402_broadcast`, [])
}

// First, while the library remembers nothing of the token: it asks without waiting for the answer.
test('trouble with the node is never held against the payment', async () => {
  const payer = await payments.payer()
  const payment = await payments.signed(rail, payer)
  const wallet = privateKeyToAccount(generatePrivateKey()).address
  await node.installWallet(wallet, payer.address)
  await node.mint(wallet, 5n)
  const ofWallet = rail.read(await signAuthorization(payer, { from: wallet, to: payTo, value: 5n }))
  const { faults } = node
  const decidesNothing = async () => {
    await assert.rejects(rail.verify(payment))
    await assert.rejects(rail.verify(ofWallet))
  }
  faults.isDown = true
  await decidesNothing()
  await assert.rejects(payments.settle(rail, payment))
  faults.isDown = false
  faults.isNonsense = true
  await decidesNothing()
  await assert.rejects(payments.settle(rail, payment))
  faults.isNonsense = false
  for (const method of ['eth_call', 'eth_getCode']) {
    faults.cutAnswersTo.add(method)
    await decidesNothing()
    faults.cutAnswersTo.clear()
    faults.errors.set(method, { code: -32603, message: 'header not found' })
    await decidesNothing()
    faults.errors.clear()
  }
  for (const method of ['eth_getCode', 'eth_estimateGas', 'eth_getTransactionCount', 'eth_getBlockByNumber']) {
    faults.errors.set(method, { code: -32005, message: 'too many requests' })
    await assert.rejects(payments.settle(rail, payment))
    faults.errors.clear()
  }
  assert.deepEqual(await rail.verify(payment), { isGood: true })
  assert.deepEqual(await rail.verify(ofWallet), { isGood: true })
  await nothingWasSent()
})

test('payers are offered the token under the names of its own domain', () => {
  assert.deepEqual(rail.requirements(5_000_000n), {
    scheme: 'exact',
    network: 'eip155:8453',
    amount: '5000000',
    asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    payTo,
    maxTimeoutSeconds: 300,
    extra: { name: 'USD Coin', version: '2' },
  })
  assert.deepEqual([rail.network, rail.shortName], ['eip155:8453', 'base'])
})

test('any amount that was signed is good, and what is no good is told apart', async () => {
  const payer = await payments.payer(20_000_000n)
  const { address: from } = payer
  const signed = await signPayment(payer, rail.requirements(12_340_000n)!)
  assert.equal(await reasonOf(signed), 'none')

  const tampered = { ...signed, authorization: { ...signed.authorization, value: '12340001' } }
  assert.equal(await reasonOf(tampered), 'invalid_exact_evm_signature')
  const otherChain = await signPayment(payer, { ...rail.requirements(1n), network: 'eip155:1' })
  assert.equal(await reasonOf(otherChain), 'invalid_exact_evm_signature')
  const otherName = await signPayment(payer, { ...rail.requirements(1n), extra: { name: 'USDC', version: '2' } })
  assert.equal(await reasonOf(otherName), 'invalid_exact_evm_signature')
  const stranger = await signAuthorization(await payments.payer(), { from, to: payTo, value: 1n })
  assert.equal(await reasonOf(stranger), 'invalid_exact_evm_signature')

  const tooMuch = await signPayment(payer, rail.requirements(20_000_001n)!)
  assert.equal(await reasonOf(tooMuch), 'invalid_exact_evm_insufficient_balance')
  const poor = privateKeyToAccount(generatePrivateKey())
  assert.equal(
    await reasonOf(await signPayment(poor, rail.requirements(1n)!)),
    'invalid_exact_evm_insufficient_balance',
  )

  const early = await signAuthorization(payer, { from, to: payTo, value: 1n, validAfter: nowSeconds() + 100n })
  assert.equal(await reasonOf(early), 'invalid_exact_evm_payload_authorization_valid_after')
  const late = await signAuthorization(payer, { from, to: payTo, value: 1n, validBefore: nowSeconds() + 2n })
  assert.equal(await reasonOf(late), 'invalid_exact_evm_payload_authorization_valid_before')
  assert.equal(await reasonOf({ ...signed, signature: '0x1234' }), 'invalid_exact_evm_signature')
  await nothingWasSent()
})

test('a contract that signs nothing, burns its gas or answers nonsense is refused, and is no trouble of the chain', async () => {
  const owner = await payments.payer()
  // Reverts; never ends; answers one byte.
  for (const code of ['0x5f5ffd', '0x5b5f56', '0x60ff5f5360015ff3']) {
    const from = privateKeyToAccount(generatePrivateKey()).address
    await node.request('hardhat_setCode', from, code)
    const payload = await signAuthorization(owner, { from, to: payTo, value: 1n })
    assert.equal(await reasonOf(payload), 'invalid_exact_evm_signature')
  }
})

test('an error of the node tells neither its address nor what was signed', async () => {
  const payment = await payments.signed(rail, await payments.payer())
  node.faults.isDown = true
  const error = await rail.verify(payment).catch((error: Error) => error)
  node.faults.isDown = false
  const text = `${(error as Error).stack}${(error as Error).cause}`
  assert.equal(text.includes(node.url) || text.includes(String(payment.payload.signature)), false)
})

test('a node of another chain, or a token that is not there, is told to the operator', async () => {
  await rail.prepare()
  await assert.rejects((await payments.rail({ chainId: 1 })).prepare(), /another chain: 8453/)
  await assert.rejects((await payments.rail({ asset: payTo })).prepare(), /no token at/)
  const secret = `0x${'zz'.repeat(32)}`
  const error = await payments.rail({ feeWalletKey: secret }).catch(String)
  assert.match(error as string, /no private key/)
  assert.equal((error as string).includes('zz'), false)
})

test('the fee wallet is called low when it is', async () => {
  const { address } = payments.feeWallet
  assert.deepEqual(await rail.feeWallet(), { address, balance: '1', unit: 'ETH', isLow: false })
  await node.fund(address, 9_999_999_999_999_999n)
  assert.deepEqual(await rail.feeWallet(), { address, balance: '0.009999999999999999', unit: 'ETH', isLow: true })
})
