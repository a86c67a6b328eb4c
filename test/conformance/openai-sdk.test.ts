import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import OpenAI from 'openai'
import { script } from '../fakes/upstream.js'
import { assertBooks } from '../money.js'
import { collect, startTextService, until } from '../text-service.js'

/** Chat with openai-node, which is told nothing but base URL and key. */
const service = await startTextService({ after })
const { house, rich, bill } = service
const client = new OpenAI({ baseURL: service.baseURL, apiKey: rich.key, maxRetries: 0 })
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Hi' }]

test('models are listed and read', async () => {
  const ids: string[] = []
  for await (const model of await client.models.list()) {
    assert.equal(typeof model.created, 'number')
    ids.push(model.id)
  }
  assert.ok(ids.includes('acme') && ids.includes('tessera-tiny'))
  assert.equal((await client.models.retrieve('tessera-tiny')).object, 'model')
})

test('a chat is answered, counted and paid', async () => {
  const answer = await client.chat.completions.create({ model: 'acme', messages })
  assert.equal(answer.choices[0]?.message.content, 'Hello from upstream')
  assert.equal(answer.choices[0]?.finish_reason, 'stop')
  assert.equal(answer.usage?.total_tokens, 10)
  assert.equal((await bill(answer._request_id))?.usd, 13_000n)
})

test('a stream has one id, begins with a role, and tells its usage at the end to those who ask', async () => {
  const { data, request_id } = await client.chat.completions
    .create({ model: 'acme', messages, stream: true, stream_options: { include_usage: true } })
    .withResponse()
  const chunks = await collect(data)
  assert.equal(new Set(chunks.map(({ id, created, model }) => `${id} ${created} ${model}`)).size, 1)
  assert.equal(chunks[0]?.choices[0]?.delta.role, 'assistant')
  assert.equal(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join(''), 'Hello from upstream')
  assert.deepEqual([chunks.at(-1)?.choices, chunks.at(-1)?.usage?.total_tokens], [[], 10])
  assert.equal((await bill(request_id))?.usd, 13_000n)

  const plain = await collect(await client.chat.completions.create({ model: 'acme', messages, stream: true }))
  assert.ok(plain.every(({ choices, usage }) => choices.length === 1 && usage == null))
})

test('the stream helper puts the pieces together as the whole answer would be', async () => {
  const calls = [
    { id: 'call_1', name: 'weather', arguments: '{"place":"Bern"}' },
    { id: 'call_2', name: 'weather', arguments: '{"place":"Oslo"}' },
  ]
  house.next(script.answer({ toolCalls: calls, usage: { prompt_tokens: 5, completion_tokens: 9, total_tokens: 14 } }))
  const stream = client.chat.completions.stream({
    model: 'acme',
    messages,
    tools: [weather],
    stream_options: { include_usage: true },
  })
  const { choices, usage } = await stream.finalChatCompletion()
  assert.equal(choices[0]?.finish_reason, 'tool_calls')
  assert.deepEqual(
    choices[0]?.message.tool_calls?.map((call) => call.type === 'function' && [call.id, call.function.arguments]),
    calls.map((call) => [call.id, call.arguments]),
  )
  assert.equal(usage?.total_tokens, 14)

  const said: string[] = []
  const text = client.chat.completions.stream({ model: 'acme', messages }).on('content', (delta) => said.push(delta))
  assert.equal(await text.finalContent(), 'Hello from upstream')
  assert.deepEqual(said, ['Hello', ' from', ' upstream'])
})

const parameters = {
  type: 'object',
  properties: { place: { type: 'string', enum: ['Bern', 'Oslo'] } },
  required: ['place'],
  additionalProperties: false,
}
const weather: OpenAI.ChatCompletionFunctionTool = { type: 'function', function: { name: 'weather', parameters } }
const runWeather = (asked: unknown[]) => ({
  type: 'function' as const,
  function: {
    name: 'weather',
    description: 'The weather of a place',
    parameters,
    parse: JSON.parse,
    function: (input: object) => {
      asked.push(input)
      return 'sunny'
    },
  },
})

for (const stream of [false, true])
  test(`runTools calls the function and gives its result back (${stream ? 'stream' : 'whole'})`, async () => {
    house.next(script.answer({ toolCalls: [{ id: 'call_1', name: 'weather', arguments: '{"place":"Bern"}' }] }))
    house.next(script.answer({ words: ['It is', ' sunny.'] }))
    const asked: unknown[] = []
    const body = { model: 'acme', messages, tools: [runWeather(asked)] }
    const runner = stream
      ? client.chat.completions.runTools({ ...body, stream: true })
      : client.chat.completions.runTools(body)
    assert.equal(await runner.finalContent(), 'It is sunny.')
    assert.deepEqual(asked, [{ place: 'Bern' }])
    const turns = house.requests.at(-1)?.body.messages as { role: string; content: unknown; tool_call_id?: string }[]
    assert.deepEqual(
      turns.map(({ role, content, tool_call_id }) => [role, content ?? null, tool_call_id]),
      [
        ['user', 'Hi', undefined],
        ['assistant', null, undefined],
        ['tool', 'sunny', 'call_1'],
      ],
    )
  })

test('parse gives the object that the schema describes', async () => {
  house.next(script.answer({ words: ['{"place":', '"Bern"}'] }))
  const answer = await client.chat.completions.parse({
    model: 'acme',
    messages,
    response_format: { type: 'json_schema', json_schema: { name: 'place', strict: true, schema: parameters } },
  })
  assert.deepEqual(answer.choices[0]?.message.parsed, { place: 'Bern' })
})

test('several choices come with their index, whole and in a stream, and all are paid', async () => {
  const usage = { prompt_tokens: 5, completion_tokens: 6, total_tokens: 11 }
  house.next(script.answer({ choices: 2, usage }), script.answer({ choices: 2, usage }))
  const whole = await client.chat.completions.create({ model: 'acme', messages, n: 2 })
  const streamed = await client.chat.completions.stream({ model: 'acme', messages, n: 2 }).finalChatCompletion()
  for (const { choices } of [whole, streamed])
    assert.deepEqual(
      choices.map(({ index, message }) => [index, message.content]),
      [
        [0, 'Hello from upstream'],
        [1, 'Hello from upstream'],
      ],
    )
  assert.equal((await bill(whole._request_id))?.usd, 5_000n + 12_000n)
})

test('logprobs arrive as the backend gave them', async () => {
  const content = [{ token: 'Yes', logprob: -0.25, bytes: [89, 101, 115], top_logprobs: [] }]
  house.next(
    script.refuse(200, {
      choices: [
        { index: 0, finish_reason: 'stop', logprobs: { content }, message: { role: 'assistant', content: 'Yes' } },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    }),
  )
  const { choices } = await client.chat.completions.create({ model: 'acme', messages, logprobs: true, top_logprobs: 0 })
  assert.deepEqual(choices[0]?.logprobs?.content, content)
})

test('who breaks out of the loop leaves the upstream, too, and pays for what was written', async () => {
  const paced = script.paced()
  const before = house.requests.length
  house.next(paced)
  paced.release(2)
  const { data, request_id } = await client.chat.completions
    .create({ model: 'acme', messages, stream: true })
    .withResponse()
  for await (const chunk of data) if (chunk.choices[0]?.delta.content) break
  assert.equal(await (await house.request(before)).ended, 'left')
  const made = await until(() => bill(request_id))
  assert.deepEqual([made.outcome, made.completionTokens], ['aborted', 1])
})

test('a stream that breaks raises an error with our sentence, and is not paid', async () => {
  house.next(script.cutAfterFirstToken())
  const { data, request_id } = await client.chat.completions
    .create({ model: 'acme', messages, stream: true })
    .withResponse()
  await assert.rejects(collect(data), (error: unknown) => {
    assert.ok(error instanceof OpenAI.APIError)
    assert.match(error.message, /'acme' broke off in the middle of its answer; nothing is charged/)
    assert.equal(error.code, 'INFERENCE_FAILED')
    return true
  })
  const made = await bill(request_id)
  assert.deepEqual([made?.outcome, made?.usd], ['failed', 0n])
})

test('the model inside the box: a chat, the same text as a stream, a call of a tool, an object', async () => {
  const body = { model: 'tessera-tiny', messages, temperature: 0, max_tokens: 12 }
  const whole = await client.chat.completions.create(body)
  const text = whole.choices[0]?.message.content ?? ''
  assert.ok(text.length > 0)
  assert.ok(whole.usage && whole.usage.prompt_tokens > 0 && whole.usage.completion_tokens <= 12)
  assert.equal((await bill(whole._request_id))?.completionTokens, whole.usage.completion_tokens)

  const stream = client.chat.completions.stream({ ...body, stream_options: { include_usage: true } })
  const streamed = await stream.finalChatCompletion()
  assert.equal(streamed.choices[0]?.message.content, text)
  assert.equal(streamed.usage?.completion_tokens, whole.usage.completion_tokens)

  const called = await client.chat.completions.create({
    ...body,
    max_tokens: 60,
    messages: [{ role: 'user', content: 'What is the weather in Oslo?' }],
    tools: [weather],
    tool_choice: 'required',
  })
  const call = called.choices[0]?.message.tool_calls?.[0]
  assert.equal(called.choices[0]?.finish_reason, 'tool_calls')
  assert.ok(call?.type === 'function' && call.function.name === 'weather')
  assert.ok(['Bern', 'Oslo'].includes(JSON.parse(call.function.arguments).place))

  const parsed = await client.chat.completions.parse({
    ...body,
    max_tokens: 60,
    response_format: { type: 'json_schema', json_schema: { name: 'place', strict: true, schema: parameters } },
  })
  assert.ok(['Bern', 'Oslo'].includes((parsed.choices[0]?.message.parsed as { place?: string } | null)?.place ?? ''))
})

test('runTools with the model inside the box: it calls, hears the result, and answers', async () => {
  const asked: unknown[] = []
  const runner = client.chat.completions.runTools({
    model: 'tessera-tiny',
    messages: [{ role: 'user', content: 'What is the weather in Oslo?' }],
    tools: [runWeather(asked)],
    tool_choice: { type: 'function', function: { name: 'weather' } },
    temperature: 0,
    max_tokens: 60,
  })
  await runner.done()
  assert.equal(asked.length, 1)
  assert.equal(runner.messages.at(-1)?.role, 'tool', 'a call that was forced ends the run')

  const last = await client.chat.completions.create({
    model: 'tessera-tiny',
    messages: runner.messages as OpenAI.ChatCompletionMessageParam[],
    temperature: 0,
    max_tokens: 20,
  })
  assert.ok(last.choices[0]?.message.content)
})

test('the books balance', () => assertBooks(service.sql))
