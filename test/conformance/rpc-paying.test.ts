import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { request } from 'undici'
import { setTier } from '#accounts/accounts.js'
import { createDatabase } from '#store/sql.js'
import type { Answer } from '../client.js'
import { createTestDatabase } from '../database.js'
import { startFakeRpcNode } from '../fakes/rpc-node.js'
import { assertBooks, createPayer } from '../money.js'
import { startPaidProcesses } from '../paid-processes.js'
import { creditNanos, rpcSection, startRpcService } from '../rpc-service.js'
import { createTestClock } from '../service.js'
import { startWalletService } from '../wallet-service.js'

const node = await startFakeRpcNode({ after })
node.answer('web3_clientVersion', 'fake')
const networks = { 'ethereum-mainnet': { upstreams: [node.url] } }
let questions = 0
/** Never kept, and each another question, so that every one that is let in reaches the node. */
const version = (id: unknown = 1) => ({ id, method: 'web3_clientVersion', params: [++questions] })
const asked = () => node.times('web3_clientVersion')
const limitHeaders = ({ headers }: Answer) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.startsWith('x-ratelimit-') || name === 'retry-after'),
  )

const minute = Date.UTC(2026, 10, 15, 12)
const clock = createTestClock(minute + 10_000)
const limited = await startRpcService(
  { after },
  {
    networks,
    clock,
    requestsPerMinute: 3,
    creditsPerDay: 200,
    tiers: { generous: { requestsPerMinute: 100, creditsPerDay: 100_000 } },
  },
)

describe('limits', () => {
  /** Somebody whom no other test has counted. */
  const someone = async (tier?: string) => {
    const payer = await createPayer(limited.sql, { usd: 10n ** 12n, nowMs: clock.nowMs() })
    if (tier !== undefined) await setTier(limited.sql, payer.accountId, tier)
    const call = limited.callAs(payer.key)
    const ask = (body: unknown = version(), headers = {}) => call('ethereum-mainnet', body, headers)
    return { ...payer, ask }
  }

  test('of requests: the fourth in a minute is told when the next minute begins, and costs nothing', async () => {
    const caller = await someone()
    for (let times = 0; times < 3; times++) {
      const answer = await caller.ask()
      assert.deepEqual([answer.status, limitHeaders(answer)], [200, {}])
    }
    const [before, owned] = [asked(), await limited.balanceOf(caller)]
    const answer = await caller.ask()
    assert.equal(answer.status, 429)
    assert.deepEqual(limitHeaders(answer), {
      'x-ratelimit-limit': '3',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(minute / 1000 + 60),
      'retry-after': '50',
    })
    assert.match(answer.body.customMessage, /3 requests per minute/)
    assert.deepEqual([asked(), await limited.balanceOf(caller)], [before, owned])

    clock.set(minute + 60_000)
    assert.equal((await caller.ask()).status, 200)
    clock.set(minute + 10_000)
  })

  test('of credits: what would exceed them in 24 hours is refused, what fits is not', async () => {
    const caller = await someone()
    assert.equal((await caller.ask(Array.from({ length: 8 }, (_, id) => version(id)))).status, 200)
    const [before, owned] = [asked(), await limited.balanceOf(caller)]
    const answer = await caller.ask([version(1), version(2), version(3)])
    assert.equal(answer.status, 429)
    assert.match(answer.body.customMessage, /200 credits .*24 hours/)
    const { 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': remaining, ...rest } = limitHeaders(answer)
    assert.deepEqual([limit, remaining], ['200', '40'])
    assert.ok(Number(rest['x-ratelimit-reset']) > clock.nowMs() / 1000 && Number(rest['retry-after']) > 0)
    assert.deepEqual([asked(), await limited.balanceOf(caller)], [before, owned])
    assert.equal((await caller.ask([version(1), version(2)])).status, 200)

    clock.advance(25 * 3_600_000)
    assert.equal((await caller.ask([version(1), version(2), version(3)])).status, 200)
    clock.set(minute + 10_000)
  })

  test('count what was used, not what might have been', async () => {
    const caller = await someone()
    node.rawError('eth_call', '{"code":3,"message":"execution reverted"}')
    const failing = Array.from({ length: 10 }, (_, id) => ({ id, method: 'eth_call', params: [{}, 'latest'] }))
    assert.equal((await caller.ask(failing)).headers['x-svc-rpc-credits'], '50')
    assert.equal((await caller.ask(Array.from({ length: 7 }, (_, id) => version(id)))).status, 200)
    assert.equal((await caller.ask()).status, 429)
  })

  test('do not keep an answer from who has paid for it', async () => {
    const caller = await someone()
    const headers = { 'idempotency-key': 'once' }
    const body = version()
    const first = await caller.ask(body, headers)
    for (let times = 0; times < 2; times++) assert.equal((await caller.ask()).status, 200)
    assert.equal((await caller.ask()).status, 429)
    const again = await caller.ask(body, headers)
    assert.deepEqual([again.status, again.text], [200, first.text])
    assert.equal((await caller.ask(version(), { 'idempotency-key': 'another' })).status, 429)
  })

  test('are those of the tier', async () => {
    const caller = await someone('generous')
    for (let times = 0; times < 12; times++) assert.equal((await caller.ask()).status, 200)
  })

  test('hold for many at once: exactly as many as there may be are let in', async () => {
    const caller = await someone()
    const [before, owned] = [asked(), await limited.balanceOf(caller)]
    const answers = await Promise.all(Array.from({ length: 20 }, (_, id) => caller.ask(version(id))))
    assert.equal(answers.filter(({ status }) => status === 200).length, 3)
    // Equal calls at once are asked together.
    assert.ok(asked() - before <= 3)
    assert.equal(owned - (await limited.balanceOf(caller)), 60n * creditNanos)
  })
})

const service = await startRpcService({ after }, { networks })

describe('money', () => {
  const price = 20n * creditNanos

  test('for ten calls lets in ten of forty at once, and the account is empty then', async () => {
    const payer = await createPayer(service.sql, { usd: 10n * price })
    const before = asked()
    const call = service.callAs(payer.key)
    const answers = await Promise.all(Array.from({ length: 40 }, (_, id) => call('ethereum-mainnet', version(id))))
    const statuses = answers.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [...Array(10).fill(200), ...Array(30).fill(402)])
    assert.ok(asked() - before <= 10)
    assert.equal(await service.balanceOf(payer), 0n)
  })

  test('that a key may spend is a limit: 402 beyond it', async () => {
    const payer = await createPayer(service.sql, { usd: 1_000_000n, limits: { usd: '0.00003', diem: null } })
    const call = service.callAs(payer.key)
    const statuses = []
    for (let times = 0; times < 3; times++) statuses.push((await call('ethereum-mainnet', version())).status)
    const before = asked()
    const { status, body } = await call('ethereum-mainnet', version())
    assert.deepEqual([...statuses, status, body.code], [200, 200, 402, 402, 'API_KEY_USD_SPEND_LIMIT_EXCEEDED'])
    assert.deepEqual([asked(), await service.balanceOf(payer)], [before, 1_000_000n - 2n * price])
  })

  test('is billed call by call or together, and every bill adds up', async () => {
    const payer = await createPayer(service.sql, { usd: 10n ** 9n })
    const call = service.callAs(payer.key)
    await Promise.all(Array.from({ length: 50 }, (_, id) => call('ethereum-mainnet', [version(id), version('b')])))
    const bills = await service.usageOf(payer)
    assert.equal(
      bills.reduce((sum, { usd, bundled }) => sum + usd + bundled, 0n),
      50n * 40n * creditNanos,
    )
    assert.ok(bills.every(({ outcome }) => outcome === 'completed'))
    assert.equal(await service.balanceOf(payer), 10n ** 9n - 50n * 40n * creditNanos)
  })
})

test('a wallet that signs in pays, and is told what is left; one without credit is told how to go on', async (t) => {
  const shop = await startWalletService(t, { more: rpcSection(networks) })
  const ask = (headers: Record<string, string>) => shop.post('/crypto/rpc/ethereum-mainnet', version(), { headers })
  const wallet = await shop.richWallet(5_000_000_000n)
  for (const times of [1n, 2n]) {
    const answer = await ask(await shop.signedIn(wallet))
    assert.deepEqual([answer.status, answer.body.result], [200, 'fake'], answer.text)
    const left = 5_000_000_000n - times * 20n * creditNanos
    assert.equal(await shop.credit(wallet), left)
    assert.equal(BigInt(String(answer.headers['x-balance-remaining']).replace('.', '')), left / 1000n)
  }
  const before = asked()
  const poor = await ask(await shop.signedIn(await shop.richWallet(0n)))
  assert.deepEqual([poor.status, poor.body.code], [402, 'PAYMENT_REQUIRED'], poor.text)
  assert.ok(poor.body.topUpInstructions)
  const signedElsewhere = await ask({ 'sign-in-with-x': await wallet.signIn('https://elsewhere.example') })
  assert.equal(signedElsewhere.status, 401)
  assert.equal(asked(), before)
  await assertBooks(shop.sql)
})

test('two processes on one database keep one limit', async (t) => {
  const database = await createTestDatabase()
  const { sql, close } = createDatabase(database.connection, { connectionsMax: 2 })
  const processes = await startPaidProcesses(t, {
    connection: database.connection,
    count: 2,
    config: rpcSection(networks, { requestsPerMinute: 30 }),
    // In the middle of a minute, where the clocks of both stand still.
    standsAtMs: Date.UTC(2026, 10, 15, 12, 0, 30),
  })
  t.after(async () => {
    await close()
    await database.drop()
  })
  const payer = await createPayer(sql, { usd: 10n ** 9n })
  const before = asked()
  const answers = await Promise.all(
    Array.from({ length: 100 }, async (_, id) => {
      const answer = await request(`${processes[id % 2]?.url}/crypto/rpc/ethereum-mainnet`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${payer.key}` },
        body: JSON.stringify(version(id)),
      })
      await answer.body.dump()
      return answer.statusCode
    }),
  )
  assert.deepEqual(
    [answers.filter((status) => status === 200).length, answers.filter((status) => status === 429).length],
    [30, 70],
  )
  assert.ok(asked() - before <= 30)
  assert.equal((await payer.balances()).usd, 10n ** 9n - 30n * 20n * creditNanos)
  await assertBooks(sql)
})
