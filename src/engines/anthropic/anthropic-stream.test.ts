import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EngineRequest } from '../text.js'
import {
  blockDelta,
  blockStart,
  blockStop,
  collect,
  deltasOf,
  endingOf,
  errorOf,
  eventText,
  messageDelta,
  messageStart,
  messageStop,
  ping,
  sendEvents,
  sendJson,
  startAnthropic,
  text,
  toolUse,
  usage,
  weather,
} from './fixtures/anthropic-server.js'

test('a stream tells the prompt first, then the text as it comes, then how it ended', async (context) => {
  const { stream, received } = await startAnthropic(
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
  const { stream } = await startAnthropic(
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
  const { stream } = await startAnthropic(
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
  const whole = await startAnthropic(
    context,
    sendJson({ content: [toolUse('toolu_1', 'answer_in_json', input)], stop_reason: 'tool_use' }),
  )
  const [choice] = (await whole.answer(request)).choices
  assert.deepEqual(
    [choice?.finish_reason, choice?.message],
    ['stop', { role: 'assistant', content: '{"city":"Bern"}' }],
  )
  const streamed = await startAnthropic(
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
  const { stream } = await startAnthropic(
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
  const { stream } = await startAnthropic(
    context,
    sendEvents(messageStart, ...text(0, 'Hel'), messageDelta('end_turn', 2)),
  )
  assert.equal((await errorOf(collect(stream()))).trouble, 'broken')
})

test('an event that is not of the Messages API is broken, and is not quoted', async (context) => {
  for (const data of ['{"secret', 'null', '{"type":"message_start"}']) {
    const { stream } = await startAnthropic(context, (response) =>
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
  const { stream } = await startAnthropic(context, (response) => {
    response.on('close', () => onClosed())
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(eventText(messageStart))
  })
  for await (const _ of stream()) break
  await closed
})
