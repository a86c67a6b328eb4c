import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { decodePaymentResponseHeader } from '@x402/fetch'
import { request } from 'undici'
import { assertBooks } from '../money.js'
import { startService } from '../service.js'
import { startWalletService } from '../wallet-service.js'
import { base64Json, fromBase64Json, type TestWallet } from '../wallets.js'

const service = await startWalletService({ after })
const { evm, svm, payTo, solanaPayTo } = service
const solana = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'

/** What is advertised, as the official client reads it. */
const offer = async () => {
  const { body } = await service.post('/x402/top-up')
  return body
}

/** A payment for one of the options, signed by the official client, for as much as is wanted. */
const sign = async (wallet: Pick<TestWallet, 'client'>, units = '5000000', change: Record<string, unknown> = {}) => {
  const required = await offer()
  for (const option of required.accepts) Object.assign(option, { amount: units }, change)
  return wallet.client.createPaymentPayload(required)
}

const send = (payment: unknown, header = 'payment-signature') =>
  service.post('/x402/top-up', undefined, { headers: { [header]: base64Json(payment) } })

/** Nothing has moved, here or on the chain. */
const refuses = async (
  wallet: { normal: string; address: string },
  payment: unknown,
  { status = 400, error = 'PAYMENT_VERIFICATION_FAILED', reason }: { status?: number; error?: string; reason: RegExp },
) => {
  const before = await evm.balanceOf(payTo)
  const answer = await send(payment)
  assert.equal(answer.status, status, answer.text)
  assert.equal(answer.body.error, error)
  assert.match(String(answer.body.details?.reason), reason)
  assert.ok(answer.body.message.length > 20, 'a sentence for a person')
  assert.equal(answer.headers['cache-control'], 'no-store')
  assert.equal(await service.credit(wallet), 0n)
  assert.equal(await evm.balanceOf(payTo), before)
  return answer
}

test('whatever stands in the body, it is not looked at', async () => {
  const bodies: [string | undefined, string][] = [
    ['application/x-www-form-urlencoded', ''],
    ['text/plain;charset=UTF-8', 'hello'],
    ['application/json', '{'],
    [undefined, 'hello'],
  ]
  for (const [type, body] of bodies) {
    const headers = type === undefined ? {} : { 'content-type': type }
    const answer = await request(service.topUpUrl, { method: 'POST', headers, body })
    assert.equal(answer.statusCode, 402, `${type}: ${await answer.body.text()}`)
  }
})

test('with its nodes away the service still says what can be paid; who pays is told to retry, and nothing is sent', async (test) => {
  const away = await startService(test, {
    config: service.section().replace(evm.url, 'http://127.0.0.1:9').replace(svm.url, 'http://127.0.0.1:9'),
  })
  const offered = await away.post('/x402/top-up')
  assert.deepEqual([offered.status, offered.body.accepts.length], [402, 2])
  const wallet = await service.evmWallet()
  const payment = base64Json(await wallet.client.createPaymentPayload(offered.body))
  const { status, body, headers } = await away.post('/x402/top-up', undefined, {
    headers: { 'payment-signature': payment },
  })
  assert.deepEqual([status, body.error, body.code], [503, 'SERVICE_UNAVAILABLE', undefined])
  assert.match(body.message, /eip155:8453 cannot be reached right now; nothing was sent/)
  assert.ok(headers['retry-after'])
  // The same bytes are good wherever the chain can be reached.
  assert.equal(
    (await service.post('/x402/top-up', undefined, { headers: { 'payment-signature': payment } })).status,
    200,
  )
})

test('without a payment, the answer is 402 with what can be paid, in the body and in the header', async () => {
  const { status, body, headers } = await service.post('/x402/top-up')
  assert.equal(status, 402)
  assert.deepEqual(fromBase64Json(headers['payment-required']), body)
  assert.equal(body.x402Version, 2)
  assert.equal(body.resource.url, service.topUpUrl)
  const [onBase, onSolana] = body.accepts
  assert.deepEqual(onBase, {
    scheme: 'exact',
    network: 'eip155:8453',
    amount: '5000000',
    asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    payTo,
    maxTimeoutSeconds: 300,
    extra: { name: 'USD Coin', version: '2' },
  })
  assert.equal(onSolana.network, solana)
  assert.equal(onSolana.amount, '5000000')
  assert.equal(onSolana.asset, 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v')
  assert.equal(onSolana.payTo, solanaPayTo)
  assert.match(onSolana.extra.feePayer, /^[1-9A-HJ-NP-Za-km-z]{32,44}$/)
  assert.equal(headers['cache-control'], 'no-store')
})

for (const chain of ['evm', 'solana'] as const)
  test(`the official client tops up on ${chain} and then chats`, async () => {
    const wallet = chain === 'evm' ? await service.evmWallet() : await service.solanaWallet()
    const before = await evm.balanceOf(payTo)
    const answer = await service.topUp(wallet)
    const body = (await answer.json()) as { data: Record<string, unknown> }
    assert.equal(answer.status, 200, JSON.stringify(body))
    assert.deepEqual(
      { ...body.data, paymentId: null },
      { walletAddress: wallet.normal, amountCredited: 5, newBalance: 5, paymentId: null },
    )
    const settled = decodePaymentResponseHeader(answer.headers.get('payment-response') as string)
    assert.equal(settled.success, true)
    assert.equal(settled.payer, wallet.normal)
    if (chain === 'evm') {
      const receipt = (await evm.request('eth_getTransactionReceipt', settled.transaction)) as { status: string }
      assert.equal(receipt.status, '0x1')
      assert.equal((await evm.balanceOf(payTo)) - before, 5_000_000n)
    } else {
      assert.equal(svm.landed.get(settled.transaction)?.error ?? null, null)
      assert.equal(await svm.tokenBalance(solanaPayTo), 5_000_000n)
    }
    const chat = await service.post(
      '/chat/completions',
      { model: 'acme', messages: [{ role: 'user', content: 'Hi' }] },
      { headers: await service.signedIn(wallet) },
    )
    assert.equal(chat.status, 200, chat.text)
    const left = await service.credit(wallet)
    assert.ok(left < 5_000_000_000n && left > 4_900_000_000n)
    // In units of USDC, rounded down.
    assert.equal(BigInt(String(chat.headers['x-balance-remaining']).replace('.', '')), left / 1000n)
  })

test('all shapes of a payment are taken, under all names of the header, for more than was asked, too', async () => {
  const wallet = await service.evmWallet()
  const { payload } = await sign(wallet, '12340000')
  const shapes: [string, object, string][] = [
    ['payment-signature', await sign(wallet, '5000000'), '5000000'],
    ['x-402-payment', { x402Version: 2, scheme: 'exact', network: 'base', payload }, '12340000'],
    [
      'x-payment',
      { x402Version: 1, scheme: 'exact', network: 'base', payload: (await sign(wallet, '7500000')).payload },
      '7500000',
    ],
    [
      'payment-signature',
      { x402Version: 1, scheme: 'exact', network: 'eip155:8453', payload: (await sign(wallet, '5000001')).payload },
      '5000001',
    ],
  ]
  let total = 0n
  for (const [header, payment, units] of shapes) {
    const answer = await send(payment, header)
    assert.equal(answer.status, 200, `${header}: ${answer.text}`)
    total += BigInt(units) * 1000n
    assert.equal(answer.body.data.amountCredited, Number(units) / 1e6)
    assert.equal(await service.credit(wallet), total)
    assert.deepEqual(answer.headers['x-payment-response'], answer.headers['payment-response'])
  }
})

test('the same payment again gets the same answer, and nothing more is credited', async () => {
  const wallet = await service.evmWallet()
  const payment = await sign(wallet)
  const first = await send(payment)
  const again = await send({ x402Version: 1, scheme: 'exact', network: 'base', payload: payment.payload }, 'x-payment')
  assert.equal(first.status, 200)
  assert.deepEqual(again.body, first.body)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.equal(again.headers['payment-response'], first.headers['payment-response'])
  assert.equal(await service.credit(wallet), 5_000_000_000n)
})

test('the same on Solana, where a second settlement would report success', async () => {
  const wallet = await service.solanaWallet()
  const required = await offer()
  required.accepts = required.accepts.filter(({ network }: { network: string }) => network === solana)
  const payment = await wallet.client.createPaymentPayload(required)
  const answers = [await send(payment), await send(payment), await send(payment)]
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  )
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
  assert.equal(await service.credit(wallet), 5_000_000_000n)
})

test('an authorization with another signature is not the same payment', async () => {
  const wallet = await service.evmWallet()
  const payment = await sign(wallet)
  assert.equal((await send(payment)).status, 200)
  const { authorization, signature } = payment.payload as { authorization: object; signature: string }
  const other = {
    ...payment,
    payload: { authorization, signature: `${signature.slice(0, 20)}00${signature.slice(22)}` },
  }
  const answer = await send(other)
  assert.equal(answer.status, 400, answer.text)
  assert.equal(await service.credit(wallet), 5_000_000_000n)
})

test('what cannot be settled is refused with the reason, and nothing is credited', async () => {
  const wallet = await service.evmWallet()
  const payment = await sign(wallet, '6000000')
  const { authorization, signature } = payment.payload as { authorization: Record<string, string>; signature: string }
  const changed = (change: object) => ({
    ...payment,
    payload: { signature, authorization: { ...authorization, ...change } },
  })

  await refuses(wallet, changed({ value: '9000000' }), { reason: /signature/ })
  await refuses(wallet, changed({ from: `0x${'1'.repeat(40)}` }), { reason: /signature|balance/ })
  await refuses(wallet, changed({ to: `0x${'2'.repeat(40)}` }), { error: 'X402_INVALID_PAYMENT', reason: /recipient/ })
  await refuses(
    wallet,
    { ...payment, accepted: { ...payment.accepted, network: 'eip155:1' } },
    { error: 'X402_INVALID_PAYMENT', reason: /network/ },
  )
  await refuses(wallet, changed({ validBefore: '1000' }), { reason: /valid_before|signature/ })

  const elsewhere = await sign(wallet, '6000000', { payTo: `0x${'3'.repeat(40)}` })
  await refuses(wallet, elsewhere, { error: 'X402_INVALID_PAYMENT', reason: /recipient/ })
  const little = await refuses(wallet, await sign(wallet, '4999999'), { reason: /./ })
  assert.match(little.body.message, /between 5 and 10000 USD/)
  await refuses(wallet, await sign(wallet, '10000000001'), { reason: /./ })

  const empty = await service.evmWallet(0n)
  const poor = await refuses(empty, await sign(empty), { reason: /insufficient_balance|insufficient_funds/ })
  const told = fromBase64Json(poor.headers['payment-response'])
  assert.deepEqual([told.success, told.payer, told.transaction], [false, empty.normal, ''])

  await refuses(wallet, await sign(wallet, '5000000', { maxTimeoutSeconds: -10 }), { reason: /valid_before/ })
})

test('a wallet that was empty and is not any more may send the same payment again', async () => {
  const wallet = await service.evmWallet(0n)
  const required = await offer()
  const late = {
    ...required,
    accepts: required.accepts.map((option: object) => ({ ...option, maxTimeoutSeconds: 86_400 })),
  }
  const payment = await wallet.client.createPaymentPayload(late)
  assert.equal((await send(payment)).status, 400)
  await evm.mint(wallet.account.address, 5_000_000n)
  const answer = await send(payment)
  assert.equal(answer.status, 200, answer.text)
  assert.equal(await service.credit(wallet), 5_000_000_000n)
})

test('headers that are no payment are 400, and name what is wrong', async () => {
  const bad: [string, RegExp][] = [
    ['', /./],
    ['%%%', /base64|JSON/],
    [Buffer.from('{"x402Version":2').toString('base64'), /JSON/],
    [base64Json(null), /./],
    [base64Json([]), /./],
    [base64Json({ x402Version: 2, scheme: 'upto', network: 'base', payload: {} }), /exact/],
    [base64Json({ x402Version: 2, scheme: 'exact', network: 'dogecoin', payload: {} }), /eip155:8453/],
    [base64Json({ x402Version: 2, scheme: 'exact', network: 'base' }), /./],
    [base64Json({ x402Version: 2, scheme: 'exact', network: 'solana', payload: { transaction: 'AAAA' } }), /./],
  ]
  for (const [header, expected] of bad) {
    const { status, body } = await service.post('/x402/top-up', undefined, { headers: { 'payment-signature': header } })
    assert.deepEqual([status, body.error], [400, 'X402_INVALID_PAYMENT'], header)
    assert.match(body.message, expected)
  }
})

test('without a section in the config file there is nothing to pay', async (test) => {
  const bare = await startService(test)
  for (const headers of [{}, { 'payment-signature': 'e30=' }]) {
    const { status, body } = await bare.post('/x402/top-up', undefined, { headers })
    assert.deepEqual([status, body.code], [404, 'X402_NOT_CONFIGURED'])
  }
})

test('the books are in order after all of it', () => assertBooks(service.sql))
