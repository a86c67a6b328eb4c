import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import OpenAI from 'openai'
import { script } from '../fakes/upstream.js'
import { createPayer } from '../money.js'
import { prices, startTextService, thrown } from '../text-service.js'

/** What users of openai-node see when something is refused, and what the SDK then does by itself. */
const service = await startTextService(
  { after },
  {
    models: `
  - { id: acme-off, type: text, engine: { upstream: house }, contextTokens: 100, pricing: ${prices}, offline: true }`,
  },
)
const { house, rich, unpaid } = service
/** How often anything was sent to the service. */
let sent = 0
const clientOf = (apiKey: string, maxRetries = 0) =>
  new OpenAI({
    baseURL: service.baseURL,
    apiKey,
    maxRetries,
    fetch: (...request) => {
      sent++
      return fetch(...request)
    },
  })
const body: OpenAI.ChatCompletionCreateParamsNonStreaming = {
  model: 'acme',
  messages: [{ role: 'user', content: 'Hi' }],
}
const poor = await createPayer(service.sql)
const limited = await createPayer(service.sql, { usd: 1_000_000_000n, modelPrivacy: 'PRIVATE_TEXT' })

type Refusal = { status: number; kind: new (...all: never[]) => Error; says: RegExp; key?: string; more?: object }
const refusals: Record<string, Refusal> = {
  'a value out of range': {
    status: 400,
    kind: OpenAI.BadRequestError,
    says: /temperature must be at most 2/,
    more: { temperature: 3 },
  },
  'what the model cannot do': {
    status: 400,
    kind: OpenAI.BadRequestError,
    says: /tools.*acme-plain/,
    more: { model: 'acme-plain', tools: [{ type: 'function', function: { name: 'f' } }] },
  },
  'a wrong key': { status: 401, kind: OpenAI.AuthenticationError, says: /not known to the service/, key: 'wrong' },
  'no credit': { status: 402, kind: OpenAI.APIError, says: /Insufficient balance/, key: poor.key },
  'a model that the key may not use': {
    status: 403,
    kind: OpenAI.PermissionDeniedError,
    says: /may only use private models/,
    key: limited.key,
    more: { model: 'acme-plain' },
  },
  'a model that does not exist': {
    status: 404,
    kind: OpenAI.NotFoundError,
    says: /There is no model 'nope'/,
    more: { model: 'nope' },
  },
  'a model that is switched off': {
    status: 503,
    kind: OpenAI.InternalServerError,
    says: /'acme-off' is offline/,
    more: { model: 'acme-off' },
  },
}
for (const [name, { status, kind, says, key = rich.key, more }] of Object.entries(refusals))
  for (const stream of [false, true])
    test(`${name} (${stream ? 'stream' : 'whole'}): ${kind.name} of ${status} with our sentence, at no cost`, async () => {
      const asked = house.requests.length
      const error = await unpaid(() =>
        thrown(clientOf(key).chat.completions.create({ ...body, ...more, stream } as typeof body)),
      )
      assert.ok(error instanceof kind)
      assert.ok(error instanceof OpenAI.APIError)
      assert.equal(error.status, status)
      assert.match(error.message, says)
      assert.match(String(error.requestID), /^[0-9a-f]{32}$/)
      assert.equal(house.requests.length, asked)
    })

test('a prompt that is too long: the code that programs know', async () => {
  const long = [{ role: 'user' as const, content: 'word '.repeat(20_000) }]
  const error = await unpaid(() => thrown(clientOf(rich.key).chat.completions.create({ ...body, messages: long })))
  assert.ok(error instanceof OpenAI.BadRequestError)
  assert.deepEqual([error.code, error.param], ['context_length_exceeded', 'messages'])
})

test('an upstream that has too much to do, or is broken: 429 and 503, at no cost', async () => {
  house.next(script.tooManyRequests(), script.fail(500))
  const client = clientOf(rich.key)
  const busy = await unpaid(() => thrown(client.chat.completions.create(body)))
  assert.ok(busy instanceof OpenAI.RateLimitError)
  assert.deepEqual([busy.headers?.get('retry-after'), busy.headers?.get('retry-after-ms')], ['7', '7000'])
  assert.match(busy.message, /'acme' has too much to do/)
  const broken = await unpaid(() => thrown(client.chat.completions.create(body)))
  assert.ok(broken instanceof OpenAI.InternalServerError)
  assert.equal(broken.status, 503)
})

test('a busy moment is over after a retry by the SDK, which waits as long as it is told and pays once', async () => {
  const payer = await createPayer(service.sql, { usd: 1_000_000_000n })
  const soon = () => script.tooManyRequests({ 'retry-after-ms': '5' })
  // The service itself tries a second time.
  house.next(soon(), soon())
  sent = 0
  const answer = await clientOf(payer.key, 2).chat.completions.create(body)
  assert.equal(answer.choices[0]?.message.content, 'Hello from upstream')
  assert.equal(sent, 2)
  assert.equal((await payer.balances()).usd, 1_000_000_000n - 13_000n)
})

test('what a retry cannot mend is not retried: bad requests, keys, credit, models that are switched off', async () => {
  for (const { key = rich.key, more } of Object.values(refusals)) {
    sent = 0
    await unpaid(() => thrown(clientOf(key, 2).chat.completions.create({ ...body, ...more })))
    assert.equal(sent, 1)
  }
})
