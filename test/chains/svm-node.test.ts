import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { generateKeyPairSigner } from '@solana/kit'
import { toFacilitatorSvmSigner } from '@x402/svm'
import { ExactSvmScheme as ExactClient } from '@x402/svm/exact/client'
import { ExactSvmScheme as ExactFacilitator } from '@x402/svm/exact/facilitator'
import { callJsonRpc } from '#plumbing/json-rpc.js'
import { startSvmNode } from './svm-node.js'

const network = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'

const openShop = async (t: TestContext) => {
  const node = await startSvmNode(t)
  const [payer, recipient, feeWallet] = await Promise.all([1, 2, 3].map(() => generateKeyPairSigner()))
  if (!payer || !recipient || !feeWallet) throw new Error('no keys')
  node.fund(feeWallet.address, 10_000_000n)
  await node.mintTo(payer.address, 20_000_000n)
  await node.mintTo(recipient.address, 0n)
  const requirements = {
    scheme: 'exact',
    network,
    amount: '5000000',
    asset: node.mint,
    payTo: recipient.address,
    maxTimeoutSeconds: 300,
    extra: { feePayer: feeWallet.address },
  } as const
  const signer = toFacilitatorSvmSigner(feeWallet, { defaultRpcUrl: node.url })
  const client = new ExactClient(payer, { rpcUrl: node.url })
  const sign = async () => (await client.createPaymentPayload(2, requirements)).payload as { transaction: string }
  return { node, requirements, signer, sign, recipient: recipient.address, feeWallet: feeWallet.address }
}

test('what the official client signs, the official facilitator settles', async (t) => {
  const { node, requirements, signer, sign, recipient, feeWallet } = await openShop(t)
  const payment = { x402Version: 2, accepted: requirements, payload: await sign() }
  const settled = await new ExactFacilitator(signer).settle(payment, requirements)
  assert.equal(settled.success, true)
  assert.equal(await node.tokenBalance(recipient), 5_000_000n)
  assert.equal(node.lamports(feeWallet), 10_000_000n - 10_001n)
  assert.deepEqual([...node.landed.keys()], [settled.transaction])
})

test('a transaction runs once, however often it is sent, and not with an old blockhash', async (t) => {
  const { node, signer, sign, recipient, feeWallet } = await openShop(t)
  const send = (wire: string, options = {}) =>
    callJsonRpc(node.url, 'sendTransaction', [wire, { encoding: 'base64', ...options }])
  const complete = async () => signer.signTransaction((await sign()).transaction, feeWallet, network)

  const wire = await complete()
  const signature = await send(wire)
  await assert.rejects(send(wire), /This transaction has already been processed/)
  assert.equal(await send(wire, { skipPreflight: true }), signature)
  assert.equal(await node.tokenBalance(recipient), 5_000_000n)

  const old = await complete()
  node.expireBlockhash()
  await assert.rejects(send(old), /Blockhash not found/)
  await assert.rejects(send((await sign()).transaction), /signature verification failure/)
  assert.equal(node.landed.size, 1)
})

test('what fails in a block is paid for, and known as failed', async (t) => {
  const { node, signer, sign, recipient, feeWallet } = await openShop(t)
  const wires = await Promise.all(
    [1, 2, 3, 4, 5].map(async () => signer.signTransaction((await sign()).transaction, feeWallet, network)),
  )
  for (const wire of wires) await signer.sendTransaction(wire, network)
  const [last] = [...node.landed.values()].slice(-1)
  assert.deepEqual(last?.error, { InstructionError: [2, { Custom: 1 }] })
  assert.equal(await node.tokenBalance(recipient), 20_000_000n)
  assert.equal(node.lamports(feeWallet), 10_000_000n - 5n * 10_001n)
})
