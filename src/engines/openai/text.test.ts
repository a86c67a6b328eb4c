import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Script, script, startFakeUpstream } from '../../../test/fakes/upstream.js'
import { EngineError, type EngineTrouble } from '../engine-error.js'
import type { EngineRequest, TextCall, TextPiece } from '../text.js'
import { createUpstreamClient } from '../upstream/client.js'
import { createOpenAiText } from './text.js'

type Test = { after(work: () => void): void }
type Options = Parameters<typeof createOpenAiText>[1]

const createSubject = async (test: Test, options?: Options) => {
  const upstream = await startFakeUpstream(test)
  const client = createUpstreamClient({ baseUrl: upstream.baseUrl })
  test.after(() => void client.close())
  return { upstream, engine: createOpenAiText(client, options) }
}

const callOf = (request: Partial<EngineRequest> = {}, signal = new AbortController().signal): TextCall => ({
  model: 'acme/chat',
  request: { messages: [{ role: 'user', content: 'Hi' }], max_completion_tokens: 50, ...request },
  signal,
})

/** All pieces, and what was thrown after them. */
const collect = async (stream: AsyncIterable<TextPiece[]>) => {
  const pieces: TextPiece[] = []
  try {
    for await (const some of stream) pieces.push(...some)
  } catch (error) {
    return { pieces, error }
  }
  return { pieces, error: undefined }
}
const streamed = async (test: Test, planned: Script) => {
  const { upstream, engine } = await createSubject(test)
  upstream.next(planned)
  const { pieces, error } = await collect(engine.stream(callOf()))
  const choices = pieces.flatMap(({ chunk }) => chunk.choices)
  const textOf = (index: number) =>
    choices
      .filter((choice) => choice.index === index)
      .map(({ delta }) => delta.content ?? '')
      .join('')
  return { pieces, error, choices, textOf, request: await upstream.request() }
}
const usual = { fresh: 7, cacheRead: 0, cacheWrite: 0, completion: 3, reasoning: 0 }

test('a whole answer has choices and usage', async (test) => {
  const { upstream, engine } = await createSubject(test)
  const { choices, usage } = await engine.answer(callOf())
  assert.equal(choices[0]?.message.content, 'Hello from upstream')
  assert.equal(choices[0]?.finish_reason, 'stop')
  assert.deepEqual(usage, usual)
  const { path, body } = await upstream.request()
  assert.equal(path, '/v1/chat/completions')
  assert.deepEqual(body, {
    model: 'acme/chat',
    messages: [{ role: 'user', content: 'Hi' }],
    max_tokens: 50,
    stream: false,
  })
})

test('a stream is asked for with its usage, and its pieces are passed on as they came', async (test) => {
  const { pieces, error, textOf, request } = await streamed(test, script.answer())
  assert.equal(error, undefined)
  assert.deepEqual([request.body.stream, request.body.stream_options], [true, { include_usage: true }])
  assert.equal(textOf(0), 'Hello from upstream')
  for (const { chunk, json = '' } of pieces) assert.deepEqual(JSON.parse(json), chunk)
  assert.deepEqual(pieces.at(-1)?.usage, usual)
  assert.equal(pieces.filter(({ usage }) => usage !== undefined).length, 1)
})

test('null fields and an empty list of tools are left out, unknown fields and the cache key stay', async (test) => {
  const { upstream, engine } = await createSubject(test)
  const strange = { guided_choice: ['a', 'b'] }
  await engine.answer(callOf({ temperature: null, seed: 7, tools: [], prompt_cache_key: 'k', ...strange }))
  const { body } = await upstream.request()
  assert.deepEqual(Object.keys(body).sort(), [
    'guided_choice',
    'max_tokens',
    'messages',
    'model',
    'prompt_cache_key',
    'seed',
    'stream',
  ])
})

test('the limit of tokens is sent under one name: the new one where that is wanted', async (test) => {
  const { upstream, engine } = await createSubject(test, { limitField: 'max_completion_tokens' })
  await engine.answer(callOf())
  const { max_tokens, max_completion_tokens } = (await upstream.request()).body
  assert.deepEqual([max_tokens, max_completion_tokens], [undefined, 50])
})

for (const lineEnd of ['\n', '\r', '\r\n'] as const)
  test(`lines may end with ${JSON.stringify(lineEnd)}`, async (test) => {
    const { error, textOf } = await streamed(test, script.answer({ lineEnd }))
    assert.deepEqual([error, textOf(0)], [undefined, 'Hello from upstream'])
  })

test('characters that are split between writes arrive whole', async (test) => {
  const chunk = { choices: [{ index: 0, delta: { content: 'Grüße 🌍' }, finish_reason: null }] }
  const bytes = Buffer.from(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`)
  const { error, textOf } = await streamed(test, script.writes(...[...bytes].map((byte) => Buffer.from([byte]))))
  assert.deepEqual([error, textOf(0)], [undefined, 'Grüße 🌍'])
})

test('several choices keep their index', async (test) => {
  const { textOf, choices } = await streamed(test, script.answer({ choices: 3 }))
  assert.deepEqual([0, 1, 2].map(textOf), Array(3).fill('Hello from upstream'))
  assert.equal(choices.filter(({ finish_reason }) => finish_reason === 'stop').length, 3)
})

test('tool calls come in fragments, or whole', async (test) => {
  const toolCalls = [{ id: 'call_1', name: 'weather', arguments: '{"city":"Rome"}' }]
  const { choices } = await streamed(test, script.answer({ toolCalls }))
  const calls = choices.flatMap(({ delta }) => delta.tool_calls ?? [])
  assert.equal(calls[0]?.function?.name, 'weather')
  assert.equal(calls.map((call) => call.function?.arguments ?? '').join(''), '{"city":"Rome"}')
  assert.equal(choices.at(-1)?.finish_reason, 'tool_calls')

  const { upstream, engine } = await createSubject(test)
  upstream.next(script.answer({ toolCalls }))
  const answer = await engine.answer(callOf())
  assert.deepEqual(answer.choices[0]?.message.tool_calls?.[0]?.function, {
    name: 'weather',
    arguments: '{"city":"Rome"}',
  })
  assert.equal(answer.choices[0]?.message.content, null)
})

for (const reasoningField of ['reasoning_content', 'reasoning', 'thinking'] as const)
  test(`reasoning that is called ${reasoningField} is reasoning_content`, async (test) => {
    const saying = { reasoning: ['Let', ' me'], reasoningField }
    const { pieces, choices } = await streamed(test, script.answer(saying))
    assert.equal(choices.map(({ delta }) => delta.reasoning_content ?? '').join(''), 'Let me')
    const hasJson = pieces
      .filter(({ chunk }) => chunk.choices[0]?.delta.reasoning_content)
      .map(({ json }) => json !== undefined)
    assert.deepEqual(hasJson, Array(2).fill(reasoningField === 'reasoning_content'))

    const { upstream, engine } = await createSubject(test)
    upstream.next(script.answer(saying))
    const { message } = (await engine.answer(callOf())).choices[0] ?? {}
    assert.deepEqual(
      [message?.reasoning_content, message?.reasoning, message?.thinking],
      ['Let me', undefined, undefined],
    )
  })

test('events without choices and usage are passed over; what a choice lacks is filled in', async (test) => {
  const { pieces, error } = await streamed(
    test,
    script.events('{"choices":[],"prompt_filter_results":[]}', '{}', '{"choices":[{"delta":{"content":"a"}}]}'),
  )
  assert.equal(error, undefined)
  assert.deepEqual(pieces, [
    {
      chunk: { choices: [{ delta: { content: 'a' }, index: 0, finish_reason: null }] },
      json: undefined,
      usage: undefined,
    },
  ])
})

test('an upstream that reports no usage leaves it undefined', async (test) => {
  const { pieces } = await streamed(test, script.answer({ usage: null }))
  assert.ok(pieces.every(({ usage }) => usage === undefined))
  const { upstream, engine } = await createSubject(test)
  upstream.next(script.answer({ usage: null }))
  assert.equal((await engine.answer(callOf())).usage, undefined)
})

test('a stream that is done without a reason to finish is complete', async (test) => {
  const { error, choices } = await streamed(test, script.answer({ finishReason: null }))
  assert.equal(error, undefined)
  assert.ok(choices.every(({ finish_reason }) => finish_reason === null))
})

test('an event of 5 MB is a piece like any other', async (test) => {
  const { textOf } = await streamed(test, script.largeEvent(5_000_000))
  assert.equal(textOf(0).length, 5_000_000)
})

const faults: [name: string, script: Script, trouble: EngineTrouble, pieces: number][] = [
  ['is cut after the first token', script.cutAfterFirstToken(), 'broken', 2],
  ['ends without [DONE]', script.withoutDone(), 'broken', 6],
  ['reports an error in the middle', script.errorAfterFirstToken(), 'unavailable', 2],
  ['is garbage', script.garbage(), 'broken', 0],
  ['holds what is not an object', script.events('[1]'), 'broken', 0],
  ['holds choices that are none', script.events('{"choices":[7]}'), 'broken', 0],
]
for (const [name, fault, trouble, count] of faults)
  test(`a stream that ${name} gives what came, and is ${trouble}`, async (test) => {
    const { pieces, error } = await streamed(test, fault)
    assert.ok(error instanceof EngineError)
    assert.deepEqual([error.trouble, pieces.length], [trouble, count])
  })

test('a whole answer without choices or with an error in it is no answer', async (test) => {
  const { upstream, engine } = await createSubject(test)
  const troubleOf = async (body: unknown) => {
    upstream.next(script.refuse(200, body))
    return engine.answer(callOf()).catch(({ trouble }) => trouble)
  }
  assert.equal(await troubleOf({ choices: [] }), 'broken')
  assert.equal(await troubleOf([]), 'broken')
  assert.equal(await troubleOf(null), 'broken')
  assert.equal(await troubleOf({ choices: [{ index: 0 }] }), 'broken')
  assert.equal(await troubleOf({ error: { message: 'no GPU', code: 500 } }), 'unavailable')
})

test('leaving the loop, or an error in the stream, ends the work of the upstream', async (test) => {
  const { upstream, engine } = await createSubject(test)
  upstream.usually(script.stallAfterFirstToken())
  for await (const _ of engine.stream(callOf())) break
  assert.equal(await (await upstream.request(0)).ended, 'left')

  const leaving = new AbortController()
  const stream = engine.stream(callOf({}, leaving.signal))[Symbol.asyncIterator]()
  await stream.next()
  const thrown = assert.rejects(
    // The second token may come in a read of its own.
    async () => {
      while (!(await stream.next()).done);
    },
    { name: 'AbortError' },
  )
  leaving.abort()
  await thrown
  assert.equal(await (await upstream.request(1)).ended, 'left')
})
