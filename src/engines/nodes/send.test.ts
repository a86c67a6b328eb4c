import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { generateKeyPairSigner } from '@solana/kit'
import { type Hex, keccak256, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { type EvmNode, startEvmNode } from '../../../test/chains/evm-node.js'
import { startSvmNode } from '../../../test/chains/svm-node.js'
import { craft, instructions } from '../../../test/chains/svm-payments.js'
import { connect, startNetwork } from '../../../test/fakes/rpc-network.js'
import { FakeRpcError, type FakeRpcNode, startFakeRpcNode } from '../../../test/fakes/rpc-node.js'
import { hashOfSend } from './chain-nodes.js'
import { NodeError } from './node.js'

const sendMethod = 'eth_sendRawTransaction'
const lookMethod = 'eth_getTransactionByHash'
const troubleOf = (answer: unknown) => (answer instanceof NodeError ? answer.trouble : answer)
const times = (node: EvmNode, method: string) => node.calls.filter((called) => called === method).length

const createWallet = async (node: EvmNode) => {
  const account = privateKeyToAccount(generatePrivateKey())
  await node.fund(account.address, parseEther('1'))
  const sign = (nonce: number, maxPriorityFeePerGas = 1n) =>
    account.signTransaction({
      type: 'eip1559',
      chainId: node.chainId,
      to: node.usdc,
      nonce,
      gas: 60_000n,
      maxFeePerGas: 10n ** 9n,
      maxPriorityFeePerGas,
    })
  const sent = async () => Number(await node.request<Hex>('eth_getTransactionCount', account.address, 'pending'))
  return { sign, sent }
}

const openChain = async (t: TestContext) => {
  const node = await startEvmNode(t)
  return { node, ...(await createWallet(node)), ...connect(t, [{ url: node.url }], { timeoutMs: 5_000 }) }
}
const paramsOf = (raw: string) => JSON.stringify([raw])
const kind = { kind: 'send' } as const

test('a transaction is sent once, and its hash is known before', async (t) => {
  const { node, sign, sent, ask } = await openChain(t)
  const raw = await sign(0)
  const hash = hashOfSend('evm', sendMethod, paramsOf(raw))
  assert.deepEqual(await ask(sendMethod, paramsOf(raw), kind), { result: `"${hash}"` })
  assert.deepEqual([times(node, sendMethod), times(node, lookMethod), await sent()], [1, 0, 1])
})

test('a transaction that is known already is a success: while it waits, and when it is in a block', async (t) => {
  const { node, sign, sent, ask } = await openChain(t)
  const raw = await sign(0)
  const success = { result: `"${keccak256(raw)}"` }
  await node.setAutomine(false)
  await node.request(sendMethod, raw)
  assert.deepEqual(await ask(sendMethod, paramsOf(raw), kind), success)
  await node.mine()
  assert.deepEqual(await ask(sendMethod, paramsOf(raw), kind), success)
  assert.equal(await sent(), 1)
})

test('a nonce that another transaction has used stays an error', async (t) => {
  const { node, sign, ask } = await openChain(t)
  await node.request(sendMethod, await sign(0))
  const answer = await ask(sendMethod, paramsOf(await sign(0, 2n)), kind)
  assert.match('error' in answer ? answer.error : '', /nonce too low/i)
})

test('an answer that is lost after the transaction took effect is found out, and nothing is sent twice', async (t) => {
  const { node, sign, sent, ask } = await openChain(t)
  node.faults.cutAnswersTo.add(sendMethod)
  const raw = await sign(0)
  assert.deepEqual(await ask(sendMethod, paramsOf(raw), kind), { result: `"${keccak256(raw)}"` })
  assert.deepEqual([times(node, sendMethod), await sent()], [1, 1])
})

test('a transaction whose end nobody knows is told as such, and is not sent again', async (t) => {
  const { node, sign, sent, ask } = await openChain(t)
  Object.assign(node.faults, { dropSends: true })
  node.faults.cutAnswersTo.add(sendMethod)
  assert.equal(troubleOf(await ask(sendMethod, paramsOf(await sign(0)), kind)), 'unknown')
  assert.deepEqual([times(node, sendMethod), await sent()], [1, 0])
})

test('a proper refusal is passed on unchanged', async (t) => {
  const { node, sign, ask } = await openChain(t)
  node.faults.errors.set(sendMethod, { code: -32000, message: 'insufficient funds' })
  const answer = await ask(sendMethod, paramsOf(await sign(0)), kind)
  assert.deepEqual(answer, { error: '{"code":-32000,"message":"insufficient funds"}' })
  assert.equal(times(node, lookMethod), 0)
})

/** Before the real node stands one that misbehaves. */
const openTwo = async (t: TestContext, timeoutMs = 5_000) => {
  const node = await startEvmNode(t)
  const fake = await startFakeRpcNode(t)
  fake.chain.head = 1
  fake.answer(lookMethod, null)
  fake.faults.only = new Set([sendMethod])
  const network = connect(t, [{ url: fake.url }, { url: node.url }], { timeoutMs })
  return { node, fake, ...(await createWallet(node)), ...network }
}

for (const [what, faults] of Object.entries({
  'cuts the connection': { cutConnection: true },
  'says 502': { status: 502 },
  'says nonsense': { html: true },
  'has too many calls': { rateLimited: true },
  'never answers': { hang: true },
}))
  test(`when the first node ${what} and knows nothing of it, the transaction goes to another one`, async (t) => {
    const { node, fake, sign, sent, ask } = await openTwo(t, 'hang' in faults ? 3_000 : 10_000)
    Object.assign(fake.faults, faults)
    const raw = await sign(0)
    assert.deepEqual(await ask(sendMethod, paramsOf(raw), kind), { result: `"${keccak256(raw)}"` })
    assert.deepEqual([fake.times(sendMethod), times(node, sendMethod), await sent()], [1, 1, 1])
    const isCertain = 'rateLimited' in faults
    assert.equal(fake.times(lookMethod), isCertain ? 0 : 1)
  })

test('when nobody listens at the first address, the transaction goes to another one without looking', async (t) => {
  const { node, fake, sign, ask } = await openTwo(t)
  fake.stop()
  const raw = await sign(0)
  assert.deepEqual(await ask(sendMethod, paramsOf(raw), kind), { result: `"${keccak256(raw)}"` })
  assert.deepEqual([times(node, sendMethod), times(node, lookMethod)], [1, 0])
})

test('if another node has got it from the first one, it is not sent again', async (t) => {
  const { node, fake, sign, ask } = await openTwo(t)
  const raw = await sign(0)
  // The first one passes it on to the network, and fails then.
  await node.request(sendMethod, raw)
  fake.faults.cutConnection = true
  assert.deepEqual(await ask(sendMethod, paramsOf(raw), kind), { result: `"${keccak256(raw)}"` })
  assert.deepEqual([fake.times(sendMethod), times(node, sendMethod)], [1, 0])
})

test('what the second node says of a transaction that the first may have taken, is no answer', async (t) => {
  const { node, fake, sign, ask } = await openTwo(t)
  fake.faults.cutConnection = true
  node.faults.errors.set(sendMethod, { code: -32000, message: 'nonce too low' })
  assert.equal(troubleOf(await ask(sendMethod, paramsOf(await sign(0)), kind)), 'unknown')
})

for (const [method, params, kind] of [
  [sendMethod, '["0x7101"]', 'send'],
  ['eth_sendUserOperation', '[{}]', 'once'],
] as const)
  test(`what cannot be named is sent once, and never looked for: ${method}`, async (t) => {
    const { fakes, ask } = await startNetwork(t, 2)
    const [first, second] = fakes as [FakeRpcNode, FakeRpcNode]
    Object.assign(first.faults, { cutConnection: true, only: new Set([method]) })
    assert.equal(troubleOf(await ask(method, params, { kind })), 'unknown')
    assert.deepEqual([first.times(method), second.times(method)], [1, 0])
    assert.equal(first.times(lookMethod) + second.times(lookMethod), 0)
  })

test('what was certainly not taken may go elsewhere, also when it may be sent only once', async (t) => {
  const { fakes, ask } = await startNetwork(t, 3)
  const [first, second, third] = fakes as [FakeRpcNode, FakeRpcNode, FakeRpcNode]
  first.stop()
  second.answer('eth_sendUserOperation', new FakeRpcError(-32005, 'rate limit exceeded'))
  third.answer('eth_sendUserOperation', '0xabc')
  assert.deepEqual(await ask('eth_sendUserOperation', '[{}]', { kind: 'once' }), { result: '"0xabc"' })
  assert.deepEqual([second.times('eth_sendUserOperation'), third.times('eth_sendUserOperation')], [1, 1])
})

test('a transaction of Solana: sent, known already, and found after a lost answer', async (t) => {
  const node = await startSvmNode(t)
  const { ask } = connect(t, [{ url: node.url }], { family: 'solana', blockTimeMs: 400, timeoutMs: 5_000 })
  const payer = await generateKeyPairSigner()
  node.fund(payer.address, 10_000_000_000n)
  const { result } = (await ask('getLatestBlockhash')) as { result: string }
  const sign = async (lamports: bigint) => {
    const transfer = instructions.systemTransfer(payer.address, payer.address, lamports)
    const { blockhash } = JSON.parse(result).value
    return JSON.stringify([
      await craft([transfer], { feePayer: payer.address, blockhash, signers: [payer] }),
      { encoding: 'base64' },
    ])
  }
  const sends = () => node.calls.filter(({ method }) => method === 'sendTransaction').length

  const params = await sign(1n)
  const success = { result: `"${hashOfSend('solana', 'sendTransaction', params)}"` }
  assert.deepEqual(await ask('sendTransaction', params, kind), success)
  assert.deepEqual(await ask('sendTransaction', params, kind), success, 'it has already been processed')
  assert.equal(node.landed.size, 1)

  node.faults.cutSends = true
  const lost = await sign(2n)
  const before = sends()
  const found = { result: `"${hashOfSend('solana', 'sendTransaction', lost)}"` }
  assert.deepEqual(await ask('sendTransaction', lost, kind), found)
  assert.deepEqual([node.landed.size, sends() - before], [2, 1])

  node.faults.hideStatuses = true
  assert.equal(troubleOf(await ask('sendTransaction', await sign(3n), kind)), 'unknown')
  assert.equal(sends() - before, 2)
})
