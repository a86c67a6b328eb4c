import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { EngineError } from '../engine-error.js'
import type { EngineRequest, TextPiece } from '../text.js'
import { createUpstreamClient } from '../upstream/client.js'
import { anthropicCredentials, createAnthropicText } from './anthropic-text.js'

type Received = { path: string | undefined; headers: IncomingMessage['headers']; body: Record<string, unknown> }

/** An engine that speaks to a server on this machine, which answers as `respond` says. */
const startSubject = async (context: TestContext, respond: (response: ServerResponse) => void) => {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    received.push({ path: request.url, headers: request.headers, body: JSON.parse(Buffer.concat(parts).toString()) })
    respond(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const client = createUpstreamClient({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    headers: anthropicCredentials('sk-secret-of-ours'),
  })
  context.after(async () => {
    await client.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const engine = createAnthropicText(client)
  const callOf = (request: Partial<EngineRequest>) => ({
    model: 'claude',
    request: { messages: [{ role: 'user' as const, content: 'Hi' }], max_completion_tokens: 4_096, ...request },
    signal: new AbortController().signal,
  })
  return {
    received,
    answer: (request: Partial<EngineRequest> = {}) => engine.answer(callOf(request)),
    stream: (request: Partial<EngineRequest> = {}) => engine.stream(callOf(request)),
  }
}

const sendJson =
  (body: object, status = 200) =>
  (response: ServerResponse) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

type Event = { type: string; [more: string]: unknown }
const eventText = (event: Event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
const sendEvents =
  (...events: Event[]) =>
  (response: ServerResponse) =>
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).end(events.map(eventText).join(''))

const messageStart = {
  type: 'message_start',
  message: {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', content: [], stop_reason: null },
    usage: { input_tokens: 12, cache_creation_input_tokens: 5, cache_read_input_tokens: 100, output_tokens: 1 },
  },
}
const blockStart = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block })
const blockDelta = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta })
const blockStop = (index: number) => ({ type: 'content_block_stop', index })
const messageDelta = (stop_reason: string, output_tokens: number, stop_sequence: string | null = null) => ({
  type: 'message_delta',
  delta: { stop_reason, stop_sequence },
  usage: { output_tokens },
})
const ping = { type: 'ping' }
const messageStop = { type: 'message_stop' }
const text = (index: number, ...texts: string[]) => [
  blockStart(index, { type: 'text', text: '' }),
  ...texts.map((part) => blockDelta(index, { type: 'text_delta', text: part })),
  blockStop(index),
]
const usage = { fresh: 12, cacheRead: 100, cacheWrite: 5, completion: 1, reasoning: 0 }
const weather = { type: 'function', function: { name: 'weather' } }
const toolUse = (id: string, name: string, input: object = {}) => ({ type: 'tool_use', id, name, input })

const collect = async (stream: AsyncIterable<TextPiece[]>) => {
  const pieces: TextPiece[] = []
  for await (const together of stream) pieces.push(...together)
  return pieces
}
const deltasOf = (pieces: TextPiece[]) => pieces.map(({ chunk }) => chunk.choices[0]?.delta)
const endingOf = (pieces: TextPiece[]) => {
  const choice = pieces.at(-1)?.chunk.choices[0]
  return [choice?.finish_reason, choice?.stop_reason]
}
const errorOf = async (promise: Promise<unknown>): Promise<EngineError> => {
  const [result] = await Promise.allSettled([promise])
  assert.ok(result.status === 'rejected' && result.reason instanceof EngineError)
  return result.reason
}

test('a request goes to /v1/messages with the key and the version, and without a bearer token', async (context) => {
  const { answer, received } = await startSubject(
    context,
    sendJson({ type: 'message', content: [{ type: 'text', text: 'Hello' }], stop_reason: 'end_turn' }),
  )
  assert.equal((await answer()).usage, undefined, 'what is not said is not made up')
  const [{ path, headers, body } = assert.fail()] = received
  assert.equal(path, '/v1/messages')
  assert.deepEqual(
    [headers['x-api-key'], headers['anthropic-version'], headers.authorization],
    ['sk-secret-of-ours', '2023-06-01', undefined],
  )
  assert.deepEqual([body.model, body.max_tokens, body.stream], ['claude', 4_096, undefined])
})

test('a message is an answer, with thoughts that can be sent back and tokens counted once', async (context) => {
  const { answer } = await startSubject(
    context,
    sendJson({
      type: 'message',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
        { type: 'redacted_thinking', data: 'c2VjcmV0' },
        { type: 'text', text: 'I look ' },
        { type: 'text', text: 'it up.' },
        toolUse('toolu_1', 'weather', { city: 'Bern' }),
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: 7, cache_creation_input_tokens: 3, cache_read_input_tokens: 90, output_tokens: 40 },
    }),
  )
  assert.deepEqual(await answer({ tools: [weather] }), {
    choices: [
      {
        index: 0,
        finish_reason: 'tool_calls',
        stop_reason: null,
        message: {
          role: 'assistant',
          content: 'I look it up.',
          reasoning_content: 'Hm.',
          reasoning_details: [
            { type: 'thinking', text: 'Hm.', data: 'c2ln', index: 0 },
            { type: 'redacted_thinking', data: 'c2VjcmV0', index: 1 },
          ],
          tool_calls: [
            { id: 'toolu_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } },
          ],
        },
      },
    ],
    usage: { fresh: 7, cacheRead: 90, cacheWrite: 3, completion: 40, reasoning: 0 },
  })
})

for (const [stop_reason, stop_sequence, finish_reason] of [
  ['end_turn', null, 'stop'],
  ['stop_sequence', 'END', 'stop'],
  ['max_tokens', null, 'length'],
  ['model_context_window_exceeded', null, 'length'],
  ['refusal', null, 'content_filter'],
] as const)
  test(`an answer that ended with ${stop_reason} has the finish reason ${finish_reason}, whole or streamed`, async (context) => {
    const whole = await startSubject(context, sendJson({ content: [], stop_reason, stop_sequence }))
    const [choice] = (await whole.answer()).choices
    assert.deepEqual([choice?.finish_reason, choice?.stop_reason], [finish_reason, stop_sequence])
    const streamed = await startSubject(
      context,
      sendEvents(messageStart, messageDelta(stop_reason, 1, stop_sequence), messageStop),
    )
    assert.deepEqual(endingOf(await collect(streamed.stream())), [finish_reason, stop_sequence])
  })

test('an answer that is not a message is broken', async (context) => {
  for (const body of [{}, { content: 'Hello' }]) {
    const { answer } = await startSubject(context, sendJson(body))
    assert.equal((await errorOf(answer())).trouble, 'broken')
  }
})

test('an overload is told as such', async (context) => {
  const { answer, stream } = await startSubject(
    context,
    sendJson({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 529),
  )
  assert.equal((await errorOf(answer())).trouble, 'overloaded')
  assert.equal((await errorOf(collect(stream()))).trouble, 'overloaded')
})

test('a stream tells the prompt first, then the text as it comes, then how it ended', async (context) => {
  const { stream, received } = await startSubject(
    context,
    sendEvents(messageStart, ping, ...text(0, 'Hel', 'lo'), messageDelta('end_turn', 9), messageStop),
  )
  const pieces = await collect(stream())
  assert.equal(received[0]?.body.stream, true)
  assert.deepEqual(deltasOf(pieces), [{ role: 'assistant', content: '' }, { content: 'Hel' }, { content: 'lo' }, {}])
  assert.deepEqual(
    pieces.map((piece) => piece.usage),
    [usage, undefined, undefined, { ...usage, completion: 9 }],
  )
  assert.deepEqual(endingOf(pieces), ['stop', null])
})

test('thoughts are streamed as text, and once whole with their signature', async (context) => {
  const { stream } = await startSubject(
    context,
    sendEvents(
      messageStart,
      blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
      blockDelta(0, { type: 'thinking_delta', thinking: 'Let me ' }),
      blockDelta(0, { type: 'thinking_delta', thinking: 'see.' }),
      blockDelta(0, { type: 'signature_delta', signature: 'c2ln' }),
      blockStop(0),
      blockStart(1, { type: 'redacted_thinking', data: 'c2VjcmV0' }),
      blockStop(1),
      ...text(2, 'Yes'),
      messageDelta('end_turn', 30),
      messageStop,
    ),
  )
  assert.deepEqual(deltasOf(await collect(stream())).slice(1, -1), [
    { reasoning_content: 'Let me ' },
    { reasoning_content: 'see.' },
    { reasoning_details: [{ type: 'thinking', text: 'Let me see.', data: 'c2ln', index: 0 }] },
    { reasoning_details: [{ type: 'redacted_thinking', data: 'c2VjcmV0', index: 1 }] },
    { content: 'Yes' },
  ])
})

test('calls of tools are streamed with their own numbers, and arguments are always JSON', async (context) => {
  const { stream } = await startSubject(
    context,
    sendEvents(
      messageStart,
      ...text(0, 'I look.'),
      blockStart(1, toolUse('toolu_1', 'weather')),
      blockDelta(1, { type: 'input_json_delta', partial_json: '' }),
      blockDelta(1, { type: 'input_json_delta', partial_json: '{"city":' }),
      blockDelta(1, { type: 'input_json_delta', partial_json: '"Bern"}' }),
      blockStop(1),
      blockStart(2, toolUse('toolu_2', 'time')),
      blockDelta(2, { type: 'input_json_delta', partial_json: '' }),
      blockStop(2),
      messageDelta('tool_use', 50),
      messageStop,
    ),
  )
  const pieces = await collect(stream({ tools: [weather] }))
  assert.deepEqual(
    deltasOf(pieces)
      .slice(2, -1)
      .map((delta) => delta?.tool_calls?.[0]),
    [
      { index: 0, id: 'toolu_1', type: 'function', function: { name: 'weather', arguments: '' } },
      { index: 0, function: { arguments: '{"city":' } },
      { index: 0, function: { arguments: '"Bern"}' } },
      { index: 1, id: 'toolu_2', type: 'function', function: { name: 'time', arguments: '' } },
      { index: 1, function: { arguments: '{}' } },
    ],
  )
  assert.deepEqual(endingOf(pieces), ['tool_calls', null])
})

test('an answer of a schema is content, whole or streamed, and no call of a tool', async (context) => {
  const request: Partial<EngineRequest> = {
    response_format: { type: 'json_schema', json_schema: { name: 'place', schema: { type: 'object' } } },
  }
  const input = { city: 'Bern' }
  const whole = await startSubject(
    context,
    sendJson({ content: [toolUse('toolu_1', 'answer_in_json', input)], stop_reason: 'tool_use' }),
  )
  const [choice] = (await whole.answer(request)).choices
  assert.deepEqual(
    [choice?.finish_reason, choice?.message],
    ['stop', { role: 'assistant', content: '{"city":"Bern"}' }],
  )
  const streamed = await startSubject(
    context,
    sendEvents(
      messageStart,
      blockStart(0, toolUse('toolu_1', 'answer_in_json')),
      blockDelta(0, { type: 'input_json_delta', partial_json: '{"city":' }),
      blockDelta(0, { type: 'input_json_delta', partial_json: '"Bern"}' }),
      blockStop(0),
      messageDelta('tool_use', 8),
      messageStop,
    ),
  )
  const pieces = await collect(streamed.stream(request))
  assert.deepEqual(deltasOf(pieces).slice(1, -1), [{ content: '{"city":' }, { content: '"Bern"}' }])
  assert.deepEqual(endingOf(pieces), ['stop', null])
})

test('an error in the stream is thrown after what was written before it', async (context) => {
  const { stream } = await startSubject(
    context,
    sendEvents(messageStart, ...text(0, 'Hel'), {
      type: 'error',
      error: { type: 'overloaded_error', message: 'Overloaded' },
    }),
  )
  const texts: unknown[] = []
  const error = await errorOf(
    (async () => {
      for await (const pieces of stream()) texts.push(...deltasOf(pieces).map((delta) => delta?.content))
    })(),
  )
  assert.equal(error.trouble, 'overloaded')
  assert.deepEqual(texts, ['', 'Hel'])
})

test('a stream that ends without message_stop is broken, even after its finish reason', async (context) => {
  const { stream } = await startSubject(
    context,
    sendEvents(messageStart, ...text(0, 'Hel'), messageDelta('end_turn', 2)),
  )
  assert.equal((await errorOf(collect(stream()))).trouble, 'broken')
})

test('an event that is not of the Messages API is broken, and is not quoted', async (context) => {
  for (const data of ['{"secret', 'null', '{"type":"message_start"}']) {
    const { stream } = await startSubject(context, (response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${data}\n\n`),
    )
    const error = await errorOf(collect(stream()))
    assert.equal(error.trouble, 'broken')
    assert.ok(!error.message.includes('secret'))
  }
})

test('leaving a stream closes its connection', async (context) => {
  let onClosed: () => void
  const closed = new Promise<void>((resolve) => {
    onClosed = resolve
  })
  const { stream } = await startSubject(context, (response) => {
    response.on('close', () => onClosed())
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(eventText(messageStart))
  })
  for await (const _ of stream()) break
  await closed
})
