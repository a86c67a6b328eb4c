import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import OpenAI from 'openai'
import { script } from '../fakes/upstream.js'
import { fakeVector } from '../fakes/upstream-scripts.js'
import { assertBooks } from '../money.js'
import { collect, startTextService, thrown } from '../text-service.js'

/** Embeddings, completions and responses with openai-node. */
const service = await startTextService({ after })
const { house, rich, bill, unpaid } = service
const client = new OpenAI({ baseURL: service.baseURL, apiKey: rich.key, maxRetries: 0 })

test('embeddings: the base64 that the SDK asks for by itself holds the same numbers as a list', async () => {
  const input = ['one', 'three', 'fifteen']
  const usual = await client.embeddings.create({ model: 'acme-embed', input })
  const listed = await client.embeddings.create({ model: 'acme-embed', input, encoding_format: 'float' })
  for (const { data } of [usual, listed])
    assert.deepEqual(
      data.map(({ index, embedding }) => [index, Array.from(embedding)]),
      input.map((text, index) => [index, fakeVector(text)]),
    )
  assert.equal((await bill(usual._request_id))?.usd, BigInt(usual.usage.prompt_tokens) * 1_000n)
})

test('embeddings by the model inside the box: alike is closer than unlike, in both encodings', async () => {
  const input = ['A cat sleeps on the sofa.', 'A kitten naps on the couch.', 'Interest rates rose in March.']
  const embed = async (more: object) => {
    const answer = await client.embeddings.create({ model: 'text-embedding-3-small', input, ...more })
    assert.equal(answer.model, 'text-embedding-use-lite')
    return answer.data.map(({ embedding }) => Array.from(embedding))
  }
  const [cat = [], kitten = [], rates = []] = await embed({})
  assert.equal(cat.length, 512)
  const alike = (one: number[], other: number[]) =>
    one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0)
  assert.ok(alike(cat, kitten) > alike(cat, rates))
  assert.deepEqual(await embed({ encoding_format: 'float' }), [cat, kitten, rates])
})

test('token ids instead of text: 400 that says what to set, at no cost', async () => {
  const error = await unpaid(() => thrown(client.embeddings.create({ model: 'acme-embed', input: [[1, 2, 3]] })))
  assert.ok(error instanceof OpenAI.BadRequestError)
  assert.match(error.message, /check_embedding_ctx_length=False/)
})

test('legacy completions, whole and as a stream', async () => {
  const body = { model: 'acme', prompt: 'Once upon a time', max_tokens: 20 }
  const whole = await client.completions.create(body)
  assert.deepEqual(
    [whole.object, whole.choices[0]?.text, whole.choices[0]?.finish_reason],
    ['text_completion', 'Hello from upstream', 'stop'],
  )
  assert.equal((await bill(whole._request_id))?.usd, 13_000n)
  const chunks = await collect(
    await client.completions.create({ ...body, stream: true, stream_options: { include_usage: true } }),
  )
  assert.equal(chunks.map(({ choices }) => choices[0]?.text ?? '').join(''), 'Hello from upstream')
  assert.deepEqual([chunks.at(-1)?.choices, chunks.at(-1)?.usage?.total_tokens], [[], 10])
  assert.deepEqual(house.requests.at(-1)?.body.messages, [{ role: 'user', content: 'Once upon a time' }])
})

test('responses: an answer, its text and its usage', async () => {
  house.next(script.answer({ reasoning: ['Hm.'] }))
  const answer = await client.responses.create({ model: 'acme', instructions: 'Be kind.', input: 'Hi' })
  assert.equal(answer.output_text, 'Hello from upstream')
  assert.deepEqual(
    answer.output.map(({ type }) => type),
    ['reasoning', 'message'],
  )
  assert.deepEqual([answer.status, answer.usage?.total_tokens], ['completed', 10])
  assert.deepEqual(house.requests.at(-1)?.body.messages, [
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: 'Hi' },
  ])
  assert.equal((await bill(answer._request_id))?.usd, 13_000n)
})

test('responses: the stream helper ends with the same answer, and the events are in order', async () => {
  const stream = client.responses.stream({ model: 'acme', input: 'Hi' })
  const events: string[] = []
  let text = ''
  for await (const event of stream) {
    events.push(event.type)
    if (event.type === 'response.output_text.delta') text += event.delta
  }
  assert.equal(text, 'Hello from upstream')
  assert.deepEqual([events[0], events.at(-1)], ['response.created', 'response.completed'])
  assert.equal((await stream.finalResponse()).output_text, 'Hello from upstream')
})

test('responses: a tool is called, its result goes back, and the model answers', async () => {
  const parameters = { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] }
  const tools: OpenAI.Responses.Tool[] = [{ type: 'function', name: 'weather', parameters, strict: false }]
  house.next(script.answer({ toolCalls: [{ id: 'call_1', name: 'weather', arguments: '{"place":"Bern"}' }] }))
  const asked = await client.responses.create({ model: 'acme', input: 'Weather?', tools })
  const call = asked.output.find((item) => item.type === 'function_call') ?? assert.fail()
  assert.deepEqual([call.call_id, call.name, call.arguments], ['call_1', 'weather', '{"place":"Bern"}'])
  const answer = await client.responses.create({
    model: 'acme',
    tools,
    input: [
      { role: 'user', content: 'Weather?' },
      ...(asked.output as OpenAI.Responses.ResponseInputItem[]),
      { type: 'function_call_output', call_id: call.call_id, output: 'sunny' },
    ],
  })
  assert.equal(answer.output_text, 'Hello from upstream')
  const turns = house.requests.at(-1)?.body.messages as { role: string }[]
  assert.deepEqual(
    turns.map(({ role }) => role),
    ['user', 'assistant', 'tool'],
  )
})

test('responses: what needs a memory is refused by name, at no cost', async () => {
  const body = { model: 'acme', input: 'Hi', previous_response_id: 'resp_1' }
  const error = await unpaid(() => thrown(client.responses.create(body)))
  assert.ok(error instanceof OpenAI.BadRequestError)
  assert.match(error.message, /previous_response_id.*nothing is kept between calls/)
})

test('a response whose stream breaks is told as an error, and is not paid', async () => {
  house.next(script.cutAfterFirstToken())
  const { data, request_id } = await client.responses
    .create({ model: 'acme', input: 'Hi', stream: true })
    .withResponse()
  const events: OpenAI.Responses.ResponseStreamEvent[] = []
  const reading = async () => {
    for await (const event of data) events.push(event)
  }
  const error = await reading().catch((error) => error)
  const failed = events.find((event) => event.type === 'response.failed' || event.type === 'error')
  assert.match(`${error} ${JSON.stringify(failed)}`, /broke off in the middle of its answer/)
  const made = await bill(request_id)
  assert.deepEqual([made?.outcome, made?.usd], ['failed', 0n])
})

test('completions and responses by the model inside the box: whole and stream say the same', async () => {
  const prompt = { model: 'tessera-tiny', prompt: 'Say hello.', temperature: 0, max_tokens: 12 }
  const whole = await client.completions.create(prompt)
  const chunks = await collect(await client.completions.create({ ...prompt, stream: true }))
  assert.ok(whole.choices[0]?.text)
  assert.equal(chunks.map(({ choices }) => choices[0]?.text ?? '').join(''), whole.choices[0].text)

  const input = { model: 'tessera-tiny', input: 'Say hello.', temperature: 0, max_output_tokens: 12 }
  const answer = await client.responses.create(input)
  const streamed = await client.responses.stream(input).finalResponse()
  assert.ok(answer.output_text)
  assert.equal(streamed.output_text, answer.output_text)
  assert.equal((await bill(answer._request_id))?.completionTokens, answer.usage?.output_tokens)
})

test('the books balance', () => assertBooks(service.sql))
