import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import OpenAI from 'openai'
import { setTier } from '#accounts/accounts.js'
import { createKey } from '#accounts/api-keys.js'
import type { Answer } from '../client.js'
import { type Script, script } from '../fakes/upstream.js'
import { createPayer } from '../money.js'
import { createTestClock } from '../service.js'
import { startTextService, thrown } from '../text-service.js'

/** Ten seconds into a minute; time stands still unless a test says otherwise. */
const minute = Date.UTC(2026, 10, 15, 12)
const clock = createTestClock(minute + 10_000)
const logLines: string[] = []

const service = await startTextService(
  { after },
  {
    clock,
    logLines,
    sections: `
limits:
  tiers:
    paid: { M: { rpm: 5, tpm: 100000 }, XS: { rpm: 3 } }
    daily: { M: { rpm: 100, rpd: 2 } }
    narrow: { M: { tpm: 2500 } }
    family: { account: { rpm: 3 } }
    idle: { other: { rpm: 2, tpm: 10 } }
`,
  },
)
const { house, sql } = service

/** A caller with credit, whom no other test has counted. */
const someone = async (tier?: string) => {
  const payer = await createPayer(sql, { usd: 100_000_000_000n, nowMs: clock.nowMs() })
  if (tier !== undefined) await setTier(sql, payer.accountId, tier)
  const { post, get } = service.as(payer.key)
  const chat = (more: object = {}) => post('/chat/completions', { model: 'acme', messages: hi, ...more })
  return { ...payer, post, get, chat }
}
const hi = [{ role: 'user', content: 'Hi' }]

const limitsIn = ({ headers }: Answer) =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name.startsWith('x-ratelimit-'))
      .map(([name, value]) => [name.slice('x-ratelimit-'.length), String(value)]),
  )

test('an answer tells how much is left: a moment for requests, seconds for tokens', async () => {
  const { chat } = await someone()
  assert.deepEqual(limitsIn(await chat()), {
    'limit-requests': '5',
    'remaining-requests': '4',
    'reset-requests': String(minute / 1000 + 60),
    'limit-tokens': '100000',
    // What the upstream counted, not what was expected.
    'remaining-tokens': String(100_000 - 10),
    'reset-tokens': '50',
    type: 'api_key',
  })
})

test('a stream tells it at its beginning, with the tokens that are expected', async () => {
  const { post, chat } = await someone()
  const streamed = await post('/chat/completions', { model: 'acme', messages: hi, stream: true, max_tokens: 100 })
  const { 'remaining-requests': requests, 'remaining-tokens': tokens } = limitsIn(streamed)
  assert.equal(requests, '4')
  assert.ok(Number(tokens) < 99_900 && Number(tokens) > 99_800, `${tokens} tokens are left`)
  // When it has ended, only what it used counts.
  assert.equal(limitsIn(await chat())['remaining-tokens'], String(100_000 - 20))
})

test('every way to be refused tells it, too, and counts nothing that did not run', async () => {
  const caller = await someone()
  await caller.chat()
  const left = { 'limit-requests': '5', 'remaining-requests': '4', 'remaining-tokens': '99990' }
  const seen = (answer: Answer) => {
    const { 'limit-requests': limit, 'remaining-requests': requests, 'remaining-tokens': tokens } = limitsIn(answer)
    return { 'limit-requests': limit, 'remaining-requests': requests, 'remaining-tokens': tokens }
  }
  const invalid = await caller.chat({ temperature: 3 })
  assert.deepEqual([invalid.status, seen(invalid)], [400, left])
  const unable = await caller.post('/chat/completions', {
    model: 'acme',
    messages: hi,
    reasoning_effort: 'high',
  })
  assert.deepEqual([unable.status, unable.body.code, seen(unable)], [400, 'UNSUPPORTED_FEATURE', left])
  // For the model as it was named: an alias, a trait or with settings behind a colon.
  assert.deepEqual(seen(await caller.chat({ model: 'acme:enable_web_search=auto', temperature: 3 })), left)
  house.next(script.refuse(400, { error: { message: 'no' } }))
  const refused = await caller.chat()
  // This one ran, so it counts as a request; but it used nothing.
  assert.deepEqual([refused.status, seen(refused)], [400, { ...left, 'remaining-requests': '3' }])
  const unknown = await caller.chat({ model: 'nobody' })
  assert.deepEqual([unknown.status, limitsIn(unknown)['limit-requests']], [404, '60000'])
  const embeddings = await caller.post('/embeddings', { model: 'acme-embed', input: '' })
  assert.deepEqual([embeddings.status, limitsIn(embeddings)['limit-requests']], [400, '3'])
})

test('who cannot pay is told, and is limited as well', async () => {
  const { key } = await createPayer(sql, { nowMs: clock.nowMs() })
  const answers = []
  for (let n = 0; n < 6; n++)
    answers.push(await service.as(key).post('/chat/completions', { model: 'acme', messages: hi }))
  assert.deepEqual(
    answers.map(({ status, headers }) => [status, headers['x-ratelimit-remaining-requests']]),
    [...['4', '3', '2', '1', '0'].map((left) => [402, left]), [429, '0']],
  )
})

test('requests without a model tell where the key stands, from their own limit', async () => {
  const { get, post } = await someone('idle')
  const first = await get('/api_keys/rate_limits')
  assert.deepEqual(
    [first.status, limitsIn(first)],
    [
      200,
      {
        'limit-requests': '2',
        'remaining-requests': '1',
        'reset-requests': String(minute / 1000 + 60),
        'limit-tokens': '10',
        'remaining-tokens': '10',
        'reset-tokens': '50',
        type: 'api_key',
      },
    ],
  )
  const counted = await post('/messages/count_tokens', {
    model: 'acme',
    messages: [{ role: 'user', content: 'x'.repeat(400) }],
  })
  assert.deepEqual([counted.status, limitsIn(counted)['remaining-tokens']], [200, '0'])
  const refused = await get('/api_keys/rate_limits')
  assert.equal(refused.status, 429)
  assert.match(
    refused.body.error,
    /^Rate limit reached: 2 requests per minute for this API key and requests without a model; 2 are used;/,
  )
  // Requests for models have limits of their own.
  const chat = await post('/chat/completions', { model: 'acme', messages: hi })
  assert.equal(chat.status, 200)
})

test('what anybody may read is not limited for callers with a key either, but tells them where they stand', async () => {
  const { get } = await someone('idle')
  // The first ones take the usual way, later ones the express lane.
  for (let n = 0; n < 5; n++) {
    const answer = await get('/models')
    assert.deepEqual([answer.status, limitsIn(answer)['remaining-requests']], [200, '2'])
  }
  assert.deepEqual(limitsIn(await service.get('/models')), {})
  assert.deepEqual(limitsIn(await service.as('wrong').get('/models')), {})
})

test('one request too many is 429 and says which limit, whose, what is used and when to come again', async () => {
  const { chat, balances } = await someone()
  for (let n = 0; n < 5; n++) assert.equal((await chat()).status, 200)
  const before = await balances()
  const asked = house.requests.length
  const { status, body, headers, ...answer } = await chat()
  assert.equal(status, 429)
  assert.deepEqual(body, {
    error:
      "Rate limit reached: 5 requests per minute for this API key and the model 'acme'; 5 are used; it begins anew at 2026-11-15T12:01:00.000Z, in 50 s",
    code: 'RATE_LIMIT_EXCEEDED',
  })
  assert.deepEqual([headers['retry-after'], headers['retry-after-ms']], ['50', '50000'])
  assert.equal(headers['x-should-retry'], undefined)
  assert.deepEqual(limitsIn({ status, body, headers, ...answer }), {
    'limit-requests': '5',
    'remaining-requests': '0',
    'reset-requests': String(minute / 1000 + 60),
    'limit-tokens': '100000',
    'remaining-tokens': String(100_000 - 50),
    'reset-tokens': '50',
    type: 'api_key',
  })
  assert.deepEqual(await balances(), before, 'nothing is charged')
  assert.equal(house.requests.length, asked, 'nobody is asked')
  // Other models have limits of their own, and so has a stream nothing but the same limit.
  assert.equal((await chat({ model: 'acme-plain' })).status, 200)
  assert.equal((await chat({ stream: true })).status, 429)
})

test('the limit begins anew with the minute, to the millisecond', async () => {
  const { chat } = await someone()
  for (let n = 0; n < 5; n++) await chat()
  const nowMs = clock.nowMs()
  clock.set(minute + 59_999)
  const last = await chat()
  assert.deepEqual([last.status, last.headers['retry-after'], last.headers['retry-after-ms']], [429, '1', '1'])
  clock.set(minute + 60_000)
  const next = await chat()
  assert.deepEqual([next.status, limitsIn(next)['remaining-requests']], [200, '4'])
  clock.set(nowMs)
})

test('an answer that outlasts its minute tells about the one in which it arrives', async () => {
  const { chat } = await someone()
  await chat()
  const nowMs = clock.nowMs()
  const slow =
    (work: Script): Script =>
    (conversation) => {
      clock.advance(100_000)
      return work(conversation)
    }
  house.next(slow(script.answer()))
  const answer = await chat()
  assert.deepEqual(
    [answer.status, limitsIn(answer)],
    [
      200,
      {
        'limit-requests': '5',
        'remaining-requests': '5',
        'reset-requests': String(minute / 1000 + 120),
        'limit-tokens': '100000',
        'remaining-tokens': '100000',
        'reset-tokens': '10',
        type: 'api_key',
      },
    ],
  )
  house.next(slow(script.answer()))
  const streamed = limitsIn(await chat({ stream: true }))
  assert.deepEqual([streamed['remaining-requests'], streamed['reset-tokens']], ['5', '30'])
  clock.set(nowMs)
})

test('an answer that was paid for is given again, however full the window is', async () => {
  const { post } = await someone('daily')
  const body = { model: 'acme', messages: hi }
  const headers = { 'idempotency-key': 'once' }
  const first = await post('/chat/completions', body, { headers })
  assert.equal((await post('/chat/completions', body)).status, 200)
  assert.equal((await post('/chat/completions', body)).status, 429)
  const again = await post('/chat/completions', body, { headers })
  assert.deepEqual([again.status, again.headers['idempotent-replayed'], again.text], [200, 'true', first.text])
  assert.ok(again.headers['x-svc-balance-usd'])
  const other = { headers: { 'idempotency-key': 'another' } }
  assert.equal((await post('/chat/completions', body, other)).status, 429)
})

test('a limit of the day is told as soon as it leaves less, and is not worth a retry', async () => {
  const { chat } = await someone('daily')
  const tomorrow = String(Date.UTC(2026, 10, 16) / 1000)
  const first = limitsIn(await chat())
  assert.deepEqual(
    [first['limit-requests'], first['remaining-requests'], first['reset-requests']],
    ['2', '1', tomorrow],
  )
  await chat()
  const { status, headers, body } = await chat()
  assert.deepEqual([status, headers['x-should-retry'], headers['x-ratelimit-reset-requests']], [429, 'false', tomorrow])
  assert.match(body.error, /2 requests per UTC day .* begins anew at 2026-11-16T00:00:00.000Z/)
})

test('a limit of tokens lets in what fits by estimate, and says what was needed', async () => {
  const { chat } = await someone('narrow')
  house.next(script.answer({ usage: { prompt_tokens: 2_000, completion_tokens: 400, total_tokens: 2_400 } }))
  assert.equal(limitsIn(await chat({ max_tokens: 10 }))['remaining-tokens'], '100')
  const refused = await chat({ max_tokens: 500 })
  assert.equal(refused.status, 429)
  assert.match(refused.body.error, /2500 tokens per minute .*; 2400 are used and this request needs about 5\d\d;/)
  assert.deepEqual(
    [limitsIn(refused)['remaining-requests'], refused.headers['x-ratelimit-reset-requests']],
    ['49', String(minute / 1000 + 60)],
  )
  assert.equal((await chat({ max_tokens: 10 })).status, 200)
})

test('a limit of the account is shared by its keys and models', async () => {
  const caller = await someone('family')
  const { accountId } = caller
  const { secret } = await createKey(sql, { accountId, type: 'INFERENCE', description: 'second' }, clock.nowMs())
  const other = service.as(secret)
  await caller.chat()
  const second = await other.post('/chat/completions', { model: 'acme-plain', messages: hi })
  assert.deepEqual([limitsIn(second)['remaining-requests'], limitsIn(second).type], ['1', 'user'])
  assert.equal((await other.post('/embeddings', { model: 'acme-embed', input: 'x' })).status, 200)
  const refused = await caller.chat()
  assert.deepEqual([refused.status, limitsIn(refused).type], [429, 'user'])
  assert.match(
    refused.body.error,
    /3 requests per minute for this account, with all its keys and models together; 3 are used/,
  )
})

test('a limit of all callers together stops whoever comes last', async (test) => {
  const busy = await startTextService(test, { clock, sections: 'limits: { global: { rpm: 3 } }' })
  const others = await createPayer(busy.sql, { usd: 1_000_000_000n, nowMs: clock.nowMs() })
  const body = { model: 'acme', messages: hi }
  const answers = [
    await busy.caller.post('/chat/completions', body),
    await busy.as(others.key).post('/chat/completions', body),
    await busy.caller.post('/embeddings', { model: 'acme-embed', input: 'x' }),
    await busy.as(others.key).post('/chat/completions', body),
  ]
  assert.deepEqual(
    answers.map((answer) => [answer.status, limitsIn(answer)['remaining-requests'], limitsIn(answer).type]),
    [
      [200, '2', 'global'],
      [200, '1', 'global'],
      [200, '0', 'global'],
      [429, '0', 'global'],
    ],
  )
  assert.match(answers[3]?.body.error, /3 requests per minute for all callers of this service together; 3 are used/)
  const { rateLimits } = (await busy.caller.get('/api_keys/rate_limits')).body.data
  assert.deepEqual(rateLimits.at(-1), { scope: 'global', rateLimits: [{ amount: 3, type: 'RPM' }] })
})

test('the openai SDK throws a RateLimitError and would wait as long as it is told', async () => {
  const { key, chat } = await someone()
  for (let n = 0; n < 5; n++) await chat()
  const client = new OpenAI({ baseURL: service.baseURL, apiKey: key, maxRetries: 0 })
  const error = await thrown(
    client.chat.completions.create({ model: 'acme', messages: [{ role: 'user', content: 'Hi' }] }),
  )
  assert.ok(error instanceof OpenAI.RateLimitError)
  assert.equal(error.headers.get('retry-after-ms'), '50000')
  assert.match(error.message, /5 requests per minute/)
})

test('refusals are counted in the metrics, and no key or prompt is in the log', async () => {
  const caller = await someone()
  for (let n = 0; n < 6; n++) await caller.chat({ messages: [{ role: 'user', content: 'a secret prompt' }] })
  const { text } = await service.outside.get('/metrics')
  assert.match(text, /tessera_limited_requests_total\{type="RPM",scope="api_key"\} \d+/)
  assert.match(text, /tessera_limits_failures_total 0/)
  assert.ok(logLines.every((line) => !line.includes(caller.key) && !line.includes('secret prompt')))
})
