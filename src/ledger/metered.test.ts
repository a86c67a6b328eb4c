import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { request } from 'undici'
import { createKey } from '#accounts/api-keys.js'
import { createTestDatabase } from '../../test/database.js'
import { assertBooks, createPayer } from '../../test/money.js'
import { unitNanos } from '../../test/paid-routes.js'
import { adminKey, createTestClock, startService } from '../../test/service.js'
import { forgetOldAnswers } from './answers.js'

const service = await startService({ after })
const { sql } = service

const units = (count: number) => BigInt(count) * unitNanos

const bill = (requestId: string) =>
  sql.one<{
    outcome: string
    usd: bigint
    bundled: bigint
    held_usd: bigint
    counted_by: string | null
  }>`select * from usage_record where request_id = ${requestId}`

test('a paid request costs what it used, and the rest of its hold is given back', async () => {
  const payer = await createPayer(sql, { usd: units(1000) })
  const answer = await service.as(payer.key).post('/test/paid', { quantity: 3, worst: 500 })
  assert.equal(answer.status, 200)
  assert.deepEqual(answer.body.cost, { usd: String(units(3)), diem: '0' })
  assert.equal((await payer.balances()).usd, units(997))
  const { outcome, usd, held_usd, counted_by } = await bill(answer.body.id)
  assert.deepEqual(
    { outcome, usd, held_usd, counted_by },
    { outcome: 'completed', usd: units(3), held_usd: units(500), counted_by: 'upstream' },
  )
})

test('work that fails costs nothing, and the hold is gone before the answer is', async () => {
  const payer = await createPayer(sql, { usd: units(10) })
  const answer = await service.as(payer.key).post('/test/paid', { quantity: 5, fails: true })
  assert.equal(answer.status, 500)
  assert.equal((await payer.balances()).usd, units(10))
  assert.equal((await bill(String(answer.headers['x-request-id']))).outcome, 'failed')
})

test('what cannot be paid is 402 with the balance and does not run', async () => {
  const payer = await createPayer(sql, { usd: units(10) })
  const { status, body, headers } = await service.as(payer.key).post('/test/paid', { quantity: 11 })
  assert.deepEqual(
    [status, body],
    [
      402,
      {
        code: 'INSUFFICIENT_BALANCE',
        error: 'Insufficient balance: this request needs 0.000011 USD, and 0.00001 USD and 0 diem are left; add credit',
      },
    ],
  )
  assert.deepEqual([headers['x-svc-balance-usd'], headers['x-svc-balance-diem']], ['0.00001', '0'])
})

test('a key that reached its limit is told so, although the account has credit', async () => {
  const payer = await createPayer(sql, {
    usd: units(1000),
    limits: { usd: '0.00001', diem: null },
    limitPeriod: 'MONTH',
  })
  const client = service.as(payer.key)
  assert.equal((await client.post('/test/paid', { quantity: 8 })).status, 200)
  const { status, body } = await client.post('/test/paid', { quantity: 3 })
  assert.equal(status, 402)
  assert.equal(body.code, 'API_KEY_USD_SPEND_LIMIT_EXCEEDED')
  assert.match(
    body.error,
    /^This API key may spend 0\.00001 USD per UTC month; 0\.000002 of that is left and this request needs 0\.000003; it begins anew at \d{4}-\d\d-01T00:00:00\.000Z$/,
  )
  assert.equal((await client.post('/test/paid', { quantity: 2 })).status, 200, 'to the last unit')
})

test('bundled credits are spent before USD, within one request, and count as USD', async () => {
  const payer = await createPayer(sql, { usd: units(10), bundled: units(4), limits: { usd: '0.000006', diem: null } })
  const answer = await service.as(payer.key).post('/test/paid', { quantity: 6 })
  assert.equal(answer.status, 200)
  assert.equal(answer.headers['x-svc-balance-usd'], '0.000014')
  assert.deepEqual(answer.body.cost, { usd: String(units(6)), diem: '0' })
  const { usd, bundled } = await payer.balances()
  assert.deepEqual([usd, bundled], [units(8), 0n])
  assert.equal(
    (await service.as(payer.key).post('/test/paid', { quantity: 1 })).body.code,
    'API_KEY_USD_SPEND_LIMIT_EXCEEDED',
  )
})

test('balances before processing are on every answer to a key, also on errors and on free ones', async () => {
  const payer = await createPayer(sql, { usd: units(10), type: 'ADMIN' })
  const client = service.as(payer.key)
  const paths = ['/models', '/models', '/api_keys', '/api_keys/unknown', '/nowhere']
  for (const path of paths) {
    const { headers } = await client.get(path)
    const expected = path === '/nowhere' ? undefined : '0.00001'
    assert.equal(headers['x-svc-balance-usd'], expected, path)
  }
  const invalid = await client.post('/test/paid', { quantity: -1 })
  assert.deepEqual([invalid.status, invalid.headers['x-svc-balance-usd']], [400, '0.00001'])
  assert.equal((await service.get('/models')).headers['x-svc-balance-usd'], undefined, 'not without a key')
  await payer.grant(units(1))
  const balance = async () => (await client.get('/models')).headers['x-svc-balance-usd']
  const deadline = performance.now() + 5_000
  while ((await balance()) !== '0.000011' && performance.now() < deadline) await wait(10)
  assert.equal(await balance(), '0.000011', 'a grant is heard of everywhere')
})

test('a request may hold less than its worst case, down to its least', async () => {
  const payer = await createPayer(sql, { usd: units(10) })
  const client = service.as(payer.key)
  assert.equal((await client.post('/test/paid', { quantity: 10, worst: 1000, least: 5 })).status, 200)
  assert.equal((await payer.balances()).usd, 0n)
})

const stream = async (key: string, body: object, signal?: AbortSignal) => {
  const answer = await request(`${service.origin}/api/v1/test/stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: signal ?? null,
  })
  return { requestId: String(answer.headers['x-request-id']), answer }
}

test('a stream extends its hold on the way and ends with "length" when there is no more; nothing goes below zero', async () => {
  const payer = await createPayer(sql, { usd: units(25) })
  const { answer, requestId } = await stream(payer.key, { events: 100, step: 10 })
  const text = await answer.body.text()
  assert.match(text, /"reason":"length","sent":25/)
  assert.match(text, /\[DONE\]/)
  assert.equal((await payer.balances()).usd, 0n)
  assert.deepEqual((await bill(requestId)).counted_by, 'running stats')
})

test('a caller who leaves in mid-stream pays for what was made until then', async () => {
  const payer = await createPayer(sql, { usd: units(1000) })
  const leave = new AbortController()
  const { answer, requestId } = await stream(payer.key, { events: 1000, step: 10, pauseMs: 5 }, leave.signal)
  for await (const chunk of answer.body) if (String(chunk).includes('data: 3')) break
  leave.abort()
  const deadline = performance.now() + 5_000
  let row: { outcome: string; usd: bigint } | undefined
  while (!row && performance.now() < deadline) {
    row = await sql.maybeOne`select outcome, usd from usage_record where request_id = ${requestId}`
    await wait(10)
  }
  assert.equal(row?.outcome, 'aborted')
  assert.ok(row.usd >= units(4) && row.usd < units(200), `${row.usd}`)
  assert.equal((await payer.balances()).usd, units(1000) - row.usd)
})

test('a stream that breaks on our side costs nothing', async () => {
  const payer = await createPayer(sql, { usd: units(100) })
  const { answer, requestId } = await stream(payer.key, { events: 10, step: 10, failsAfter: 3 })
  await assert.rejects(answer.body.text())
  const deadline = performance.now() + 5_000
  while ((await payer.balances()).usd !== units(100) && performance.now() < deadline) await wait(10)
  assert.equal((await bill(requestId)).outcome, 'failed')
})

test('a retry with the same Idempotency-Key gets the first answer and pays nothing', async () => {
  const payer = await createPayer(sql, { usd: units(100) })
  const send = (body: object, key = 'once') =>
    service.as(payer.key).post('/test/paid', body, { headers: { 'idempotency-key': key } })
  const first = await send({ quantity: 7 })
  const again = await send({ quantity: 7 })
  assert.deepEqual([again.status, again.text], [200, first.text])
  assert.equal(first.headers['idempotent-replayed'], undefined)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.equal(again.headers['x-svc-balance-usd'], '0.000093')
  assert.notEqual(again.headers['x-request-id'], first.headers['x-request-id'])
  assert.equal((await payer.balances()).usd, units(93))

  const other = await send({ quantity: 8 })
  assert.deepEqual([other.status, other.body.code], [400, 'IDEMPOTENCY_KEY_REUSED'])
  assert.equal((await send({ quantity: 7 }, 'another')).status, 200)
  assert.equal((await payer.balances()).usd, units(86))
  for (const bad of ['', 'x'.repeat(256)]) assert.equal((await send({ quantity: 1 }, bad)).status, 400)
})

test('retries that overlap run once, and all get the same answer', async () => {
  const payer = await createPayer(sql, { usd: units(100) })
  const answers = await Promise.all(
    Array.from({ length: 10 }, () =>
      service
        .as(payer.key)
        .post('/test/paid', { quantity: 7, delayMs: 150 }, { headers: { 'idempotency-key': 'parallel' } }),
    ),
  )
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
  assert.equal((await payer.balances()).usd, units(93))
})

test('what failed runs again under the same Idempotency-Key', async () => {
  const payer = await createPayer(sql, { usd: units(5) })
  const send = (body: object) => service.as(payer.key).post('/test/paid', body, { headers: { 'idempotency-key': 'k' } })
  assert.equal((await send({ quantity: 9 })).status, 402)
  assert.equal((await send({ quantity: 2, fails: true })).status, 500)
  assert.equal((await send({ quantity: 3 })).status, 200)
  assert.equal((await payer.balances()).usd, units(2))
})

test('answers are kept unreadable, and keys of one account do not meet under one Idempotency-Key', async () => {
  const payer = await createPayer(sql, { usd: units(100) })
  const headers = { 'idempotency-key': 'popular' }
  await service.as(payer.key).post('/test/paid', { quantity: 1 }, { headers })
  const [row] = await sql<{ answer: Buffer }>`
    select answer from idempotent_answer where account_id = ${payer.accountId}`
  assert.ok(row && !row.answer.includes('done') && !row.answer.includes('cost'))
  const { secret } = await createKey(
    sql,
    { accountId: payer.accountId, type: 'INFERENCE', description: '' },
    Date.now(),
  )
  assert.equal((await service.as(secret).post('/test/paid', { quantity: 2 }, { headers })).status, 200)
  assert.equal((await payer.balances()).usd, units(97))
})

test('after 24 hours an Idempotency-Key is free again, and its answer is gone', async (test) => {
  const clock = createTestClock()
  const later = await startService(test, { clock })
  const payer = await createPayer(later.sql, { usd: units(100), nowMs: clock.nowMs() })
  const send = (quantity: number) =>
    later.as(payer.key).post('/test/paid', { quantity }, { headers: { 'idempotency-key': 'daily' } })
  assert.equal((await send(1)).status, 200)
  clock.advance(24 * 60 * 60 * 1000 - 1)
  assert.equal((await send(2)).status, 400, 'another request, within the day')
  clock.advance(1)
  assert.equal((await send(2)).status, 200)
  clock.advance(24 * 60 * 60 * 1000 + 1)
  await forgetOldAnswers(later.sql, clock.nowMs())
  assert.deepEqual(await later.sql`select 1 from idempotent_answer`, [])
})

test('a stop settles what was made for a caller who has left', async (test) => {
  const database = await createTestDatabase()
  test.after(database.drop)
  const stopping = await startService(test, { database })
  const payer = await createPayer(stopping.sql, { usd: units(1000) })
  const leave = new AbortController()
  const answer = await request(`${stopping.origin}/api/v1/test/stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${payer.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ events: 1000, step: 10, pauseMs: 300 }),
    signal: leave.signal,
  })
  answer.body.on('error', () => {})
  leave.abort()
  await stopping.app.close()
  const { outcome } = await stopping.sql.one<{ outcome: string }>`select outcome from usage_record`
  assert.equal(outcome, 'aborted')
  assert.deepEqual(await stopping.sql`select 1 from ledger_hold`, [])
})

test('the trial credit of the first account pays', async () => {
  const { status, headers } = await service.as(adminKey).post('/test/paid', { quantity: 1 })
  assert.deepEqual([status, headers['x-svc-balance-usd']], [200, '100'])
})

test('after all of this, the books are right', () => assertBooks(sql))
