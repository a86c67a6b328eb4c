import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { adminKey, createTestClock, startService } from '../../../test/service.js'

const service = await startService({ after })
const { admin } = service

const create = async (fields: object = {}) => {
  const answer = await admin.post('/api_keys', { apiKeyType: 'INFERENCE', description: 'a test', ...fields })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data
}

test('a new key is shown once, works at once, and is stored only as a hash', async () => {
  const made = await create()
  assert.match(made.apiKey, /^svc_inf_[0-9A-Za-z]{43}$/)
  assert.deepEqual(Object.keys(made).sort(), [
    'apiKey',
    'apiKeyType',
    'consumptionLimit',
    'description',
    'expiresAt',
    'id',
    'limitPeriod',
    'modelPrivacy',
  ])
  assert.equal((await service.as(made.apiKey).get('/models')).status, 200)
  const shownLater = [await admin.get('/api_keys'), await admin.get(`/api_keys/${made.id}`)]
  for (const { text } of shownLater) assert.ok(!text.includes(made.apiKey))
  const stored = await service.sql<{ row: string }>`select row_to_json(api_key)::text as row from api_key`
  assert.ok(stored.every(({ row }) => !row.includes(made.apiKey)))
})

test('GET /api_keys/{id} is exactly the record of the specification', async () => {
  const made = await create({ apiKeyType: 'ADMIN', description: 'deploys', expiresAt: '2099-01-31' })
  const { status, body } = await admin.get(`/api_keys/${made.id}`)
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(body), ['data'])
  const { createdAt, ...record } = body.data
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT/)
  assert.deepEqual(record, {
    apiKeyType: 'ADMIN',
    consumptionLimits: { usd: null, diem: null, vcu: null },
    limitPeriod: 'EPOCH',
    modelPrivacy: 'ALL',
    description: 'deploys',
    expiresAt: '2099-01-31T00:00:00.000Z',
    id: made.id,
    last6Chars: made.apiKey.slice(-6),
    lastUsedAt: null,
    usage: { trailingSevenDays: { usd: '0', diem: '0', vcu: '0' } },
  })
})

test('an unknown id, whatever it looks like, is 404', async () => {
  for (const id of ['5', '00000000-0000-4000-8000-000000000000', '%00', "'; drop table api_key; --", 'x'.repeat(900)]) {
    const { status, body } = await admin.get(`/api_keys/${encodeURIComponent(id)}`)
    assert.deepEqual([status, body.code], [404, 'NOT_FOUND'], id)
  }
})

test('limits go in and come out unchanged, and vcu is the former name of diem', async () => {
  const limits = { usd: 12.345678901, diem: 0 }
  const made = await create({ consumptionLimit: limits, limitPeriod: 'MONTH', modelPrivacy: 'PRIVATE_ONLY' })
  assert.deepEqual(made.consumptionLimit, { usd: 12.345678901, diem: 0, vcu: 0 })
  assert.deepEqual([made.limitPeriod, made.modelPrivacy], ['MONTH', 'PRIVATE_ONLY'])
  const old = await create({ consumptionLimit: { vcu: 7, usd: 9_999_999_999 } })
  assert.deepEqual(old.consumptionLimit, { usd: 9_999_999_999, diem: 7, vcu: 7 })
  const record = (await admin.get(`/api_keys/${made.id}`)).body.data
  assert.deepEqual(record.consumptionLimits, { usd: 12.345678901, diem: 0, vcu: 0 })
})

test('fields out of range are refused by name', async () => {
  const wrong: [object, string][] = [
    [{ consumptionLimit: { usd: 10_000_000_000 } }, 'consumptionLimit.usd'],
    [{ consumptionLimit: { diem: '5' } }, 'consumptionLimit.diem'],
    [{ consumptionLimit: 5 }, 'consumptionLimit'],
    [{ limitPeriod: 'WEEK' }, 'limitPeriod'],
    [{ modelPrivacy: 'NONE' }, 'modelPrivacy'],
    [{ description: undefined }, 'description'],
    [{ description: 'nul \u0000' }, 'description'],
    [{ apiKeyType: undefined }, 'apiKeyType'],
    [{ expiresAt: 'tomorrow' }, 'expiresAt'],
    [{ expiresAt: '2027-02-30' }, 'expiresAt'],
    [{ expiresAt: '2020-01-01' }, 'expiresAt'],
    [{ expiresAt: '2027-01-01T00:00:00+01:00' }, 'expiresAt'],
  ]
  const before = (await admin.get('/api_keys')).body.data.length
  for (const [fields, path] of wrong) {
    const { status, body } = await admin.post('/api_keys', { apiKeyType: 'INFERENCE', description: 'x', ...fields })
    assert.equal(status, 400, path)
    assert.equal(body.issues[0].path.join('.'), path)
  }
  assert.equal((await admin.get('/api_keys')).body.data.length, before, 'and no key was made')
})

test('all forms of expiresAt are understood', async () => {
  const forms: [string | null | undefined, string | null][] = [
    ['', null],
    [null, null],
    [undefined, null],
    ['2099-12-31', '2099-12-31T00:00:00.000Z'],
    ['2099-12-31T23:59:59Z', '2099-12-31T23:59:59.000Z'],
    ['2099-12-31T23:59:59.123Z', '2099-12-31T23:59:59.123Z'],
  ]
  for (const [expiresAt, expected] of forms) assert.equal((await create({ expiresAt })).expiresAt, expected)
})

test('undocumented fields may be passed', async () => {
  await create({ team: 'red', consumptionLimit: { usd: 1, eur: 2 } })
})

test('PATCH changes what is given and nothing else', async () => {
  const made = await create({ consumptionLimit: { usd: 5, diem: 6 }, expiresAt: '2099-01-01' })
  const renamed = await admin.patch('/api_keys', { id: made.id, description: 'renamed' })
  assert.equal(renamed.status, 200)
  assert.deepEqual(Object.keys(renamed.body.data).sort(), [
    'apiKeyType',
    'consumptionLimits',
    'createdAt',
    'description',
    'expiresAt',
    'id',
    'last6Chars',
    'lastUsedAt',
    'limitPeriod',
    'modelPrivacy',
  ])
  assert.deepEqual(renamed.body.data.consumptionLimits, { usd: 5, diem: 6, vcu: 6 })
  const limited = await admin.patch('/api_keys', {
    id: made.id,
    consumptionLimit: { usd: null },
    limitPeriod: 'LIFETIME',
    modelPrivacy: 'PRIVATE_TEXT',
    expiresAt: '',
  })
  const { description, consumptionLimits, limitPeriod, modelPrivacy, expiresAt } = limited.body.data
  assert.deepEqual(
    { description, consumptionLimits, limitPeriod, modelPrivacy, expiresAt },
    {
      description: 'renamed',
      consumptionLimits: { usd: null, diem: 6, vcu: 6 },
      limitPeriod: 'LIFETIME',
      modelPrivacy: 'PRIVATE_TEXT',
      expiresAt: null,
    },
  )
  for (const id of [undefined, '', 'nope', '\u0000', 7])
    assert.equal((await admin.patch('/api_keys', { id, description: 'x' })).status, 400)
})

test('DELETE ends a key; a missing or unknown id is 400', async () => {
  const made = await create()
  assert.deepEqual((await admin.delete(`/api_keys?id=${made.id}`)).body, { success: true })
  const refused = await service.as(made.apiKey).get('/models')
  assert.deepEqual([refused.status, refused.body.error], [401, 'This API key has been revoked'])
  assert.equal((await admin.get(`/api_keys/${made.id}`)).status, 404)
  assert.equal((await admin.delete(`/api_keys?id=${made.id}`)).status, 400)
  assert.equal((await admin.delete('/api_keys')).status, 400)
  assert.equal((await admin.delete('/api_keys?id=%00')).status, 400)
})

test('SDKs that label an empty DELETE as JSON are understood', async () => {
  const made = await create()
  const headers = { 'content-type': 'application/json' }
  assert.equal((await admin.delete(`/api_keys?id=${made.id}`, { headers })).status, 200)
})

test('one account cannot see or touch the keys of another', async () => {
  const [other] = await service.sql<{ id: string }>`
    insert into account (id, name, created_at) values (gen_random_uuid(), 'other', now()) returning id`
  const [foreign] = await service.sql<{ id: string }>`
    insert into api_key (id, account_id, type, hash, last6, description, created_at)
    values (gen_random_uuid(), ${other?.id}, 'INFERENCE', '\\x00', 'abcdef', '', now()) returning id`
  assert.equal((await admin.get(`/api_keys/${foreign?.id}`)).status, 404)
  assert.equal((await admin.patch('/api_keys', { id: foreign?.id, description: 'mine' })).status, 400)
  assert.equal((await admin.delete(`/api_keys?id=${foreign?.id}`)).status, 400)
  assert.ok(!(await admin.get('/api_keys')).text.includes(String(foreign?.id)))
})

test('the list can be read in pages, and the headers say how many', async () => {
  const all = await admin.get('/api_keys')
  const total = all.body.data.length
  assert.equal(all.headers['x-pagination-total'], String(total))
  assert.equal(all.headers['x-pagination-total-pages'], '1')
  const second = await admin.get('/api_keys?limit=2&page=2')
  assert.deepEqual(
    second.body.data.map(({ id }: { id: string }) => id),
    all.body.data.slice(2, 4).map(({ id }: { id: string }) => id),
  )
  assert.deepEqual(
    ['limit', 'page', 'total', 'total-pages'].map((name) => second.headers[`x-pagination-${name}`]),
    ['2', '2', String(total), String(Math.ceil(total / 2))],
  )
  const beyond = await admin.get('/api_keys?limit=2&page=999')
  assert.deepEqual([beyond.body.data, beyond.headers['x-pagination-total']], [[], String(total)])
  for (const query of ['limit=0', 'limit=501', 'page=0', 'limit=two'])
    assert.equal((await admin.get(`/api_keys?${query}`)).status, 400, query)
})

test('every admin endpoint tells an INFERENCE key "Admin API key required"', async () => {
  const inference = service.as((await create()).apiKey)
  const answers = [
    await inference.get('/api_keys'),
    await inference.get('/api_keys/anything'),
    await inference.post('/api_keys', {}),
    await inference.patch('/api_keys', {}),
    await inference.delete('/api_keys?id=1'),
  ]
  for (const { status, body } of answers) assert.deepEqual([status, body.error], [401, 'Admin API key required'])
})

test('lastUsedAt is written down soon after a key was used', async () => {
  const made = await create()
  await service.as(made.apiKey).get('/models')
  await service.app.flushLastUsed()
  const { lastUsedAt } = (await admin.get(`/api_keys/${made.id}`)).body.data
  assert.ok(Math.abs(Date.parse(lastUsedAt) - Date.now()) < 60_000)
})

test('at most 20 keys are made in a minute, also when asked for all at once', async (test) => {
  const clock = createTestClock()
  const { admin } = await startService(test, { clock })
  // The first key of the installation was made in the same minute and counts too.
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => admin.post('/api_keys', { apiKeyType: 'INFERENCE', description: 'burst' })),
  )
  assert.equal(answers.filter(({ status }) => status === 200).length, 19)
  const refused = answers.find(({ status }) => status === 429)
  assert.equal(refused?.body.code, 'RATE_LIMIT_EXCEEDED')
  assert.equal(refused?.headers['retry-after'], '60')
  assert.equal(refused?.headers['retry-after-ms'], '60000')
  assert.equal(refused?.headers['x-ratelimit-reset-requests'], String(clock.nowMs() / 1000 + 60))
  clock.advance(60_000)
  assert.equal((await admin.post('/api_keys', { apiKeyType: 'INFERENCE', description: 'later' })).status, 200)
})

test('at most 500 keys are active', async (test) => {
  const { admin, sql } = await startService(test)
  await sql`insert into api_key (id, account_id, type, hash, last6, description, created_at)
    select gen_random_uuid(), (select id from account), 'INFERENCE', int4send(n), 'abcdef', '', now() - interval '1 day'
    from generate_series(1, 499) n`
  const { status, body } = await admin.post('/api_keys', { apiKeyType: 'INFERENCE', description: 'one more' })
  assert.deepEqual([status, body.error], [400, 'This account already has 500 active API keys; delete one first'])
  assert.equal((await admin.get('/api_keys')).body.data.length, 500)
})

test('the first key has the text that the operator chose', async () => {
  const { data } = (await admin.get('/api_keys')).body
  assert.equal(data[0].last6Chars, adminKey.slice(-6))
})
