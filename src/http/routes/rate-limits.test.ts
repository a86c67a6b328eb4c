import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTier } from '#accounts/accounts.js'
import { createKey } from '#accounts/api-keys.js'
import { createPayer } from '../../../test/money.js'
import { createTestClock } from '../../../test/service.js'
import { prices, startTextService } from '../../../test/text-service.js'

const clock = createTestClock()
const special = '00000000-0000-4000-8000-0000000000aa'
const service = await startTextService(
  { after },
  {
    clock,
    sections: `
limits:
  tiers:
    paid: { M: { rpm: 5, tpm: 100000 }, XS: { rpm: 3 } }
    tailored: { models: { acme-own: { rpm: 8 } } }
  accounts:
    ${special}: { M: { rpm: 11 }, models: { acme-plain: { rpm: 12 } } }
`,
    models: `
  - { id: acme-own, type: text, engine: { upstream: house }, contextTokens: 4000, pricing: ${prices}, limits: { rpm: 1 } }
  - { id: acme-song, type: music, engine: { upstream: house }, pricing: { generation: "1" } }`,
  },
)
const { sql } = service

/** A caller with credit, whom no other test has counted. */
const someone = async (tier?: string) => {
  const payer = await createPayer(sql, { usd: 100_000_000_000n, nowMs: clock.nowMs() })
  if (tier !== undefined) await setTier(sql, payer.accountId, tier)
  const { post, get } = service.as(payer.key)
  const chat = () => post('/chat/completions', { model: 'acme', messages: [{ role: 'user', content: 'Hi' }] })
  return { ...payer, get, chat }
}

test('GET /api_keys/rate_limits lists the limits of any key: tier, single models, single accounts', async () => {
  const { get } = await someone()
  const { body } = await get('/api_keys/rate_limits')
  const { rateLimits, ...rest } = body.data
  assert.deepEqual(rest, {
    accessPermitted: true,
    apiTier: { id: 'paid', isCharged: true },
    balances: { USD: 100 },
    keyExpiration: null,
    nextEpochBegins: '2026-11-16T00:00:00.000Z',
  })
  const of = (list: { apiModelId?: string; rateLimits: object[] }[], id: string | undefined) =>
    list.find(({ apiModelId }) => apiModelId === id)?.rateLimits
  assert.deepEqual(of(rateLimits, 'acme'), [
    { amount: 5, type: 'RPM' },
    { amount: 100_000, type: 'TPM' },
  ])
  assert.deepEqual(of(rateLimits, 'acme-own')?.[0], { amount: 1, type: 'RPM' })
  assert.deepEqual(of(rateLimits, 'acme-embed')?.[0], { amount: 3, type: 'RPM' })
  assert.deepEqual(of(rateLimits, 'acme-song'), [])
  assert.deepEqual(of(rateLimits, undefined)?.[0], { amount: 60_000, type: 'RPM' })
  const { body: models } = await service.get('/models?type=all')
  assert.deepEqual(
    rateLimits.flatMap(({ apiModelId }: { apiModelId?: string }) => apiModelId ?? []),
    models.data.map(({ id }: { id: string }) => id),
  )

  const limitsOf = async (caller: { get: typeof get }, id: string) =>
    of((await caller.get('/api_keys/rate_limits')).body.data.rateLimits, id)?.[0]
  assert.deepEqual(await limitsOf(await someone('tailored'), 'acme-own'), { amount: 8, type: 'RPM' })
  await sql`insert into account (id, name, created_at) values (${special}, 'special', now())`
  const own = await createKey(
    sql,
    { accountId: special, type: 'INFERENCE', description: '', expiresAt: new Date(clock.nowMs() + 1000) },
    clock.nowMs(),
  )
  const specialCaller = service.as(own.secret)
  assert.deepEqual(await limitsOf(specialCaller, 'acme'), { amount: 11, type: 'RPM' })
  assert.deepEqual(await limitsOf(specialCaller, 'acme-plain'), { amount: 12, type: 'RPM' })
  const { data } = (await specialCaller.get('/api_keys/rate_limits')).body
  assert.deepEqual([data.accessPermitted, data.keyExpiration], [false, new Date(clock.nowMs() + 1000).toISOString()])
  assert.equal((await service.get('/api_keys/rate_limits')).status, 401)
})

test('the partner tier has the limits of partners', async () => {
  const { body } = await (await someone('partner')).get('/api_keys/rate_limits')
  const { apiTier, rateLimits } = body.data
  assert.equal(apiTier.id, 'partner')
  assert.deepEqual(rateLimits.find(({ apiModelId }: { apiModelId?: string }) => apiModelId === 'acme')?.rateLimits, [
    { amount: 100, type: 'RPM' },
    { amount: 1_500_000, type: 'TPM' },
  ])
})

test('GET /api_keys/rate_limits/log shows the newest 50 refusals of the account to its ADMIN keys', async () => {
  const caller = await someone()
  const { accountId, apiKeyId } = caller
  const { secret } = await createKey(sql, { accountId, type: 'ADMIN', description: 'boss' }, clock.nowMs())
  const admin = service.as(secret)
  assert.deepEqual((await admin.get('/api_keys/rate_limits/log')).body, { object: 'list', data: [] })
  for (let n = 0; n < 6; n++) await caller.chat()
  const entry = { apiKeyId, modelId: 'acme', rateLimitTier: 'paid', rateLimitType: 'RPM' }
  assert.deepEqual((await admin.get('/api_keys/rate_limits/log')).body.data, [
    { ...entry, timestamp: new Date(clock.nowMs()).toISOString() },
  ])
  const nowMs = clock.nowMs()
  for (let n = 1; n <= 120; n++) {
    clock.advance(1)
    await caller.chat()
  }
  const { data } = (await admin.get('/api_keys/rate_limits/log')).body
  assert.deepEqual(
    data.map(({ timestamp }: { timestamp: string }) => Date.parse(timestamp) - nowMs),
    Array.from({ length: 50 }, (_, index) => 120 - index),
  )
  clock.set(nowMs)
  const { kept } = await sql.one<{ kept: bigint }>`
    select count(*) kept from rate_limit_log where account_id = ${accountId}`
  assert.ok(kept <= 100n, `${kept} rows are kept`)
  const stranger = await caller.get('/api_keys/rate_limits/log')
  assert.deepEqual([stranger.status, stranger.headers['x-ratelimit-limit-requests']], [401, '60000'])
  assert.deepEqual((await service.admin.get('/api_keys/rate_limits/log')).body.data, [])
})
