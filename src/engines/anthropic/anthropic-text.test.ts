import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  collect,
  endingOf,
  errorOf,
  messageDelta,
  messageStart,
  messageStop,
  sendEvents,
  sendJson,
  startAnthropic,
  toolUse,
  weather,
} from './fixtures/anthropic-server.js'

test('a request goes to /v1/messages with the key and the version, and without a bearer token', async (context) => {
  const { answer, received } = await startAnthropic(
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
  const { answer } = await startAnthropic(
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
    const whole = await startAnthropic(context, sendJson({ content: [], stop_reason, stop_sequence }))
    const [choice] = (await whole.answer()).choices
    assert.deepEqual([choice?.finish_reason, choice?.stop_reason], [finish_reason, stop_sequence])
    const streamed = await startAnthropic(
      context,
      sendEvents(messageStart, messageDelta(stop_reason, 1, stop_sequence), messageStop),
    )
    assert.deepEqual(endingOf(await collect(streamed.stream())), [finish_reason, stop_sequence])
  })

test('an answer that is not a message is broken', async (context) => {
  for (const body of [{}, { content: 'Hello' }]) {
    const { answer } = await startAnthropic(context, sendJson(body))
    assert.equal((await errorOf(answer())).trouble, 'broken')
  }
})

test('an overload is told as such', async (context) => {
  const { answer, stream } = await startAnthropic(
    context,
    sendJson({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 529),
  )
  assert.equal((await errorOf(answer())).trouble, 'overloaded')
  assert.equal((await errorOf(collect(stream()))).trouble, 'overloaded')
})
