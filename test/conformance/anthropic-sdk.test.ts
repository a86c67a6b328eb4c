import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { script } from '../fakes/upstream.js'
import { assertBooks, createPayer } from '../money.js'
import { prices, startTextService, thrown, until } from '../text-service.js'

/** Anthropic's own SDK, whose base URL ends before the version. */
const service = await startTextService(
  { after },
  {
    models: `
  - { id: acme-off, type: text, engine: { upstream: house }, contextTokens: 100, pricing: ${prices}, offline: true }`,
  },
)
const { house, rich, bill, unpaid } = service
const clientOf = (apiKey: string, maxRetries = 0) =>
  new Anthropic({ baseURL: `${service.origin}/api`, apiKey, maxRetries })
const client = clientOf(rich.key)
const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Hi' }]
const body = { model: 'acme', max_tokens: 100, messages }

const input_schema = {
  type: 'object' as const,
  properties: { place: { type: 'string', enum: ['Bern', 'Oslo'] } },
  required: ['place'],
  additionalProperties: false,
}
const weather: Anthropic.Tool = { name: 'weather', description: 'The weather of a place', input_schema }
const callOfBern = () =>
  script.answer({ toolCalls: [{ id: 'call_1', name: 'weather', arguments: '{"place":"Bern"}' }] })

test('create: thinking, text, why it stopped and usage; and it is paid', async () => {
  house.next(
    script.answer({
      reasoning: ['Hm.'],
      usage: { prompt_tokens: 20, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 12 } },
    }),
  )
  const answer = await client.messages.create(body)
  assert.deepEqual(
    answer.content.map((block) => (block.type === 'thinking' ? block.thinking : block.type === 'text' && block.text)),
    ['Hm.', 'Hello from upstream'],
  )
  assert.equal(answer.stop_reason, 'end_turn')
  const { input_tokens, cache_read_input_tokens, output_tokens } = answer.usage
  assert.deepEqual([input_tokens, cache_read_input_tokens, output_tokens], [8, 12, 3])
  assert.equal((await bill(answer._request_id))?.usd, 15_200n)
})

test('the key may come as x-api-key and as Bearer; who sends none is told how', async () => {
  const bearer = new Anthropic({
    baseURL: `${service.origin}/api`,
    apiKey: null,
    authToken: rich.key,
    maxRetries: 0,
  })
  assert.equal((await bearer.messages.create(body)).role, 'assistant')
  const answer = await service.post('/messages', body)
  assert.deepEqual([answer.status, answer.body.error.type], [401, 'authentication_error'])
})

test('models are listed, for clients that let their users choose', async () => {
  const ids: string[] = []
  for await (const { id } of client.models.list()) ids.push(id)
  assert.ok(ids.includes('acme') && ids.includes('tessera-tiny'))
})

test('the stream helper puts thinking, text and calls together as the whole answer would be', async () => {
  house.next(script.answer({ reasoning: ['Hm', '.'] }))
  const told = { text: '', thinking: '' }
  const stream = client.messages.stream(body)
  stream.on('text', (text) => {
    told.text += text
  })
  stream.on('thinking', (text) => {
    told.thinking += text
  })
  const said = await stream.finalMessage()
  assert.deepEqual(told, { text: 'Hello from upstream', thinking: 'Hm.' })
  assert.deepEqual(
    said.content.map(({ type }) => type),
    ['thinking', 'text'],
  )
  assert.deepEqual([said.stop_reason, said.usage.output_tokens], ['end_turn', 3])

  house.next(callOfBern())
  const called = await client.messages.stream({ ...body, tools: [weather] }).finalMessage()
  assert.equal(called.stop_reason, 'tool_use')
  assert.deepEqual(called.content, [{ type: 'tool_use', id: 'call_1', name: 'weather', input: { place: 'Bern' } }])
})

test('the first event of a stream knows the size of the prompt', async () => {
  const { data, request_id } = await client.messages.create({ ...body, stream: true }).withResponse()
  const names: string[] = []
  for await (const event of data) {
    names.push(event.type)
    if (event.type === 'message_start') assert.ok(event.message.usage.input_tokens > 0)
  }
  assert.deepEqual([names[0], names.at(-2), names.at(-1)], ['message_start', 'message_delta', 'message_stop'])
  assert.equal((await bill(request_id))?.usd, 13_000n)
})

test('counting tokens is free, asks no model, and takes everything that a message takes', async () => {
  const asked = house.requests.length
  const { input_tokens: few } = await unpaid(() => client.messages.countTokens({ model: 'acme', messages }))
  const { input_tokens: many } = await unpaid(() =>
    client.messages.countTokens({
      model: 'acme',
      system: [{ type: 'text', text: 'word '.repeat(200), cache_control: { type: 'ephemeral' } }],
      messages,
      tools: [weather],
      thinking: { type: 'enabled', budget_tokens: 1024 },
    }),
  )
  assert.ok(few > 0 && many > few + 150)
  assert.equal(house.requests.length, asked)
})

const poor = await createPayer(service.sql)
const limited = await createPayer(service.sql, { usd: 1_000_000_000n, modelPrivacy: 'PRIVATE_TEXT' })
type Refusal = { status: number; kind: new (...all: never[]) => Error; type: string; key?: string; more?: object }
const refusals: Record<string, Refusal> = {
  'a value out of range': {
    status: 400,
    kind: Anthropic.BadRequestError,
    type: 'invalid_request_error',
    more: { temperature: 1.5 },
  },
  'a prompt that is too long': {
    status: 400,
    kind: Anthropic.BadRequestError,
    type: 'invalid_request_error',
    more: { messages: [{ role: 'user', content: 'word '.repeat(20_000) }] },
  },
  'a wrong key': { status: 401, kind: Anthropic.AuthenticationError, type: 'authentication_error', key: 'wrong' },
  'no credit': { status: 402, kind: Anthropic.APIError, type: 'billing_error', key: poor.key },
  'a model that the key may not use': {
    status: 403,
    kind: Anthropic.PermissionDeniedError,
    type: 'permission_error',
    key: limited.key,
    more: { model: 'acme-plain' },
  },
  'a model that does not exist': {
    status: 404,
    kind: Anthropic.NotFoundError,
    type: 'not_found_error',
    more: { model: 'nope' },
  },
  'a model that is switched off': {
    status: 503,
    kind: Anthropic.InternalServerError,
    type: 'overloaded_error',
    more: { model: 'acme-off' },
  },
}
for (const [name, { status, kind, type, key = rich.key, more }] of Object.entries(refusals))
  for (const stream of [false, true])
    test(`${name} (${stream ? 'stream' : 'whole'}): ${kind.name} of ${status}, ${type}, at no cost`, async () => {
      const asked = house.requests.length
      const error = await unpaid(() => thrown(clientOf(key, 2).messages.create({ ...body, ...more, stream })))
      assert.ok(error instanceof kind)
      assert.ok(error instanceof Anthropic.APIError)
      assert.deepEqual([error.status, error.type], [status, type])
      assert.match(String(error.requestID), /^[0-9a-f]{32}$/)
      assert.equal(Object(error.error).request_id, error.requestID)
      assert.ok(error.message.includes(Object(error.error).error.message))
      assert.equal(house.requests.length, asked)
    })

test('a busy upstream: 429, which the SDK retries as it is told', async () => {
  house.next(script.tooManyRequests())
  const busy = await unpaid(() => thrown(client.messages.create(body)))
  assert.ok(busy instanceof Anthropic.RateLimitError)
  assert.equal(busy.headers?.get('retry-after'), '7')
  const soon = () => script.tooManyRequests({ 'retry-after-ms': '5' })
  house.next(soon(), soon())
  assert.equal((await clientOf(rich.key, 1).messages.create(body)).stop_reason, 'end_turn')
})

test('who aborts leaves the upstream, too, and pays for what was written', async () => {
  const paced = script.paced()
  const before = house.requests.length
  house.next(paced)
  paced.release(2)
  const { data, request_id } = await client.messages.create({ ...body, stream: true }).withResponse()
  for await (const event of data) if (event.type === 'content_block_delta') break
  assert.equal(await (await house.request(before)).ended, 'left')
  const made = await until(() => bill(request_id))
  assert.deepEqual([made.outcome, made.completionTokens], ['aborted', 1])
})

test('a stream that breaks raises an error with our sentence, and is not paid', async () => {
  house.next(script.cutAfterFirstToken())
  const error = await unpaid(() => thrown(client.messages.stream(body).finalMessage()))
  assert.ok(error instanceof Anthropic.APIError)
  assert.match(error.message, /'acme' broke off in the middle of its answer; nothing is charged/)
})

test('a session like that of Claude Code: blocks to cache, tools of servers, a result, more tokens than there are', async () => {
  const session = {
    model: 'acme',
    max_tokens: 32_000,
    temperature: 1,
    system: [
      { type: 'text' as const, text: 'You are a coding agent.', cache_control: { type: 'ephemeral' as const } },
      { type: 'text' as const, text: 'Be brief.', cache_control: { type: 'ephemeral' as const, ttl: '1h' as const } },
    ],
    tools: [
      { ...weather, cache_control: { type: 'ephemeral' as const } },
      { type: 'bash_20250124' as const, name: 'bash' as const },
      { type: 'future_tool_20990101', name: 'future' } as unknown as Anthropic.Beta.BetaTool,
    ],
    thinking: { type: 'enabled' as const, budget_tokens: 31_999 },
    metadata: { user_id: 'user_1_session_2' },
    betas: ['claude-code-20250219', 'interleaved-thinking-2025-05-14'],
  }
  const options = { headers: { 'x-claude-code-session-id': '0b6a', 'user-agent': 'claude-cli/2.0.0 (external, cli)' } }
  house.next(callOfBern())
  const asked = await client.beta.messages.stream({ ...session, messages }, options).finalMessage()
  assert.equal(asked.stop_reason, 'tool_use')
  const call = asked.content.find((block) => block.type === 'tool_use') ?? assert.fail()
  const first = house.requests.at(-1)?.body ?? assert.fail()
  assert.equal(first.max_tokens, 1_000)
  assert.deepEqual(
    (first.tools as { function: { name: string } }[]).map((tool) => tool.function.name),
    ['weather'],
  )

  const answer = await client.beta.messages
    .stream(
      {
        ...session,
        messages: [
          ...messages,
          { role: 'assistant', content: asked.content },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: call.id, content: [{ type: 'text', text: 'sunny' }] },
              { type: 'text', text: 'Go on.', cache_control: { type: 'ephemeral' } },
            ],
          },
        ],
      },
      options,
    )
    .finalMessage()
  assert.equal(answer.stop_reason, 'end_turn')
  const turns = house.requests.at(-1)?.body.messages as { role: string; tool_call_id?: string }[]
  assert.deepEqual(
    turns.map(({ role, tool_call_id }) => [role, tool_call_id]),
    [
      ['system', undefined],
      ['user', undefined],
      ['assistant', undefined],
      ['tool', 'call_1'],
      ['user', undefined],
    ],
  )
})

test('the model inside the box: the same text whole and streamed, a call and its result', async () => {
  const ask = { model: 'tessera-tiny', max_tokens: 12, temperature: 0, messages }
  const whole = await client.messages.create(ask)
  const said = (answer: Anthropic.Message) =>
    answer.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
  assert.ok(said(whole).length > 0)
  assert.equal((await bill(whole._request_id))?.completionTokens, whole.usage.output_tokens)
  assert.equal(said(await client.messages.stream(ask).finalMessage()), said(whole))

  const question: Anthropic.MessageParam = { role: 'user', content: 'What is the weather in Oslo?' }
  const called = await client.messages.create({
    ...ask,
    max_tokens: 60,
    messages: [question],
    tools: [weather],
    tool_choice: { type: 'any' },
  })
  const call = called.content.find((block) => block.type === 'tool_use') ?? assert.fail()
  assert.equal(called.stop_reason, 'tool_use')
  assert.ok(['Bern', 'Oslo'].includes(Object(call.input).place))
  const answer = await client.messages.create({
    ...ask,
    tools: [weather],
    messages: [
      question,
      { role: 'assistant', content: called.content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: 'sunny' }] },
    ],
  })
  assert.ok(answer.content.length > 0)
})

test('the books balance', () => assertBooks(service.sql))
