import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createSIWxClientHook } from '@x402/extensions/sign-in-with-x'
import { wrapFetchWithPayment, x402HTTPClient } from '@x402/fetch'
import OpenAI from 'openai'
import { createAccount } from '#accounts/accounts.js'
import { linkWallet, openWallet } from '#accounts/wallets/wallets.js'
import { readBalances } from '#ledger/credit/balances.js'
import { grantCredit } from '#ledger/credit/grant.js'
import { setStake } from '#ledger/credit/stake.js'
import { assertBooks } from '../money.js'
import { startTextService } from '../text-service.js'
import { startChains, startWalletService } from '../wallet-service.js'
import { base64Json, createEvmWallet, fromBase64Json, newNonce } from '../wallets.js'

const chains = await startChains({ after })
const models = `
  - { id: acme-dear, type: text, engine: { upstream: house }, contextTokens: 4000, pricing: { input: "20000", output: "2000" } }
  - { id: acme-half, type: text, engine: { upstream: house }, contextTokens: 4000, pricing: { input: "20", output: "80" } }`
const service = await startWalletService({ after }, { chains, models })
const { sql } = service

let grants = 0
/** A wallet with credit here, without the way over the chain. */
const createRichWallet = async (nanos = 5_000_000_000n, wallet = createEvmWallet()) => {
  const { accountId } = await openWallet(sql, wallet.normal, Date.now())
  const idempotencyKey = `test wallet ${++grants}`
  if (nanos > 0n) await grantCredit(sql, { accountId, amountNanos: nanos, idempotencyKey, nowMs: Date.now() })
  return { ...wallet, accountId }
}

const hello = { model: 'acme', messages: [{ role: 'user', content: 'Hi' }] }
const chat = async (headers: Record<string, string>, body: object = hello) =>
  service.post('/chat/completions', body, { headers })

/** 401 with this reason, and nothing reached the model. */
const refusesSignIn = async (header: string, reason: string) => {
  const calls = service.house.requests.length
  const { status, body } = await chat({ 'sign-in-with-x': header })
  assert.deepEqual([status, body.code, body.reason], [401, 'X402_INVALID_SIGN_IN', reason], body.error)
  assert.equal(service.house.requests.length, calls)
  return body.error as string
}

test('a wallet that signs in is served, pays, and is told what is left', async () => {
  const wallet = await createRichWallet()
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
  const wallet = await createRichWallet()
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
  const wallet = await createRichWallet()
  for (const path of ['/api_keys', '/billing/balance', '/api_keys/rate_limits']) {
    const { status, body } = await service.get(path, { headers: await service.signedIn(wallet) })
    assert.deepEqual([status, body.code], [401, 'AUTHENTICATION_FAILED'], path)
  }
})

test('the OpenAI client works with a wallet, although it insists on a key', async () => {
  const wallet = await createRichWallet()
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
  const wallet = await createRichWallet()
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
  const wallet = await createRichWallet()
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
  await createRichWallet(5_000_000_000n, { ...owner, normal: deployed })
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
  const wallet = await createRichWallet()
  const key = await service.caller.post('/chat/completions', hello, { headers: { 'sign-in-with-x': '' } })
  assert.equal(key.status, 200)
  const legacy = { 'sign-in-with-x': ' ', 'x-sign-in-with-x': await wallet.signIn(service.origin) }
  assert.equal((await chat(legacy)).status, 200)
})

test('a wallet with too little gets 402 with how to go on, whatever the price', async () => {
  const stranger = createEvmWallet()
  const poor = await createRichWallet(99_999_999n)
  for (const [wallet, balance] of [
    [stranger, 0],
    [poor, 0.099999999],
  ] as const) {
    const { status, body, headers } = await chat(await service.signedIn(wallet))
    assert.equal(status, 402, JSON.stringify(body))
    assert.deepEqual(
      { ...body, message: null, topUpInstructions: null, siwxChallenge: null },
      {
        error: 'Payment required',
        code: 'PAYMENT_REQUIRED',
        reason: 'insufficient_balance',
        message: null,
        currentBalanceUsd: balance,
        minimumBalanceUsd: 0.1,
        suggestedTopUpUsd: 10,
        minimumTopUpUsd: 5,
        supportedTokens: ['USDC'],
        supportedChains: ['base', 'solana'],
        topUpInstructions: null,
        siwxChallenge: null,
      },
    )
    const { step1, receiverWallet, tokenDecimals, network, minimumAmountUsd } = body.topUpInstructions
    assert.match(step1, /POST http.*\/api\/v1\/x402\/top-up/)
    assert.deepEqual([receiverWallet, tokenDecimals, network, minimumAmountUsd], [chains.payTo, 6, 'eip155:8453', 5])
    const { info, supportedChains } = body.siwxChallenge
    assert.equal(info.domain, new URL(service.origin).host)
    assert.deepEqual(
      supportedChains.map(({ type }: { type: string }) => type),
      ['eip191', 'eip1271', 'ed25519'],
    )
    assert.equal(headers['x-svc-balance-usd'], String(balance))
    assert.equal(headers['x-balance-remaining'], balance === 0 ? '0.000000' : '0.099999')
    const required = fromBase64Json(headers['payment-required'])
    assert.equal(required.accepts[0].amount, '10000000')
    assert.equal(required.extensions['sign-in-with-x'].info.version, '1')
  }
  const { n } = await sql.one<{ n: bigint }>`select count(*) n from wallet where address = ${stranger.normal}`
  assert.equal(n, 0n, 'a stranger leaves no trace')
  const { held } = await sql.one<{
    held: bigint
  }>`select count(*) held from ledger_hold where account_id = ${poor.accountId}`
  assert.equal(held, 0n)
})

test('clients of Anthropic are told how to go on as well, in their shape', async () => {
  const question = { model: 'acme', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] }
  const headers = await service.signedIn(createEvmWallet())
  const { status, body } = await service.post('/messages', question, { headers })
  assert.deepEqual([status, body.type, body.error.type], [402, 'error', 'billing_error'])
  assert.match(body.error.message, /at least 0\.1 are needed/)
  assert.deepEqual([body.code, body.reason, body.minimumTopUpUsd], ['PAYMENT_REQUIRED', 'insufficient_balance', 5])
  assert.equal(body.topUpInstructions.receiverWallet, chains.payTo)
  assert.equal(body.siwxChallenge.info.domain, new URL(service.origin).host)
})

test('an answer that is refused and its headers name the same balance, however many run', async () => {
  const wallet = await createRichWallet(100_000_000n)
  const answers = await Promise.all(Array.from({ length: 8 }, async () => chat(await service.signedIn(wallet))))
  const refused = answers.filter(({ status }) => status === 402)
  assert.ok(refused.length > 0)
  for (const { headers, body } of refused) {
    assert.equal(headers['x-svc-balance-usd'], String(body.currentBalanceUsd))
    assert.equal(headers['x-balance-remaining'], body.currentBalanceUsd.toFixed(6))
  }
})

test('what costs more than the wallet has is refused, and nothing is charged', async () => {
  const wallet = await createRichWallet(150_000_000n)
  const { status, body } = await chat(await service.signedIn(wallet), { ...hello, model: 'acme-dear' })
  assert.deepEqual([status, body.code, body.currentBalanceUsd], [402, 'PAYMENT_REQUIRED', 0.15])
  assert.match(body.message, /does not pay for this request/)
  assert.equal(await service.credit(wallet), 150_000_000n)
  assert.equal((await chat(await service.signedIn(wallet))).status, 200)
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

test('balance and transactions are told to the wallet itself, and to nobody else', async () => {
  const wallet = await createRichWallet()
  for (let index = 0; index < 3; index++) assert.equal((await chat(await service.signedIn(wallet))).status, 200)
  const get = async (path: string, who: Pick<typeof wallet, 'signIn'> = wallet) =>
    service.get(path, { headers: await service.signedIn(who) })
  const left = await service.credit(wallet)

  const balance = await get(`/x402/balance/${wallet.address}`)
  assert.equal(balance.status, 200, balance.text)
  assert.deepEqual(balance.body.data, {
    walletAddress: wallet.normal,
    balanceUsd: Number(left) / 1e9,
    canConsume: true,
    minimumTopUpUsd: 5,
    suggestedTopUpUsd: 10,
  })
  const { data } = (await get(`/x402/transactions/${wallet.normal}?limit=3`)).body
  assert.equal(data.currentBalance, Number(left) / 1e9)
  assert.deepEqual(
    data.transactions.map(({ type }: { type: string }) => type),
    ['CHARGE', 'CHARGE', 'CHARGE'],
  )
  assert.equal(data.transactions[0].balanceAfter, Number(left) / 1e9)
  assert.equal(data.transactions[0].modelId, 'acme')
  assert.match(data.transactions[0].requestId, /^[0-9a-f]{32}$/)
  assert.deepEqual(data.pagination, { limit: 3, offset: 0, hasMore: true })
  const second = (await get(`/x402/transactions/${wallet.normal}?limit=3&offset=3`)).body.data
  assert.deepEqual(
    second.transactions.map(({ type, amount, balanceAfter }: Record<string, unknown>) => [type, amount, balanceAfter]),
    [['TOP_UP', 5, 5]],
  )
  assert.equal(second.pagination.hasMore, false)

  const stranger = createEvmWallet()
  const unknown = await get(`/x402/balance/${stranger.address}`, stranger)
  assert.deepEqual([unknown.status, unknown.body.data.balanceUsd, unknown.body.data.canConsume], [200, 0, false])
  assert.deepEqual((await get(`/x402/transactions/${stranger.address}`, stranger)).body.data.transactions, [])
  for (const path of ['balance', 'transactions']) {
    const foreign = await get(`/x402/${path}/${wallet.address}`, stranger)
    assert.deepEqual([foreign.status, foreign.body.code], [403, 'X402_WALLET_MISMATCH'])
    assert.equal((await get(`/x402/${path}/nonsense`)).status, 400)
    const nobody = await service.get(`/x402/${path}/${wallet.address}`)
    assert.deepEqual([nobody.status, nobody.body.code], [401, 'X402_INVALID_SIGN_IN'])
    assert.equal((await service.admin.get(`/x402/${path}/${wallet.address}`)).status, 401, 'a key is no wallet')
  }
  for (const query of ['limit=0', 'limit=101', 'offset=-1', 'limit=x'])
    assert.equal((await get(`/x402/transactions/${wallet.address}?${query}`)).status, 400, query)
})

test('a linked wallet spends diem first, then its own credit, and sees nothing else of the account', async () => {
  const wallet = await createRichWallet()
  const { id: accountId } = await createAccount(sql, { name: 'stakes', nowMs: Date.now() })
  await grantCredit(sql, { accountId, amountNanos: 7_000_000_000n, idempotencyKey: 'linked', nowMs: Date.now() })
  await setStake(sql, { accountId, amountNanos: 100_000_000n, nowMs: Date.now() })
  await linkWallet(sql, { address: wallet.normal, accountId, nowMs: Date.now() })
  const first = await chat(await service.signedIn(wallet))
  assert.equal(first.status, 200, first.text)
  const diemOf = async () => (await readBalances(sql, [accountId], Date.now())).get(accountId)
  const after = await diemOf()
  assert.ok((after?.diem ?? 0n) < 100_000_000n, 'diem was spent')
  assert.equal(after?.usd, 7_000_000_000n)
  assert.equal(await service.credit(wallet), 5_000_000_000n)
  assert.deepEqual([first.headers['x-balance-remaining'], first.headers['x-svc-balance-usd']], ['5.000000', '5'])
  const { data } = (await service.get(`/x402/balance/${wallet.address}`, { headers: await service.signedIn(wallet) }))
    .body
  assert.equal(data.diemBalanceUsd, Number(after?.diem) / 1e9)
  const wrong = await chat(await service.signedIn(wallet), { model: 'acme' })
  assert.deepEqual([wrong.status, wrong.headers['x-svc-balance-diem']], [400, String(data.diemBalanceUsd)])

  // More than is left of the day's diem: then nothing of it is taken.
  const second = await chat(await service.signedIn(wallet), { ...hello, model: 'acme-dear' })
  assert.equal(second.status, 200, second.text)
  assert.ok((await service.credit(wallet)) < 5_000_000_000n)
  assert.equal((await diemOf())?.usd, 7_000_000_000n, 'the USD of the account are not the wallet’s to spend')
})

test('a retry with the same Idempotency-Key gets the first answer, signed anew', async () => {
  const wallet = await createRichWallet()
  const ask = async () => chat({ ...(await service.signedIn(wallet)), 'idempotency-key': 'one' })
  const first = await ask()
  const left = await service.credit(wallet)
  const again = await ask()
  assert.deepEqual([again.status, again.headers['idempotent-replayed']], [200, 'true'])
  assert.deepEqual(again.body, first.body)
  assert.equal(await service.credit(wallet), left)
  const other = await createRichWallet()
  const theirs = await chat({ ...(await service.signedIn(other)), 'idempotency-key': 'one' })
  assert.equal(theirs.headers['idempotent-replayed'], undefined)
})

test('retries that overlap run once, also where diem pays for only one of them', async () => {
  for (let round = 0; round < 10; round++) {
    const wallet = await createRichWallet()
    const { id: accountId } = await createAccount(sql, { name: 'stakes', nowMs: Date.now() })
    await setStake(sql, { accountId, amountNanos: 100_000_000n, nowMs: Date.now() })
    await linkWallet(sql, { address: wallet.normal, accountId, nowMs: Date.now() })
    const question = { ...hello, model: 'acme-half', max_tokens: 1000 }
    const signed = await Promise.all(Array.from({ length: 6 }, () => service.signedIn(wallet)))
    const answers = await Promise.all(
      signed.map(async (headers, index) => {
        await wait(2 * index)
        return chat({ ...headers, 'idempotency-key': 'one' }, question)
      }),
    )
    assert.ok(answers.every(({ status }) => status === 200))
    assert.equal(answers.filter(({ headers }) => headers['idempotent-replayed'] === undefined).length, 1)
    assert.equal(await service.credit(wallet), 5_000_000_000n)
  }
})

test('a key goes on as before, and a wallet of nobody is no way around it', async () => {
  const wallet = await createRichWallet()
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
