import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { createKeyPairSignerFromBytes, getBase58Encoder } from '@solana/kit'
import { x402Facilitator } from '@x402/core/facilitator'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { registerExactEvmScheme } from '@x402/evm/exact/facilitator'
import { toFacilitatorSvmSigner } from '@x402/svm'
import { registerExactSvmScheme } from '@x402/svm/exact/facilitator'
import { createWalletClient, http, publicActions } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { createSolanaKey } from '../chains/svm-payments.js'
import { assertBooks } from '../money.js'
import { startChains, startWalletService } from '../wallet-service.js'

const chains = await startChains({ after })
const solana = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'

/** The official facilitator, with wallets of its own, as somebody else would run it. */
const startFacilitator = async () => {
  const account = privateKeyToAccount(generatePrivateKey())
  await chains.evm.fund(account.address, 10n ** 18n)
  const wallet = createWalletClient({ account, chain: base, transport: http(chains.evm.url) }).extend(publicActions)
  const { secret, address } = createSolanaKey()
  chains.svm.fund(address, 1_000_000_000n)
  const feePayer = await createKeyPairSignerFromBytes(getBase58Encoder().encode(secret))
  const facilitator = new x402Facilitator()
  const evmSigner = toFacilitatorEvmSigner({ ...wallet, address: account.address } as never)
  registerExactEvmScheme(facilitator, { signer: evmSigner, networks: 'eip155:8453' })
  const svmSigner = toFacilitatorSvmSigner(feePayer, { defaultRpcUrl: chains.svm.url })
  registerExactSvmScheme(facilitator, { signer: svmSigner, networks: solana })

  const faults = { losesSettlements: false }
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { paymentPayload, paymentRequirements } = text ? JSON.parse(text) : {}
    const path = request.url?.slice(1) ?? ''
    const answer =
      path === 'supported'
        ? facilitator.getSupported()
        : await facilitator[path as 'verify' | 'settle'](paymentPayload, paymentRequirements)
    if (path === 'settle' && faults.losesSettlements) return request.socket.destroy()
    return response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, faults, feePayer: address }
}

const facilitator = await startFacilitator()
// Without fee wallets of our own.
const section = `
x402:
  facilitatorUrl: ${facilitator.url}
  evm: { rpcUrl: "${chains.evm.url}", payTo: "${chains.payTo}" }
  solana: { rpcUrl: "${chains.svm.url}", payTo: "${chains.solanaPayTo}" }
`
await chains.svm.mintTo(chains.solanaPayTo, 0n)
const service = await startWalletService({ after }, { chains: { ...chains, section: () => section } })

test('somebody else settles on both chains, with their own fee payer', async () => {
  const { body } = await service.post('/x402/top-up')
  assert.equal(body.accepts[1].extra.feePayer, facilitator.feePayer)
  for (const wallet of [await chains.evmWallet(), await chains.solanaWallet()]) {
    const answer = await service.topUp(wallet)
    assert.equal(answer.status, 200, await answer.text())
    assert.equal(await service.credit(wallet), 5_000_000_000n)
  }
  assert.equal(await chains.evm.balanceOf(chains.payTo), 5_000_000n)
  assert.equal(await chains.svm.tokenBalance(chains.solanaPayTo), 5_000_000n)
})

test('a settlement of which nobody heard is found on the chain, and credited once', async () => {
  const wallet = await chains.evmWallet()
  facilitator.faults.losesSettlements = true
  const required = (await service.post('/x402/top-up')).body
  const payment = Buffer.from(JSON.stringify(await wallet.client.createPaymentPayload(required))).toString('base64')
  const pay = () => service.post('/x402/top-up', undefined, { headers: { 'payment-signature': payment } })
  const first = await pay()
  facilitator.faults.losesSettlements = false
  assert.deepEqual([first.status, first.body.error], [503, 'SETTLEMENT_PENDING'])
  let answer = await pay()
  while (answer.status === 503) answer = await pay()
  assert.equal(answer.status, 200, answer.text)
  assert.equal(await service.credit(wallet), 5_000_000_000n)
  assert.equal(await chains.evm.balanceOf(wallet.account.address), 95_000_000n)
})

test('the books are in order after all of it', () => assertBooks(service.sql))
