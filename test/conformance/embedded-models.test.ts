import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { installFolder } from '../../src/config.js'
import { createClient } from '../client.js'
import { assertBooks, createPayer } from '../money.js'
import { createFolder, runTessera, startTessera } from '../process.js'
import { startService } from '../service.js'
import { chunksOf, openStream } from '../text-service.js'

/** What a bare machine answers, without a config file and without a network. */
const service = await startService({ after })
const payer = await createPayer(service.sql, { usd: 10_000_000_000n, modelPrivacy: 'PRIVATE_ONLY' })
const caller = service.as(payer.key)
const chat = (more: object) =>
  caller.post('/chat/completions', {
    model: 'default',
    temperature: 0,
    messages: [{ role: 'user', content: 'What is the capital of France?' }],
    ...more,
  })

test('the model in the box answers, counts its tokens and charges them', async () => {
  const before = (await payer.balances()).usd
  const answer = await chat({})
  assert.equal(answer.status, 200)
  assert.match(answer.body.choices[0].message.content, /Paris/)
  assert.equal(answer.body.choices[0].finish_reason, 'stop')
  const { prompt_tokens: prompt, completion_tokens: written } = answer.body.usage
  assert.ok(prompt > 10 && written > 2)
  assert.equal(answer.headers['x-svc-model-router'], 'llama')
  const cost = BigInt(prompt) * 10n + BigInt(written) * 20n
  assert.deepEqual(answer.body.cost, { usd: Number(cost) / 1e9, diem: 0 })
  assert.equal((await payer.balances()).usd, before - cost)
})

test('a conversation that goes on finds its beginning in the cache', async () => {
  const messages = [{ role: 'user', content: 'Hello! My name is Ada, and I like the number seven.' }]
  const first = await chat({ messages })
  const next = await chat({
    messages: [...messages, first.body.choices[0].message, { role: 'user', content: 'Thanks!' }].map(
      ({ role, content }) => ({ role, content }),
    ),
  })
  assert.ok(next.body.usage.prompt_tokens_details.cached_tokens > 10)
})

test('a stream says the same as a whole answer, piece by piece', async () => {
  const whole = await chat({ seed: 1 })
  const stream = await chat({ seed: 1, stream: true, stream_options: { include_usage: true } })
  const chunks = chunksOf(stream.text)
  const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')
  assert.equal(text, whole.body.choices[0].message.content)
  assert.equal(chunks.at(-1).usage.completion_tokens, whole.body.usage.completion_tokens)
})

test('who leaves in mid-stream pays exactly the tokens that were written, and the model goes on to the next', async () => {
  const stream = await openStream(`${service.origin}/api/v1/chat/completions`, payer.key, {
    model: 'default',
    messages: [{ role: 'user', content: 'Tell me a long story about a fox.' }],
  })
  for await (const _bytes of stream.body) break
  const id = String(stream.headers['x-request-id'])
  type Row = { outcome: string; counted_by: string; prompt_tokens: bigint; completion_tokens: bigint; usd: bigint }
  const find = () => service.sql.maybeOne<Row>`
    select outcome, counted_by, prompt_tokens, completion_tokens, usd from usage_record where request_id = ${id}`
  let bill = await find()
  while (bill === undefined) {
    await wait(20)
    bill = await find()
  }
  assert.deepEqual([bill.outcome, bill.counted_by], ['aborted', 'running stats'])
  assert.ok(bill.completion_tokens > 0n)
  assert.equal(bill.usd, bill.prompt_tokens * 10n + bill.completion_tokens * 20n)
  assert.equal((await chat({})).status, 200)
})

test('JSON follows its schema, and tools are called with arguments that are JSON', async () => {
  const schema = {
    type: 'object',
    properties: { city: { type: 'string' }, population: { type: 'integer' } },
    required: ['city', 'population'],
    additionalProperties: false,
  }
  const object = await chat({ response_format: { type: 'json_schema', json_schema: { name: 'c', schema } } })
  assert.deepEqual(Object.keys(JSON.parse(object.body.choices[0].message.content)).sort(), ['city', 'population'])
  const call = await chat({
    messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
    tools: [
      {
        type: 'function',
        function: {
          name: 'get_weather',
          parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        },
      },
    ],
    tool_choice: 'required',
  })
  assert.equal(call.body.choices[0].finish_reason, 'tool_calls')
  const [{ function: called }] = call.body.choices[0].message.tool_calls
  assert.equal(called.name, 'get_weather')
  assert.equal(typeof JSON.parse(called.arguments).city, 'string')
})

test('logprobs are probabilities, and the limit is kept', async () => {
  const answer = await chat({ logprobs: true, top_logprobs: 2, max_tokens: 3 })
  const { finish_reason: reason, logprobs } = answer.body.choices[0]
  assert.deepEqual([reason, logprobs.content.length, answer.body.usage.completion_tokens], ['length', 3, 3])
  for (const { logprob, top_logprobs: top } of logprobs.content)
    assert.ok(logprob <= 0 && top.length === 2 && top[0].logprob >= top[1].logprob)
})

test('a prompt that does not fit is refused in the shape that clients know, and costs nothing', async () => {
  const before = (await payer.balances()).usd
  const answer = await chat({ messages: [{ role: 'user', content: 'seven eight '.repeat(1_900) }] })
  assert.deepEqual([answer.status, answer.body.error.code], [400, 'context_length_exceeded'])
  assert.equal((await payer.balances()).usd, before)
})

test('vectors of like meaning are close, and both encodings carry the same', async () => {
  const input = ['The stock market fell.', 'Shares dropped on Wall Street.', 'She is playing the guitar.']
  const floats = await caller.post('/embeddings', { model: 'default', input })
  assert.equal(floats.status, 200)
  const [first, second, third]: number[][] = floats.body.data.map(({ embedding }: { embedding: number[] }) => embedding)
  const similarity = (one: number[] = [], other: number[] = []) =>
    one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0)
  assert.ok(similarity(first, second) > similarity(first, third) + 0.2)
  const packed = await caller.post('/embeddings', { model: 'default', input, encoding_format: 'base64' })
  const bytes = Buffer.from(packed.body.data[0].embedding, 'base64')
  assert.deepEqual(
    Array.from({ length: 512 }, (_, index) => bytes.readFloatLE(index * 4)),
    first,
  )
  assert.deepEqual(packed.body.usage, floats.body.usage)
})

test('token ids are refused with what to send instead', async () => {
  for (const input of [
    [1, 2, 3],
    [[1, 2], [3]],
  ]) {
    const answer = await caller.post('/embeddings', { model: 'default', input })
    assert.equal(answer.status, 400)
    assert.match(answer.body.error, /text, not token ids.*check_embedding_ctx_length=False/)
  }
})

test('embeddings: wrong models, sizes and encodings are refused, and cost nothing', async () => {
  const before = (await payer.balances()).usd
  for (const [more, status] of [
    [{ model: 'tessera-tiny' }, 400],
    [{ model: 'nope' }, 404],
    [{ input: '' }, 400],
    [{ input: [] }, 400],
    [{ input: Array.from({ length: 2049 }, () => 'x') }, 400],
    [{ encoding_format: 'hex' }, 400],
    [{ dimensions: 0 }, 400],
    [{ dimensions: 8 }, 400],
    [{ input: 'word '.repeat(600) }, 400],
  ] as const)
    assert.equal((await caller.post('/embeddings', { model: 'default', input: 'x', ...more })).status, status)
  assert.equal((await payer.balances()).usd, before)
  await assertBooks(service.sql)
})

test('a GGUF file that is put into the folder is listed and answers; one that is none is left out', async () => {
  const cwd = createFolder({ after })
  const env = { TESSERA_ADMIN_KEY: 'chosen', DATABASE_URL: service.database.url }
  const running = await startTessera({ after }, { cwd, env })
  const client = createClient(`${running.origin}/api/v1`, 'chosen')
  assert.equal((await client.get('/models/my-model')).status, 404)
  const folder = join(cwd, 'data', 'models')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'not-a-model.gguf'), 'GGUF?')
  copyFileSync(join(installFolder, 'models', 'tessera-tiny-57m-q5.gguf'), join(folder, 'my-model.gguf'))
  while ((await client.get('/models/my-model')).status !== 200) await wait(200)
  assert.equal((await client.get('/models/not-a-model')).status, 404)
  const listed = await runTessera(['models', '--type', 'text', '--json'], { cwd, env })
  assert.ok(JSON.parse(listed.stdout).some(({ id }: { id: string }) => id === 'my-model'))
  assert.match(listed.stderr, /left out not-a-model\.gguf/)
})
