import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createSIWxClientHook } from '@x402/extensions/sign-in-with-x'
import { wrapFetchWithPayment, x402HTTPClient } from '@x402/fetch'
import OpenAI from 'openai'
import { assertBooks } from '../money.js'
import { startTextService } from '../text-service.js'
import { hello, startChains, startWalletService } from '../wallet-service.js'
import { base64Json, createEvmWallet, fromBase64Json, newNonce } from '../wallets.js'

const chains = await startChains({ after })
const service = await startWalletService({ after }, { chains })
const { sql, chat, richWallet } = service

/** 401 with this reason, and nothing reached the model. */
const refusesSignIn = async (header: string, reason: string) => {
  const calls = service.house.requests.length
  const { status, body } = await chat({ 'sign-in-with-x': header })
  assert.deepEqual([status, body.code, body.reason], [401, 'X402_INVALID_SIGN_IN', reason], body.error)
  assert.equal(service.house.requests.length, calls)
  return body.error as string
}

test('a wallet that signs in is served, pays, and is told what is left', async () => {
  const wallet = await richWallet()
  for (const name of ['sign-in-with-x', 'x-sign-in-with-x']) {
    const answer = await chat({ [name]: await wallet.signIn(service.origin) })
    assert.equal(answer.status, 200, answer.text)
    const left = await service.credit(wallet)
    assert.equal(BigInt(String(answer.headers['x-balance-remaining']).replace('.', '')), left / 1000n)
    assert.ok(answer.headers['x-ratelimit-limit-requests'])
  }
  const bill = await sql.one<{ n: bigint }>`select count(*) n from usage_record where account_id = ${wallet.accountId}`
  assert.equal(bill.n, 2n)
})

test('every endpoint that costs something takes a wallet', async () => {
  const wallet = await richWallet()
  const text = { model: 'acme', max_tokens: 5 }
  const bodies: Record<string, object> = {
    '/chat/completions': { ...hello, stream: true },
    '/completions': { model: 'acme', prompt: 'Hi' },
    '/responses': { model: 'acme', input: 'Hi' },
    '/messages': { ...text, messages: [{ role: 'user', content: 'Hi' }] },
    '/embeddings': { model: 'acme-embed', input: 'Hi' },
  }
  for (const [path, body] of Object.entries(bodies)) {
    const answer = await service.post(path, body, { headers: await service.signedIn(wallet) })
    assert.equal(answer.status, 200, `${path}: ${answer.text}`)
    assert.match(String(answer.headers['x-balance-remaining']), /^4\.\d{6}$/, path)
  }
  const { paths } = (await service.outside.get('/openapi.json')).body
  const takers = Object.entries(paths as Record<string, Record<string, { security?: object[] }>>).flatMap(
    ([path, methods]) =>
      Object.values(methods).some(({ security }) => security?.some((way) => 'wallet' in way)) ? [path] : [],
  )
  for (const path of ['/chat/completions', '/image/generate', '/image/edit', '/image/multi-edit', '/image/upscale'])
    assert.ok(takers.includes(path), path)
})

test('routes without a price take keys only', async () => {
  const wallet = await richWallet()
  for (const path of ['/api_keys', '/billing/balance', '/api_keys/rate_limits']) {
    const { status, body } = await service.get(path, { headers: await service.signedIn(wallet) })
    assert.deepEqual([status, body.code], [401, 'AUTHENTICATION_FAILED'], path)
  }
})

test('the OpenAI client works with a wallet, although it insists on a key', async () => {
  const wallet = await richWallet()
  const openai = new OpenAI({
    baseURL: service.baseURL,
    apiKey: 'none',
    fetch: async (url, init) => {
      const headers = new Headers(init?.headers)
      headers.set('SIGN-IN-WITH-X', await wallet.signIn(service.origin))
      return fetch(url as string, { ...(init as RequestInit), headers })
    },
  })
  const answer = await openai.chat.completions.create(hello as never)
  assert.equal(answer.object, 'chat.completion')
})

test('a sign-in is good once, also in another process', async (test) => {
  const wallet = await richWallet()
  const other = await startTextService(test as never, { sections: chains.section() })
  const nonce = newNonce()
  const header = await wallet.signIn(service.origin, { nonce })
  assert.equal((await chat({ 'sign-in-with-x': header })).status, 200)
  await refusesSignIn(header, 'nonce_used')
  await refusesSignIn(await wallet.signIn(service.origin, { nonce }), 'nonce_used')
  // Another service has another address, so what was signed for one is nothing to the other.
  const { status, body } = await other.post('/chat/completions', hello, {
    headers: { 'sign-in-with-x': await wallet.signIn(service.origin) },
  })
  assert.deepEqual([status, body.reason], [401, 'domain_mismatch'])
})

test('each thing that is wrong with a sign-in has a reason of its own', async () => {
  const wallet = await richWallet()
  const now = Date.now()
  const sign = (change: Parameters<typeof wallet.signIn>[1]) => wallet.signIn(service.origin, change)
  await refusesSignIn('%%%', 'malformed_base64')
  await refusesSignIn(Buffer.from('{').toString('base64'), 'malformed_json')
  await refusesSignIn(await sign({ tamper: ({ signature: _, ...rest }) => rest }), 'missing_field')
  assert.match(await refusesSignIn(await sign({ domain: 'evil.example' }), 'domain_mismatch'), /evil\.example/)
  await refusesSignIn(await sign({ uri: 'https://evil.example' }), 'uri_mismatch')
  await refusesSignIn(await sign({ chainId: 1 }), 'chain_unsupported')
  await refusesSignIn(await sign({ issuedAtMs: now - 301_000, expiresAtMs: now + 60_000 }), 'too_old')
  await refusesSignIn(await sign({ issuedAtMs: now - 60_000, expiresAtMs: now - 1 }), 'expired')
  await refusesSignIn(await sign({ issuedAtMs: now + 120_000, expiresAtMs: now + 180_000 }), 'not_yet_valid')
  const other = createEvmWallet()
  await refusesSignIn(
    await sign({ tamper: (envelope) => ({ ...envelope, address: other.address }) }),
    'address_mismatch',
  )
  const theirs = await other.account.signMessage({ message: 'something else' })
  await refusesSignIn(await sign({ tamper: (envelope) => ({ ...envelope, signature: theirs }) }), 'signature_invalid')
})

test('a contract wallet signs in, deployed or not', async () => {
  const owner = createEvmWallet()
  const deployed = '0x00000000000000000000000000000000000c0de1'
  await chains.evm.installWallet(deployed, owner.account.address)
  const announced = await chains.evm.announcedWallet(owner.account.address)
  for (const { address, wrap } of [{ address: deployed, wrap: (s: `0x${string}`) => s }, announced]) {
    const header = fromBase64Json(await owner.signIn(service.origin))
    const message = header.message.replaceAll(owner.address, address)
    const signature = await wrap(await owner.account.signMessage({ message }))
    const proof = Buffer.from(JSON.stringify({ ...header, address, message, signature })).toString('base64')
    const answer = await chat({ 'sign-in-with-x': proof })
    assert.equal(answer.status, 402, answer.text)
    assert.equal(answer.body.currentBalanceUsd, 0)
  }
})

test('who invents contract wallets does not keep those from signing in who have paid', async () => {
  const owner = createEvmWallet()
  const deployed = '0x00000000000000000000000000000000000c0de2'
  await chains.evm.installWallet(deployed, owner.account.address)
  await richWallet(5_000_000_000n, { ...owner, normal: deployed })
  const signInAs = async (address: string) => {
    const proof = fromBase64Json(await owner.signIn(service.origin))
    const message = proof.message.replaceAll(owner.address, address)
    const signature = await owner.account.signMessage({ message })
    return chat({ 'sign-in-with-x': base64Json({ ...proof, address, message, signature }) })
  }
  chains.evm.faults.delayMs = 300
  const strangers = Array.from({ length: 12 }, (_, index) => signInAs(`0x${String(index).padStart(40, '7')}`))
  const known = await signInAs(deployed)
  const statuses = (await Promise.all(strangers)).map(({ status }) => status)
  chains.evm.faults.delayMs = 0
  assert.equal(known.status, 200, known.text)
  assert.deepEqual(new Set(statuses), new Set([401, 429]))
})

test('a payment is not taken where it is not expected, and nothing moves', async () => {
  const wallet = await chains.evmWallet()
  const payment = base64Json(await wallet.client.createPaymentPayload((await service.post('/x402/top-up')).body))
  const { status, body } = await chat({ 'payment-signature': payment })
  assert.deepEqual([status, body.code], [400, 'X402_INVALID_PAYMENT'])
  assert.match(body.error, /POST \/x402\/top-up/)
  assert.equal(await chains.evm.balanceOf(wallet.account.address), 100_000_000n)
})

test('an empty sign-in is none', async () => {
  const wallet = await richWallet()
  const key = await service.caller.post('/chat/completions', hello, { headers: { 'sign-in-with-x': '' } })
  assert.equal(key.status, 200)
  const legacy = { 'sign-in-with-x': ' ', 'x-sign-in-with-x': await wallet.signIn(service.origin) }
  assert.equal((await chat(legacy)).status, 200)
})

test('nobody without credentials is served: 401, with how to pay in a header', async () => {
  const { status, body, headers } = await chat({})
  assert.deepEqual([status, body.code], [401, 'AUTHENTICATION_FAILED'])
  const required = fromBase64Json(headers['payment-required'])
  assert.equal(required.x402Version, 2)
  assert.equal(required.accepts.length, 2)
  const wrong = await service.as('svc_inf_wrong').post('/chat/completions', hello)
  assert.deepEqual([wrong.status, wrong.headers['payment-required']], [401, undefined])
})

test('with the switch it is 402, and the official client signs in by itself', async (test) => {
  const open = await startWalletService(test, { chains, more: '  answerMissingKeyWith402: true' })
  const { status, body, headers } = await open.post('/chat/completions', hello)
  assert.equal(status, 402)
  const { authOptions, ...offer } = body
  assert.deepEqual(fromBase64Json(headers['payment-required']), offer)
  assert.equal(authOptions.x402Wallet.header, 'SIGN-IN-WITH-X')

  const wallet = await chains.evmWallet()
  assert.equal((await open.topUp(wallet)).status, 200)
  const agent = new x402HTTPClient(wallet.client).onPaymentRequired(createSIWxClientHook(wallet.account as never))
  const signing = wrapFetchWithPayment(fetch, agent)
  const chainBalance = await chains.evm.balanceOf(wallet.account.address)
  const answer = await signing(`${open.baseURL}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(hello),
  })
  assert.equal(answer.status, 200, await answer.text())
  assert.equal(await chains.evm.balanceOf(wallet.account.address), chainBalance, 'it paid nothing more')
})

test('a key goes on as before, and a wallet of nobody is no way around it', async () => {
  const wallet = await richWallet()
  const key = await service.caller.post('/chat/completions', hello)
  assert.deepEqual([key.status, key.headers['x-balance-remaining']], [200, undefined])
  const bad = await service.caller.post('/chat/completions', hello, { headers: { 'sign-in-with-x': 'e30=' } })
  assert.equal(bad.status, 401, 'whoever signs in wrongly is told so')
  const bare = await startTextService({ after })
  const off = await bare.post('/chat/completions', hello, {
    headers: { 'sign-in-with-x': await wallet.signIn(bare.origin) },
  })
  assert.deepEqual([off.status, off.body.reason], [401, 'not_configured'])
  const keyed = await bare.caller.post('/chat/completions', hello, { headers: { 'sign-in-with-x': 'e30=' } })
  assert.equal(keyed.status, 200, 'where wallets are not taken, the header means nothing')
})

test('the books are in order after all of it', () => assertBooks(sql))
