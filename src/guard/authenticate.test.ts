import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createTestDatabase } from '../../test/database.js'
import { adminKey, createTestClock, startService } from '../../test/service.js'

const clock = createTestClock()
const database = await createTestDatabase()
const service = await startService({ after }, { clock, database })
/** Another process on the same database. */
const other = await startService({ after }, { clock, database })
after(database.drop)
const read = (authorization: string) => service.get('/api_keys', { headers: { authorization } })

test('each kind of wrong key is a precise 401', async () => {
  const { apiKey } = (
    await service.admin.post('/api_keys', { apiKeyType: 'ADMIN', description: 'x', expiresAt: '2026-11-16' })
  ).body.data
  clock.set(Date.UTC(2026, 10, 15, 23, 59, 59, 999))
  assert.equal((await read(`Bearer ${apiKey}`)).status, 200, 'good until the last millisecond')
  clock.set(Date.UTC(2026, 10, 16))

  const wrong: [string, string][] = [
    [`Bearer ${apiKey}`, 'This API key expired at 2026-11-16T00:00:00.000Z'],
    ['', "No API key was sent; send the header 'Authorization: Bearer <key>'"],
    ['Bearer', "The API key is malformed: the header must read 'Authorization: Bearer <key>'"],
    ['Basic dXNlcjpwYXNz', "The API key is malformed: the header must read 'Authorization: Bearer <key>'"],
    ['Bearer caf\u00e9', "The API key is malformed: the header must read 'Authorization: Bearer <key>'"],
    ['Bearer two words', 'This API key is not known to the service'],
    [`Bearer ${'x'.repeat(600)}`, 'The API key is malformed: it is longer than 512 characters'],
    [
      `Bearer ${apiKey.slice(0, -4)}`,
      'The API key is malformed: it looks like one of ours but is incomplete; copy it again in full',
    ],
    [`Bearer ${apiKey.slice(0, -4)}0000`, 'This API key is not known to the service'],
    ['Bearer sk-from-another-service', 'This API key is not known to the service'],
  ]
  for (const [authorization, error] of wrong) {
    const { status, body } = await read(authorization)
    assert.deepEqual([status, body], [401, { error, code: 'AUTHENTICATION_FAILED' }])
  }
  const missing = await service.get('/api_keys')
  assert.equal(missing.status, 401)
})

test('what is readable without a key still refuses a bad one', async () => {
  for (const path of [
    '/models',
    '/models/traits',
    '/models/compatibility_mapping',
    '/image/styles',
    '/models/tessera-tiny',
  ]) {
    assert.equal((await service.get(path)).status, 200, path)
    assert.equal((await service.as(adminKey).get(path)).status, 200, path)
    assert.equal((await service.as('wrong').get(path)).status, 401, path)
  }
})

test('the scheme is not case-sensitive', async () => {
  assert.equal((await read(`bearer ${adminKey}`)).status, 200)
})

test('a key revoked in one process is refused in another within a second', async () => {
  const { admin } = service
  const { id, apiKey } = (await admin.post('/api_keys', { apiKeyType: 'INFERENCE', description: 'x' })).body.data
  const elsewhere = other.as(apiKey)
  assert.equal((await elsewhere.get('/models')).status, 200)
  assert.equal((await elsewhere.get('/models')).status, 200, 'now it is remembered there')
  await admin.delete(`/api_keys?id=${id}`)
  const deadline = performance.now() + 1_000
  let status = 200
  while (status === 200 && performance.now() < deadline) status = (await elsewhere.get('/models')).status
  assert.equal(status, 401)
})

test('a new key works everywhere at once, even where it was tried before it existed', async () => {
  const { sql } = service
  assert.equal((await other.as('chosen-later').get('/models')).status, 401)
  const { createKey } = await import('#accounts/api-keys.js')
  const [account] = await sql<{ id: string }>`select id from account`
  const key = { accountId: String(account?.id), type: 'INFERENCE', description: '', secret: 'chosen-later' } as const
  await createKey(sql, key, clock.nowMs())
  const deadline = performance.now() + 1_000
  let status = 401
  while (status === 401 && performance.now() < deadline) status = (await other.as('chosen-later').get('/models')).status
  assert.equal(status, 200)
})

test('a broken database is 503 with retry-after, never 401, for good and bad keys alike', async (test) => {
  const broken = await startService(test)
  assert.equal((await broken.admin.get('/models')).status, 200)
  const name = broken.database.connection.database
  // As if the server had gone: nobody may connect, and who was connected is thrown out.
  const service2 = await createTestDatabase()
  test.after(service2.drop)
  const { createDatabase } = await import('#store/sql.js')
  const outside = createDatabase(service2.connection, { connectionsMax: 1 })
  test.after(() => outside.close())
  await outside.sql.script(`alter database ${name} with allow_connections false`)
  await outside.sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`
  await wait(50)
  for (const key of [adminKey, 'wrong']) {
    const { status, body, headers } = await broken.as(key).get('/models')
    assert.deepEqual([status, body.code], [503, 'SERVICE_UNAVAILABLE'], key)
    assert.equal(headers['retry-after'], '1')
  }
  assert.equal((await broken.get('/models')).status, 200, 'what needs no database still works')
  assert.equal((await broken.outside.get('/ready')).status, 503)
  assert.equal((await broken.outside.get('/health')).status, 200)

  await outside.sql.script(`alter database ${name} with allow_connections true`)
  const deadline = performance.now() + 5_000
  let status = 503
  while (status === 503 && performance.now() < deadline) status = (await broken.admin.get('/models')).status
  assert.equal(status, 200, 'and it recovers by itself')
})
