import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { assertBooks } from '../../../test/money.js'
import { createTestClock, startService } from '../../../test/service.js'
import { createAdminPayer, holdUsage, line, settleUsage } from '../../../test/usage.js'

const clock = createTestClock()
const service = await startService({ after }, { clock })
const { sql } = service
const usd = (dollars: number) => BigInt(dollars * 1e9)
const payer = async (credit: { usd?: bigint; bundled?: bigint; diem?: bigint }) => {
  const made = await createAdminPayer(sql, { ...credit, nowMs: clock.nowMs() })
  return { ...made, client: service.as(made.key) }
}

test('billing is for ADMIN keys only', async () => {
  const made = await service.admin.post('/api_keys', { apiKeyType: 'INFERENCE', description: 'x' })
  const paths = ['balance', 'usage-history', 'usage-analytics', `requests/${randomUUID()}`]
  for (const path of paths) {
    const { status, body } = await service.as(made.body.data.apiKey).get(`/billing/${path}`)
    assert.deepEqual([status, body.error], [401, 'Admin API key required'], path)
    assert.equal((await service.get(`/billing/${path}`)).status, 401)
  }
})

test('a balance names what the next request is paid with: diem, then bundled credits, then USD', async () => {
  const balance = async (credit: object) => (await (await payer(credit)).client.get('/billing/balance')).body
  assert.deepEqual(await balance({}), {
    canConsume: false,
    consumptionCurrency: null,
    balances: { diem: null, usd: 0 },
    diemEpochAllocation: 0,
  })
  assert.deepEqual(await balance({ usd: 1n }), {
    canConsume: true,
    consumptionCurrency: 'USD',
    balances: { diem: null, usd: 1e-9 },
    diemEpochAllocation: 0,
  })
  assert.deepEqual(await balance({ usd: usd(0.1), bundled: usd(0.2) }), {
    canConsume: true,
    consumptionCurrency: 'BUNDLED_CREDITS',
    balances: { diem: null, usd: 0.3 },
    diemEpochAllocation: 0,
  })
  assert.deepEqual(await balance({ usd: usd(1), bundled: usd(1), diem: usd(2.5) }), {
    canConsume: true,
    consumptionCurrency: 'DIEM',
    balances: { diem: 2.5, usd: 2 },
    diemEpochAllocation: 2.5,
  })
})

test('a stake below a tenth of a diem grants nothing, and the balance says so', async () => {
  const { client } = await payer({ diem: 99_999_999n })
  assert.deepEqual((await client.get('/billing/balance')).body, {
    canConsume: false,
    consumptionCurrency: null,
    balances: { diem: 0, usd: 0 },
    diemEpochAllocation: 0,
  })
})

test('what is held or was paid is no longer in the balance', async () => {
  const { accountId, client } = await payer({ usd: usd(10) })
  await holdUsage(sql, { accountId, atMs: clock.nowMs() })
  await settleUsage(sql, { accountId, atMs: clock.nowMs(), lines: [line({ quantity: 2_500_000n })] })
  assert.equal((await client.get('/billing/balance')).body.balances.usd, 6.5)
})

test('the bill of a request, line by line, found by any name of it', async () => {
  const { accountId, client, apiKeyId } = await payer({ usd: usd(10), bundled: usd(1), diem: usd(0.5) })
  const lines = [
    line({ sku: 'acme-chat-llm-input-mtoken', part: 'Input', quantity: 300n, usdPerMillion: 150_000_000n }),
    line({ quantity: 2_000_001n }),
    line({ sku: 'acme-web-search', part: 'Web Search', quantity: 2n, usdPerMillion: 10_000_000_000_000n, per: 'one' }),
  ]
  const { requestId, paid } = await settleUsage(sql, { accountId, apiKeyId, lines, atMs: clock.nowMs() })
  const dashed = requestId.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  const { status, body } = await client.get(`/billing/requests/${requestId}`)
  assert.equal(status, 200)
  const zero = { usd: '0', bundled: '0', diem: '0' }
  const { lines: shown, ...rest } = body
  assert.deepEqual(rest, {
    requestId,
    model: 'acme-chat',
    apiKeyId,
    outcome: 'completed',
    startedAt: '2026-11-15T11:59:59.000Z',
    settledAt: '2026-11-15T12:00:00.000Z',
    countedBy: 'estimate',
    held: { usd: '0.520046', bundled: '1', diem: '0.5' },
    captured: { usd: '0.520046', bundled: '1', diem: '0.5' },
    released: zero,
  })
  assert.deepEqual(
    shown.map(({ usd: _usd, diem: _diem, ...priced }: Record<string, unknown>) => priced),
    [
      {
        sku: 'acme-chat-llm-input-mtoken',
        part: 'Input',
        units: 0.0003,
        pricePerUnitUsd: '0.15',
        pricePerUnitDiem: '0.15',
      },
      {
        sku: 'acme-chat-llm-output-mtoken',
        part: 'Output',
        units: 2.000001,
        pricePerUnitUsd: '1',
        pricePerUnitDiem: '1',
      },
      { sku: 'acme-web-search', part: 'Web Search', units: 2, pricePerUnitUsd: '0.01', pricePerUnitDiem: '0.01' },
    ],
  )
  const nanos = (field: 'usd' | 'diem') =>
    shown.reduce((sum: bigint, one: Record<string, string>) => sum + BigInt(Math.round(Number(one[field]) * 1e9)), 0n)
  assert.deepEqual([nanos('usd'), nanos('diem')], [paid.usd + paid.bundled, paid.diem])
  for (const name of [dashed, requestId.toUpperCase(), `chatcmpl-${requestId}`, `resp_${requestId}`])
    assert.deepEqual((await client.get(`/billing/requests/${name}`)).body, body, name)
})

test('a request that runs has a bill too: what is held, and no lines yet', async () => {
  const { accountId, client } = await payer({ usd: usd(10) })
  const { requestId } = await holdUsage(sql, { accountId, atMs: clock.nowMs() })
  const { body } = await client.get(`/billing/requests/${requestId}`)
  const zero = { usd: '0', bundled: '0', diem: '0' }
  assert.deepEqual(body, {
    requestId,
    model: 'acme-chat',
    apiKeyId: null,
    outcome: 'running',
    startedAt: '2026-11-15T12:00:00.000Z',
    settledAt: null,
    countedBy: null,
    lines: [],
    held: { usd: '1', bundled: '0', diem: '0' },
    captured: zero,
    released: zero,
  })
})

test('a request that failed cost nothing, and all that was held was given back', async () => {
  const { accountId, client } = await payer({ usd: usd(10) })
  const { requestId } = await settleUsage(sql, { accountId, outcome: 'failed', atMs: clock.nowMs() })
  const { body } = await client.get(`/billing/requests/${requestId}`)
  assert.deepEqual([body.outcome, body.lines, body.captured.usd, body.released.usd], ['failed', [], '0', '1'])
})

test('a request of another account, an unknown one and what is no id at all are 404', async () => {
  const { accountId } = await payer({ usd: usd(10) })
  const { requestId } = await settleUsage(sql, { accountId, atMs: clock.nowMs() })
  const running = await holdUsage(sql, { accountId, atMs: clock.nowMs() })
  const names = [requestId, running.requestId, randomUUID(), 'x', '%00', `chatcmpl-${'0'.repeat(31)}`, 'a'.repeat(900)]
  for (const name of names) {
    const { status, body } = await service.admin.get(`/billing/requests/${name}`)
    assert.deepEqual([status, body.code], [404, 'NOT_FOUND'], name)
  }
})

test('GET /billing/usage has ended, for everybody, and names what came after it', async () => {
  for (const client of [service, service.admin, service.as('wrong')]) {
    const { status, body, headers } = await client.get('/billing/usage')
    assert.deepEqual([status, typeof body.error], [410, 'string'])
    assert.match(String(headers.deprecation), /^@\d+$/)
    assert.equal(new Date(String(headers.sunset)).toUTCString(), headers.sunset)
    assert.equal(headers.link, '</api/v1/billing/usage-history>; rel="successor-version"')
  }
})

test('keys show what they spent in seven days, and in the period of their limit', async () => {
  const { accountId, client } = await payer({ usd: usd(100), diem: usd(0.25) })
  const make = async (fields: object) =>
    (await client.post('/api_keys', { apiKeyType: 'INFERENCE', description: 'x', ...fields })).body.data.id as string
  const limited = { consumptionLimit: { usd: 50 } }
  const [free, day, month, life, unused] = [
    await make({}),
    await make({ ...limited, limitPeriod: 'EPOCH' }),
    await make({ ...limited, limitPeriod: 'MONTH' }),
    await make({ consumptionLimit: { diem: 50 }, limitPeriod: 'LIFETIME' }),
    await make(limited),
  ]
  const dayMs = 86_400_000
  const now = clock.nowMs()
  // Last month, the first day that no longer counts, the first that does, and today.
  for (const daysAgo of [20, 7, 6, 0])
    for (const apiKeyId of [free, day, month, life])
      await settleUsage(sql, {
        accountId,
        apiKeyId,
        atMs: now - daysAgo * dayMs,
        lines: [line({ quantity: BigInt(daysAgo + 1) * 1_000n })],
      })
  const week = { usd: '0', diem: '0.008', vcu: '0.008' }
  const records = (await client.get('/api_keys')).body.data as { id: string }[]
  const record = (id: string) => records.find((one) => one.id === id) as Record<string, unknown>
  assert.deepEqual(record(free).usage, { trailingSevenDays: week })
  assert.equal('currentPeriodUsage' in record(free), false)
  assert.deepEqual(record(day).currentPeriodUsage, { usd: '0', diem: '0.001' })
  assert.deepEqual(record(month).currentPeriodUsage, { usd: '0', diem: '0.016' })
  assert.deepEqual(record(life).currentPeriodUsage, { usd: '0', diem: '0.037' })
  assert.deepEqual(record(unused).currentPeriodUsage, { usd: '0', diem: '0' })
  for (const id of [free, month, unused])
    assert.deepEqual((await client.get(`/api_keys/${id}`)).body.data, record(id), 'one key shows the same')
  const patched = (await client.patch('/api_keys', { id: month, description: 'y' })).body.data
  assert.equal('usage' in patched, false)
})

test('a call through the gate is in all figures as soon as it is answered', async () => {
  const { client, apiKeyId } = await payer({ usd: usd(1) })
  const paid = await client.post('/test/paid', { quantity: 1234, worst: 5000 })
  assert.equal(paid.status, 200, paid.text)
  const requestId = paid.headers['x-request-id'] as string
  const bill = (await client.get(`/billing/requests/${requestId}`)).body
  assert.deepEqual([bill.held.usd, bill.captured.usd, bill.released.usd], ['0.005', '0.001234', '0.003766'])
  assert.deepEqual([bill.apiKeyId, bill.countedBy, bill.lines[0].usd], [apiKeyId, 'upstream', '0.001234'])
  assert.equal((await client.get('/billing/balance')).body.balances.usd, 0.998766)
  const [entry] = (await client.get('/billing/usage-history')).body.data
  assert.deepEqual([entry.amount, entry.inferenceDetails.requestId], [-0.001234, requestId])
  const { byModel, byKey } = (await client.get('/billing/usage-analytics?lookback=1d')).body
  assert.deepEqual([byModel[0].modelName, byModel[0].totalUsd], ['test-model', 0.001234])
  assert.deepEqual([byKey[0].apiKeyId, byKey[0].totalUsd], [apiKeyId, 0.001234])
  const { usage } = (await client.get(`/api_keys/${apiKeyId}`)).body.data
  assert.equal(usage.trailingSevenDays.usd, '0.001234')
})

test('the books are still right after all of this', () => assertBooks(sql, clock.nowMs()))
