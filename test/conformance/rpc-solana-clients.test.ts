import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import {
  type Address,
  appendTransactionMessageInstruction,
  createDefaultRpcTransport,
  createSolanaRpcFromTransport,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  isSolanaError,
  type KeyPairSigner,
  lamports,
  pipe,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import { startSvmNode } from '../chains/svm-node.js'
import { instructions } from '../chains/svm-payments.js'
import { createMeter, creditNanos, startRpcService } from '../rpc-service.js'

const node = await startSvmNode({ after })
const service = await startRpcService({ after }, { networks: { 'solana-mainnet': { upstreams: [node.url] } } })

// The client shows nobody the headers of answers, so they are read on the way.
const meter = createMeter()
const plainFetch = globalThis.fetch
globalThis.fetch = async (...args) => {
  const answer = await plainFetch(...args)
  assert.equal(answer.status, 200, await answer.clone().text())
  meter.add(answer.headers)
  return answer
}
after(() => {
  globalThis.fetch = plainFetch
})

const rpc = createSolanaRpcFromTransport(
  createDefaultRpcTransport({
    url: service.urlOf('solana-mainnet'),
    headers: { authorization: service.authorization },
  }),
)

const createUser = async (owned: bigint) => {
  const signer = await generateKeyPairSigner()
  node.fund(signer.address, owned)
  return signer
}

const signTransfer = async (from: KeyPairSigner, to: Address, amount: bigint) => {
  const { value: blockhash } = await rpc.getLatestBlockhash().send()
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (draft) => setTransactionMessageFeePayerSigner(from, draft),
    (draft) => setTransactionMessageLifetimeUsingBlockhash(blockhash, draft),
    (draft) => appendTransactionMessageInstruction(instructions.systemTransfer(from.address, to, amount), draft),
  )
  const transaction = await signTransactionMessageWithSigners(message)
  return { wire: getBase64EncodedWireTransaction(transaction), signature: getSignatureFromTransaction(transaction) }
}

test('kit reads, sends, polls until it is confirmed, and reads what is new; the bill is what the answers said', async () => {
  const [before, metered] = [await service.balance(), meter.credits()]
  const sender = await createUser(5_000_000_000n)
  const { address: receiver } = await generateKeyPairSigner()
  assert.equal((await rpc.getBalance(sender.address).send()).value, lamports(5_000_000_000n))
  assert.equal((await rpc.getBalance(receiver).send()).value, lamports(0n))

  node.faults.confirmation = 'processed'
  const { wire, signature } = await signTransfer(sender, receiver, 2_000_000_000n)
  assert.equal(await rpc.sendTransaction(wire, { encoding: 'base64' }).send(), signature)
  const statusNow = async () => (await rpc.getSignatureStatuses([signature]).send()).value[0]
  assert.equal((await statusNow())?.confirmationStatus, 'processed')
  node.faults.confirmation = 'confirmed'
  let status = await statusNow()
  while (status?.confirmationStatus !== 'confirmed') {
    await wait(20)
    status = await statusNow()
  }
  assert.equal(status.err, null)
  // Whoever has seen the confirmation must not be shown what was true before it.
  assert.equal((await rpc.getBalance(receiver).send()).value, lamports(2_000_000_000n))
  assert.equal((await rpc.getBalance(sender.address).send()).value, lamports(3_000_000_000n - 5_000n))
  assert.equal(node.landed.size, 1)

  assert.ok(meter.credits() - metered >= 8 * 30)
  assert.equal(before - (await service.balance()), BigInt(meter.credits() - metered) * creditNanos)
})

test('a transaction that would fail is seen as such, with the reason, for 5 credits', async () => {
  const sender = await createUser(1_000_000n)
  const { address: receiver } = await generateKeyPairSigner()
  const { wire } = await signTransfer(sender, receiver, 900_000_000n)
  const landed = node.landed.size
  const metered = meter.credits()
  await assert.rejects(rpc.sendTransaction(wire, { encoding: 'base64' }).send(), (error) =>
    isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE),
  )
  assert.deepEqual([node.landed.size, meter.credits() - metered], [landed, 5])
})

test('30 reads at once all succeed, each with its own answer; amounts beyond 2^53 arrive whole', async () => {
  const people = await Promise.all(
    Array.from({ length: 30 }, async (_, index) => (await createUser(BigInt(index + 1) * 1_000_000n)).address),
  )
  const found = await Promise.all(people.map((address) => rpc.getBalance(address).send()))
  assert.deepEqual(
    found.map(({ value }) => value),
    people.map((_, index) => lamports(BigInt(index + 1) * 1_000_000n)),
  )
  const rich = await createUser(9_007_199_254_740_993n)
  assert.equal((await rpc.getBalance(rich.address).send()).value, 9_007_199_254_740_993n)
})
