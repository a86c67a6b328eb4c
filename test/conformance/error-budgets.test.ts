import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import OpenAI from 'openai'
import { createKey } from '#accounts/api-keys.js'
import type { Answer } from '../client.js'
import { script } from '../fakes/upstream.js'
import { createPayer } from '../money.js'
import { createTestClock } from '../service.js'
import { startTextService, thrown } from '../text-service.js'

const clock = createTestClock()
const service = await startTextService(
  { after },
  {
    clock,
    sections: 'limits: { tiers: { paid: { M: { rpm: 1000 } } }, errorBudget: { failed: 3, unsupported: 2 } }',
  },
)
const { house, sql } = service
const hi = [{ role: 'user', content: 'Hi' }]

/** A caller with credit, who has not failed yet. */
const someone = async () => {
  const payer = await createPayer(sql, { usd: 100_000_000_000n, nowMs: clock.nowMs() })
  const { post, get } = service.as(payer.key)
  const chat = (more: object = {}) => post('/chat/completions', { model: 'acme', messages: hi, ...more })
  /** The upstream refuses, as it does with what it cannot read. */
  const fail = (more: object = {}) => {
    house.next(script.refuse(400, { error: { message: 'no' } }))
    return chat(more)
  }
  const unsupported = () => chat({ model: 'acme-plain', tools: [{ type: 'function', function: { name: 'f' } }] })
  return { ...payer, post, get, chat, fail, unsupported }
}

const statuses = async (times: number, ask: () => Promise<Answer>) => {
  const all: number[] = []
  for (let n = 0; n < times; n++) all.push((await ask()).status)
  return all
}

test('who fails more often than the budget allows is refused: which budget, until when, and no retry', async () => {
  const { fail, chat, balances } = await someone()
  const before = await balances()
  assert.deepEqual(await statuses(4, fail), [400, 400, 400, 400])
  const asked = house.requests.length
  const { status, body, headers } = await chat()
  assert.equal(status, 429)
  const message =
    "Too many failed requests: more than 3 for the model 'acme' with this API key within 30 s; retry in 30 s"
  assert.deepEqual(body, { error: message, code: 'RATE_LIMIT_EXCEEDED', customMessage: message })
  const told = Object.entries(headers).filter(([name]) => /^(x-ratelimit|retry-after|x-should)/.test(name))
  assert.deepEqual(Object.fromEntries(told), {
    'x-ratelimit-remaining': '0',
    'x-ratelimit-resets': String(clock.nowMs() + 30_000),
    'retry-after': '30',
    'retry-after-ms': '30000',
    'x-should-retry': 'false',
  })
  assert.equal(house.requests.length, asked, 'nobody is asked')
  assert.deepEqual(await balances(), before, 'nothing is charged')
})

test('asking for what a model cannot do has a budget of its own', async () => {
  const { unsupported, chat, fail } = await someone()
  assert.deepEqual(await statuses(3, unsupported), [400, 400, 400])
  const { status, body } = await unsupported()
  assert.equal(status, 429)
  assert.match(body.customMessage, /^Too many requests for features that the model does not have: more than 2 for/)
  assert.equal((await chat({ model: 'acme-plain' })).status, 429, 'whatever is asked of that model')
  // Another model and the other budget are untouched.
  assert.deepEqual(await statuses(3, fail), [400, 400, 400])
  assert.equal((await chat()).status, 200)
})

test('budgets are of one key and one model', async () => {
  const { fail, chat, accountId } = await someone()
  await statuses(4, fail)
  assert.equal((await chat()).status, 429)
  assert.equal((await chat({ model: 'acme-plain' })).status, 200)
  const { secret } = await createKey(sql, { accountId, type: 'INFERENCE', description: 'other' }, clock.nowMs())
  assert.equal((await service.as(secret).post('/chat/completions', { model: 'acme', messages: hi })).status, 200)
})

test('the last 30 seconds count, whenever they began, and refusals for the budget do not', async () => {
  const { fail, chat } = await someone()
  const startMs = clock.nowMs()
  await fail()
  clock.set(startMs + 10_000)
  await statuses(3, fail)
  // The first of them is the one too many: with it the budget has room again.
  assert.equal((await chat()).headers['x-ratelimit-resets'], String(startMs + 30_000))
  assert.deepEqual(
    await statuses(20, chat),
    Array.from({ length: 20 }, () => 429),
  )
  clock.set(startMs + 29_999)
  assert.equal((await chat()).status, 429)
  clock.set(startMs + 30_000)
  assert.equal((await chat()).status, 200)
  // Three of the last 30 seconds are left, so one more is too many.
  await fail()
  assert.equal((await chat()).status, 429)
  clock.set(startMs)
})

test('every kind of failure counts once the model is known; what is no failure of the request does not', async () => {
  const poor = await createPayer(sql, { nowMs: clock.nowMs() })
  assert.deepEqual(
    await statuses(8, () => service.as(poor.key).post('/chat/completions', { model: 'acme', messages: hi })),
    Array.from({ length: 8 }, () => 402),
  )
  const caller = await someone()
  // The body is not even valid, so nobody knows which model it is about.
  assert.deepEqual(
    await statuses(8, () => caller.chat({ temperature: 3 })),
    Array.from({ length: 8 }, () => 400),
  )

  const other = await someone()
  const long = 'x '.repeat(200_000)
  const causes: (() => Promise<Answer>)[] = [
    () => other.chat({ messages: [{ role: 'user', content: long }] }),
    () => other.chat({ max_completion_tokens: 1_000_000 }),
    () => other.fail(),
    () => other.chat({ messages: [{ role: 'assistant', content: '' }] }),
  ]
  for (const cause of causes) assert.equal((await cause()).status, 400)
  assert.equal((await other.chat()).status, 429)
})

test('a stream that breaks in the middle counts, and every dialect is refused in its own shape', async () => {
  const { post, chat } = await someone()
  for (let n = 0; n < 4; n++) {
    house.next(script.cutAfterFirstToken())
    const broken = await chat({ stream: true })
    assert.deepEqual([broken.status, /"error"/.test(broken.text)], [200, true])
  }
  for (const path of ['/chat/completions', '/completions', '/responses']) {
    const { status, body } = await post(path, { model: 'acme', messages: hi, prompt: 'Hi', input: 'Hi' })
    assert.deepEqual([status, typeof body.error, typeof body.customMessage], [429, 'string', 'string'])
  }
  const { status, body } = await post('/messages', { model: 'acme', messages: hi, max_tokens: 5 })
  assert.deepEqual([status, body.type, body.error.type], [429, 'error', 'rate_limit_error'])
  assert.match(body.customMessage, /more than 3/)
  assert.equal((await chat({ stream: true })).status, 429)
})

test('embeddings have budgets, too', async () => {
  const { post } = await someone()
  const ask = (more: object = {}) => post('/embeddings', { model: 'acme-embed', input: 'x', ...more })
  assert.deepEqual(await statuses(3, () => ask({ dimensions: 3 })), [400, 400, 400])
  assert.equal((await ask()).status, 429)
})

test('the log names both budgets', async () => {
  const { accountId, apiKeyId, fail, unsupported } = await someone()
  const { secret } = await createKey(sql, { accountId, type: 'ADMIN', description: 'boss' }, clock.nowMs())
  await statuses(4, unsupported)
  await statuses(5, fail)
  const { data } = (await service.as(secret).get('/api_keys/rate_limits/log')).body
  const entry = { apiKeyId, rateLimitTier: 'paid', timestamp: new Date(clock.nowMs()).toISOString() }
  assert.deepEqual(data, [
    { ...entry, modelId: 'acme', rateLimitType: 'FAILED_REQUESTS' },
    { ...entry, modelId: 'acme-plain', rateLimitType: 'UNSUPPORTED_FEATURE_REQUESTS' },
  ])
})

test('the openai SDK does not try again by itself', async () => {
  const { key, fail } = await someone()
  await statuses(4, fail)
  house.usually(script.answer())
  let sent = 0
  const client = new OpenAI({
    baseURL: service.baseURL,
    apiKey: key,
    maxRetries: 5,
    fetch: (...request) => {
      sent++
      return fetch(...request)
    },
  })
  const error = await thrown(
    client.chat.completions.create({ model: 'acme', messages: [{ role: 'user', content: 'Hi' }] }),
  )
  assert.ok(error instanceof OpenAI.RateLimitError)
  assert.equal(sent, 1)
})
