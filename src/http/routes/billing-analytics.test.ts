import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createUsage } from '#ledger/usage/usage.js'
import { createDatabase } from '#store/sql.js'
import { createTestClock, startService } from '../../../test/service.js'
import { createAdminPayer, line, settleUsage } from '../../../test/usage.js'

const clock = createTestClock()
const service = await startService({ after }, { clock })
const { sql } = service
const dayMs = 86_400_000
const payer = async (diem = 0n) => {
  const made = await createAdminPayer(sql, { usd: 10n ** 12n, diem, nowMs: clock.nowMs() })
  return { ...made, client: service.as(made.key) }
}
const dollars = (amount: number) => [line({ quantity: BigInt(amount * 1e6) })]

test('without usage every day of the last seven is there, with zeros', async () => {
  const { client } = await payer()
  const { status, body } = await client.get('/billing/usage-analytics')
  assert.equal(status, 200)
  assert.deepEqual(body.byDate[0], { date: '2026-11-09', USD: 0, DIEM: 0 })
  assert.deepEqual(body.byDate.at(-1), { date: '2026-11-15', USD: 0, DIEM: 0 })
  const { byDate, byModelDaily, byKeyDaily, ...rest } = body
  assert.deepEqual([byDate.length, byModelDaily.length, byKeyDaily.length], [7, 7, 7])
  assert.deepEqual(byModelDaily[0], { date: Date.UTC(2026, 10, 9) })
  assert.deepEqual(rest, { lookback: '7d', byModel: [], topModels: [], byKey: [], topKeyNames: [] })
})

test('spending by day, model and key, highest first', async () => {
  const { accountId, client, apiKeyId } = await payer(3_000_000_000n)
  const use = { accountId, atMs: clock.nowMs() }
  const input = line({ sku: 'in', part: 'Input', quantity: 500_000n, usdPerMillion: 200_000_000n })
  await settleUsage(sql, { ...use, apiKeyId, atMs: clock.nowMs() - 7 * dayMs, lines: dollars(50) })
  await settleUsage(sql, { ...use, apiKeyId, atMs: clock.nowMs() - 6 * dayMs, lines: [input, ...dollars(4)] })
  await settleUsage(sql, { ...use, goods: { model: 'small' }, lines: dollars(2) })
  await settleUsage(sql, {
    ...use,
    goods: { model: 'acme-speech', modelType: 'ASR', unitType: 'seconds' },
    lines: [line({ part: 'Audio', quantity: 1_500_000n, usdPerMillion: 100_000_000n, per: 'millionths' })],
  })
  const { body } = await client.get('/billing/usage-analytics?lookback=7d')
  assert.deepEqual(
    body.byDate.filter((day: { USD: number; DIEM: number }) => day.USD + day.DIEM > 0),
    [
      { date: '2026-11-09', USD: 1.1, DIEM: 3 },
      { date: '2026-11-15', USD: 0, DIEM: 2.15 },
    ],
  )
  const [chat, small, speech] = body.byModel
  assert.deepEqual([chat.modelName, chat.totalUsd, chat.totalDiem, chat.totalUnits], ['acme-chat', 1.1, 3, 4_500_000])
  assert.deepEqual(
    chat.breakdown.map((part: { type: string; units: number }) => [part.type, part.units]),
    [
      ['Output', 4_000_000],
      ['Input', 500_000],
    ],
  )
  assert.deepEqual([small.modelName, small.totalDiem], ['small', 2])
  assert.deepEqual(speech, {
    modelName: 'acme-speech',
    unitType: 'seconds',
    modelType: 'ASR',
    totalUsd: 0,
    totalDiem: 0.15,
    totalUnits: 1.5,
    breakdown: [{ type: 'Audio', usd: 0, diem: 0.15, units: 1.5 }],
  })
  assert.deepEqual(body.topModels, ['acme-chat', 'small', 'acme-speech'])
  assert.deepEqual(body.byModelDaily[0], {
    date: Date.UTC(2026, 10, 9),
    'acme-chat': 4.1,
    small: 0,
    'acme-speech': 0,
  })
  assert.deepEqual(body.byKey, [
    { apiKeyId, description: 'billing', totalUsd: 1.1, totalDiem: 3, totalUnits: 4_500_000 },
    { apiKeyId: null, description: 'Without API key', totalUsd: 0, totalDiem: 2.15, totalUnits: 2_000_001 },
  ])
  assert.deepEqual(body.topKeyNames, ['billing', 'Without API key'])
  assert.deepEqual(body.byKeyDaily.at(-1), { date: Date.UTC(2026, 10, 15), billing: 0, 'Without API key': 2.15 })
})

test('the days asked for are the days told, and nobody sees the usage of others', async () => {
  const { accountId, client } = await payer()
  for (const daysAgo of [40, 30, 20]) {
    const atMs = clock.nowMs() - daysAgo * dayMs
    await settleUsage(sql, { accountId, atMs, lines: dollars(1) })
  }
  const { body } = await client.get('/billing/usage-analytics?startDate=2026-10-06&endDate=2026-10-16')
  assert.equal(body.lookback, '2026-10-06:2026-10-16')
  assert.deepEqual([body.byDate.length, body.byModel[0].totalUsd], [11, 2])
  assert.equal((await client.get('/billing/usage-analytics?lookback=31d')).body.byModel[0].totalUsd, 2)
  assert.equal((await client.get('/billing/usage-analytics?lookback=90d')).body.byDate.length, 90)
  const leap = await client.get('/billing/usage-analytics?startDate=2028-01-01&endDate=2028-12-31')
  assert.equal(leap.body.byDate.length, 366)
  assert.deepEqual((await (await payer()).client.get('/billing/usage-analytics?lookback=90d')).body.byModel, [])
})

test('names that would clash are made distinct; a model may be called date or __proto__', async () => {
  const { accountId, client } = await payer()
  const keys: string[] = []
  for (const name of ['twin', 'twin', 'date', ''])
    keys.push((await client.post('/api_keys', { apiKeyType: 'INFERENCE', description: name })).body.data.id)
  for (const [index, apiKeyId] of keys.entries())
    await settleUsage(sql, { accountId, apiKeyId, atMs: clock.nowMs(), lines: dollars(10 - index) })
  for (const [index, model] of ['date', '__proto__', 'constructor'].entries())
    await settleUsage(sql, { accountId, goods: { model }, atMs: clock.nowMs(), lines: dollars(3 - index) })
  await client.delete(`/api_keys?id=${keys[1]}`)
  const { body, text } = await client.get('/billing/usage-analytics?lookback=1d')
  assert.deepEqual(body.topModels, ['acme-chat', 'date (2)', '__proto__', 'constructor'])
  assert.match(text, /"byModelDaily":\[\{"date":\d+,"acme-chat":34,"date \(2\)":3,"__proto__":2,"constructor":1\}\]/)
  const [first, second, third, fourth] = body.topKeyNames
  assert.match(first, /^twin \(.{6}\)$/)
  assert.match(second, /^twin \(.{6}\)$/)
  assert.notEqual(first, second)
  assert.equal(third, 'date (2)')
  assert.match(fourth, /^\(.{6}\)$/)
  assert.deepEqual(
    body.byKey.slice(0, 4).map((key: { description: string }) => key.description),
    ['twin', 'twin', 'date', ''],
    'a revoked key keeps its description',
  )
})

test('the daily rows are of the eight with the highest spending, the other figures of all', async () => {
  const { accountId, client } = await payer()
  for (let number = 1; number <= 10; number++)
    await settleUsage(sql, { accountId, goods: { model: `m${number}` }, atMs: clock.nowMs(), lines: dollars(number) })
  const { body } = await client.get('/billing/usage-analytics?lookback=1d')
  assert.deepEqual(body.topModels, ['m10', 'm9', 'm8', 'm7', 'm6', 'm5', 'm4', 'm3'])
  assert.deepEqual(Object.keys(body.byModelDaily[0]).length, 9)
  assert.deepEqual([body.byModel.length, body.byDate[0].USD], [10, 55])
})

test('what does not fit together or does not exist is refused by name', async () => {
  const wrong: [string, string][] = [
    ['lookback=0d', 'lookback'],
    ['lookback=91d', 'lookback'],
    ['lookback=7', 'lookback'],
    ['startDate=2026-01-01', 'endDate'],
    ['endDate=2026-01-01', 'startDate'],
    ['startDate=2026-02-30&endDate=2026-03-01', 'startDate'],
    ['startDate=0000-01-01&endDate=0000-01-02', 'startDate'],
    ['startDate=2026-01-02&endDate=2026-01-01', 'endDate'],
    ['startDate=2026-01-01&endDate=2027-01-02', 'endDate'],
    ['lookback=7d&startDate=2026-01-01&endDate=2026-01-02', 'lookback'],
  ]
  for (const [query, path] of wrong) {
    const { status, body } = await service.admin.get(`/billing/usage-analytics?${query}`)
    assert.deepEqual([status, body.issues?.[0].path], [400, [path]], query)
  }
  const { body } = await service.admin.get('/billing/usage-analytics?lookback=91d')
  assert.match(body.error, /lookback does not have the required form: .*1d to 90d/, 'the rule is said in words')
})

test('figures that take too long are a 504, and the connection is still good', async (context) => {
  const other = createDatabase(service.database.connection, { connectionsMax: 1 })
  context.after(() => other.close())
  const usage = createUsage({ sql: other.sql, clock, analyticsTimeoutMs: 50 })
  const { accountId } = await payer()
  const range = { first: '2026-11-15', last: '2026-11-15' }
  await sql.transaction(async (sql) => {
    await sql.script('lock table usage_by_model in access exclusive mode')
    await assert.rejects(usage.analytics(accountId, range), { status: 504, code: 'REQUEST_TIMEOUT' })
  })
  assert.equal((await usage.analytics(accountId, range)).days.length, 1)
})
