import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createAccount } from '#accounts/accounts.js'
import { linkWallet } from '#accounts/wallets/wallets.js'
import { readBalances } from '#ledger/credit/balances.js'
import { grantCredit } from '#ledger/credit/grant.js'
import { setStake } from '#ledger/credit/stake.js'
import { assertBooks } from '../money.js'
import { hello, startChains, startWalletService } from '../wallet-service.js'
import { createEvmWallet, fromBase64Json } from '../wallets.js'

const chains = await startChains({ after })
const models = `
  - { id: acme-dear, type: text, engine: { upstream: house }, contextTokens: 4000, pricing: { input: "20000", output: "2000" } }
  - { id: acme-half, type: text, engine: { upstream: house }, contextTokens: 4000, pricing: { input: "20", output: "80" } }`
const service = await startWalletService({ after }, { chains, models })
const { sql, chat, richWallet } = service

test('a wallet with too little gets 402 with how to go on, whatever the price', async () => {
  const stranger = createEvmWallet()
  const poor = await richWallet(99_999_999n)
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
  const wallet = await richWallet(100_000_000n)
  const answers = await Promise.all(Array.from({ length: 8 }, async () => chat(await service.signedIn(wallet))))
  const refused = answers.filter(({ status }) => status === 402)
  assert.ok(refused.length > 0)
  for (const { headers, body } of refused) {
    assert.equal(headers['x-svc-balance-usd'], String(body.currentBalanceUsd))
    assert.equal(headers['x-balance-remaining'], body.currentBalanceUsd.toFixed(6))
  }
})

test('what costs more than the wallet has is refused, and nothing is charged', async () => {
  const wallet = await richWallet(150_000_000n)
  const { status, body } = await chat(await service.signedIn(wallet), { ...hello, model: 'acme-dear' })
  assert.deepEqual([status, body.code, body.currentBalanceUsd], [402, 'PAYMENT_REQUIRED', 0.15])
  assert.match(body.message, /does not pay for this request/)
  assert.equal(await service.credit(wallet), 150_000_000n)
  assert.equal((await chat(await service.signedIn(wallet))).status, 200)
})

test('balance and transactions are told to the wallet itself, and to nobody else', async () => {
  const wallet = await richWallet()
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
  const wallet = await richWallet()
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
  const wallet = await richWallet()
  const ask = async () => chat({ ...(await service.signedIn(wallet)), 'idempotency-key': 'one' })
  const first = await ask()
  const left = await service.credit(wallet)
  const again = await ask()
  assert.deepEqual([again.status, again.headers['idempotent-replayed']], [200, 'true'])
  assert.deepEqual(again.body, first.body)
  assert.equal(await service.credit(wallet), left)
  const other = await richWallet()
  const theirs = await chat({ ...(await service.signedIn(other)), 'idempotency-key': 'one' })
  assert.equal(theirs.headers['idempotent-replayed'], undefined)
})

test('retries that overlap run once, also where diem pays for only one of them', async () => {
  for (let round = 0; round < 10; round++) {
    const wallet = await richWallet()
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

test('the books are in order after all of it', () => assertBooks(sql))
