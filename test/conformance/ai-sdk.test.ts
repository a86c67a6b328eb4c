import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import {
  APICallError,
  embedMany,
  generateObject,
  generateText,
  jsonSchema,
  RetryError,
  stepCountIs,
  streamObject,
  streamText,
  tool,
} from 'ai'
import { script } from '../fakes/upstream.js'
import { fakeVector } from '../fakes/upstream-scripts.js'
import { assertBooks, createPayer } from '../money.js'
import { collect, startTextService, thrown, until } from '../text-service.js'

/** The AI SDK with its provider for compatible services. */
const service = await startTextService({ after })
const { house, rich, bill, unpaid } = service
const providerOf = (apiKey: string) =>
  createOpenAICompatible({
    name: 'tessera',
    baseURL: service.baseURL,
    apiKey,
    includeUsage: true,
    supportsStructuredOutputs: true,
  })
const provider = providerOf(rich.key)
const acme = provider('acme')
const tiny = provider('tessera-tiny')

const place = jsonSchema<{ place: string }>({
  type: 'object',
  properties: { place: { type: 'string', enum: ['Bern', 'Oslo'] } },
  required: ['place'],
  additionalProperties: false,
})
const weather = tool({ description: 'The weather of a place', inputSchema: place, execute: async () => 'sunny' })
const callOfBern = script.answer({ toolCalls: [{ id: 'call_1', name: 'weather', arguments: '{"place":"Bern"}' }] })

test('generateText: text, reasoning, why it ended, usage; and it is paid', async () => {
  house.next(script.answer({ reasoning: ['Hm', '.'] }))
  const { text, reasoningText, finishReason, usage, response } = await generateText({ model: acme, prompt: 'Hi' })
  assert.deepEqual([text, reasoningText, finishReason], ['Hello from upstream', 'Hm.', 'stop'])
  assert.deepEqual([usage.inputTokens, usage.outputTokens, usage.totalTokens], [7, 3, 10])
  assert.equal((await bill(response.headers?.['x-request-id']))?.usd, 13_000n)
})

test('streamText: reasoning, then text, then usage', async () => {
  house.next(script.answer({ reasoning: ['Hm', '.'] }))
  const { fullStream, usage } = streamText({ model: acme, prompt: 'Hi' })
  const parts = await collect(fullStream)
  const said = (type: 'text-delta' | 'reasoning-delta') =>
    parts.map((part) => (part.type === type ? part.text : '')).join('')
  assert.deepEqual([said('reasoning-delta'), said('text-delta')], ['Hm.', 'Hello from upstream'])
  assert.ok(!parts.some(({ type }) => type === 'error'))
  assert.equal((await usage).totalTokens, 10)
})

test('generateText with a tool: call, result, answer', async () => {
  house.next(callOfBern)
  const { text, steps } = await generateText({
    model: acme,
    prompt: 'Weather?',
    tools: { weather },
    stopWhen: stepCountIs(3),
  })
  assert.equal(text, 'Hello from upstream')
  assert.deepEqual(
    steps[0]?.toolResults.map(({ input, output }) => [input, output]),
    [[{ place: 'Bern' }, 'sunny']],
  )
  assert.equal((house.requests.at(-1)?.body.messages as { role: string }[]).at(-1)?.role, 'tool')
})

test('streamText with a tool: the pieces of the call are put together, the result goes back', async () => {
  house.next(callOfBern)
  const { fullStream, text } = streamText({
    model: acme,
    prompt: 'Weather?',
    tools: { weather },
    stopWhen: stepCountIs(3),
  })
  const parts = await collect(fullStream)
  const call = parts.find((part) => part.type === 'tool-call') ?? assert.fail()
  assert.deepEqual([call.toolCallId, call.toolName, call.input], ['call_1', 'weather', { place: 'Bern' }])
  assert.equal(await text, 'Hello from upstream')
})

test('generateObject and streamObject: the schema reaches the model, the object is parsed', async () => {
  house.next(script.answer({ words: ['{"place":', '"Bern"}'] }), script.answer({ words: ['{"place":', '"Oslo"}'] }))
  const { object } = await generateObject({ model: acme, schema: place, prompt: 'Where?' })
  assert.deepEqual(object, { place: 'Bern' })
  const format = house.requests.at(-1)?.body.response_format as { type: string }
  assert.equal(format.type, 'json_schema')
  const { partialObjectStream } = streamObject({ model: acme, schema: place, prompt: 'Where?' })
  assert.deepEqual((await collect(partialObjectStream)).at(-1), { place: 'Oslo' })
})

test('embedMany: a vector for each text, in order', async () => {
  const values = ['one', 'three', 'fifteen']
  const { embeddings, usage } = await embedMany({ model: provider.embeddingModel('acme-embed'), values })
  assert.deepEqual(
    embeddings,
    values.map((value) => fakeVector(value)),
  )
  assert.ok(usage.tokens > 0)
})

test('who aborts leaves the upstream, too, and pays for what was written', async () => {
  const payer = await createPayer(service.sql, { usd: 1_000_000_000n })
  const paced = script.paced()
  const before = house.requests.length
  house.next(paced)
  paced.release(2)
  const leaving = new AbortController()
  const { fullStream } = streamText({
    model: providerOf(payer.key)('acme'),
    prompt: 'Hi',
    abortSignal: leaving.signal,
  })
  for await (const part of fullStream) if (part.type === 'text-delta') leaving.abort()
  assert.equal(await (await house.request(before)).ended, 'left')
  const [row] = await until(async () => {
    const rows = await service.sql<{ outcome: string }>`
      select outcome from usage_record where account_id = ${payer.accountId}`
    return rows.length > 0 ? rows : undefined
  })
  assert.equal(row?.outcome, 'aborted')
})

test('what is refused is an APICallError that has our sentence; it is not retried and costs nothing', async () => {
  const poor = await createPayer(service.sql)
  for (const [error, status, says] of [
    [await unpaid(() => thrown(generateText({ model: acme, prompt: 'Hi', temperature: 3 }))), 400, /at most 2/],
    [await thrown(generateText({ model: providerOf('wrong')('acme'), prompt: 'Hi' })), 401, /not known/],
    [await thrown(generateText({ model: providerOf(poor.key)('acme'), prompt: 'Hi' })), 402, /Insufficient balance/],
    [await unpaid(() => thrown(generateText({ model: provider('nope'), prompt: 'Hi' }))), 404, /no model 'nope'/],
  ] as const) {
    assert.ok(APICallError.isInstance(error))
    assert.deepEqual([error.statusCode, error.isRetryable], [status, false])
    assert.match(error.responseBody ?? '', says)
    assert.match(error.message, says)
  }
})

test('a busy moment is over after a retry by the SDK; what stays busy ends with all the reasons', async () => {
  const soon = () => script.tooManyRequests({ 'retry-after-ms': '5' })
  house.next(soon(), soon())
  assert.equal((await generateText({ model: acme, prompt: 'Hi' })).text, 'Hello from upstream')
  house.next(soon(), soon(), soon(), soon())
  const error = await unpaid(() => thrown(generateText({ model: acme, prompt: 'Hi', maxRetries: 1 })))
  assert.ok(RetryError.isInstance(error))
  assert.ok(APICallError.isInstance(error.lastError) && error.lastError.statusCode === 429)
  assert.equal((await generateText({ model: acme, prompt: 'Hi' })).text, 'Hello from upstream')
})

test('a stream that breaks is an error part with our sentence, and is not paid', async () => {
  house.next(script.cutAfterFirstToken())
  const { fullStream } = streamText({ model: acme, prompt: 'Hi', onError: () => {} })
  const parts = await unpaid(() => collect(fullStream))
  const failed = parts.find((part) => part.type === 'error') ?? assert.fail('no error was told')
  assert.match(String(Object(failed.error).message ?? failed.error), /broke off in the middle of its answer/)
})

test('the model inside the box: text, the same as a stream, a call, an object, vectors', async () => {
  const ask = { model: tiny, prompt: 'Say hello.', temperature: 0, maxOutputTokens: 12 }
  const whole = await generateText(ask)
  assert.ok(whole.text.length > 0 && (whole.usage.outputTokens ?? 0) > 0)
  assert.equal(await streamText(ask).text, whole.text)

  const called = await generateText({
    ...ask,
    prompt: 'What is the weather in Oslo?',
    maxOutputTokens: 60,
    tools: { weather },
    toolChoice: 'required',
  })
  assert.ok(['Bern', 'Oslo'].includes(called.toolCalls[0]?.input && Object(called.toolCalls[0].input).place))

  const { object } = await generateObject({ ...ask, maxOutputTokens: 60, schema: place })
  assert.ok(['Bern', 'Oslo'].includes(object.place))

  const { embeddings } = await embedMany({
    model: provider.embeddingModel('text-embedding-use-lite'),
    values: ['one', 'two'],
  })
  assert.deepEqual(
    embeddings.map(({ length }) => length),
    [512, 512],
  )
})

test('the books balance', () => assertBooks(service.sql))
