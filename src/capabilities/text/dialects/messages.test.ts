import assert from 'node:assert/strict'
import { test } from 'node:test'
import type Anthropic from '@anthropic-ai/sdk'
import { Stream } from '@anthropic-ai/sdk/core/streaming'
import { MessageStream } from '@anthropic-ai/sdk/lib/MessageStream'
import fc from 'fast-check'
import { type FailureName, fail } from '#contract/errors.js'
import { MessagesAnswer, MessagesError, type MessagesRequest } from '#contract/messages.js'
import type { AnswerChoice, TextPiece } from '#engines/text.js'
import { compileSchema } from '../../../../test/fakes/schemas.js'
import {
  anyChoice,
  anyCut,
  choiceOf,
  eventStream,
  eventsIn,
  finishedWith,
  opening,
  pieceOf,
  piecesOf,
  speak,
} from '../../../../test/fakes/text-answers.js'
import { messages, wholeMessage } from './messages.js'

const body: MessagesRequest = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] }

const tellPieces = (pieces: TextPiece[], asked = body) => speak(messages.voice(opening, asked), pieces)
const tell = (choice: AnswerChoice, asked = body) =>
  tellPieces(
    piecesOf(choice, (text) => [text]),
    asked,
  )

/** What the SDK makes of a stream. */
const accumulate = (text: string): Promise<Anthropic.Message> =>
  MessageStream.fromReadableStream(
    Stream.fromSSEResponse(eventStream(text), new AbortController()).toReadableStream(),
  ).finalMessage()

const call = (id: string, name: string, text: string) => ({
  id,
  type: 'function' as const,
  function: { name, arguments: text },
})

const everything = choiceOf({
  reasoning_content: 'Let me think.',
  reasoning_details: [
    { type: 'thinking', text: 'Let me think.', data: 'c2ln' },
    { type: 'redacted_thinking', data: 'cmVk' },
  ],
  content: 'Looking.',
  tool_calls: [call('call_1', 'read', '{"path":"a"}'), call('call_2', 'list', '')],
})

const usage = {
  input_tokens: 30,
  cache_read_input_tokens: 60,
  cache_creation_input_tokens: 10,
  output_tokens: 20,
}

test('a whole answer has thoughts with signatures, text and calls with parsed input', () => {
  const answer = messages.answer(finishedWith(everything), body)
  assert.deepEqual(answer, {
    id: `msg_${opening.requestId}`,
    type: 'message',
    role: 'assistant',
    model: opening.model,
    content: [
      { type: 'thinking', thinking: 'Let me think.', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'cmVk' },
      { type: 'text', text: 'Looking.' },
      { type: 'tool_use', id: 'call_1', name: 'read', input: { path: 'a' } },
      { type: 'tool_use', id: 'call_2', name: 'list', input: {} },
    ],
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage,
  })
  assert.equal(compileSchema(MessagesAnswer)(answer), undefined)
  // Compiles only while the SDK can send back what it was given.
  const sentBack: Anthropic.ContentBlockParam[] = wholeMessage(finishedWith(everything), body).content
  assert.equal(sentBack.length, 5)
})

test('why an answer ended is told in the words of this dialect', () => {
  const asked = { ...body, stop_sequences: ['END'] }
  const reasonOf = (more: Partial<AnswerChoice>, message: Partial<AnswerChoice['message']> = { content: 'a' }) => {
    const { stop_reason, stop_sequence } = wholeMessage(finishedWith(choiceOf(message, more)), asked)
    return [stop_reason, stop_sequence]
  }
  assert.deepEqual(reasonOf({ finish_reason: 'stop' }), ['end_turn', null])
  assert.deepEqual(reasonOf({ finish_reason: 'stop', stop_reason: 'END' }), ['stop_sequence', 'END'])
  assert.deepEqual(reasonOf({ finish_reason: 'stop', stop_reason: 'stop' }), ['end_turn', null])
  assert.deepEqual(reasonOf({ finish_reason: 'length' }), ['max_tokens', null])
  assert.deepEqual(reasonOf({ finish_reason: 'content_filter' }), ['refusal', null])
  // Some engines say `stop` although they call a tool.
  assert.deepEqual(reasonOf({ finish_reason: 'stop' }, { tool_calls: [call('c', 'f', '{}')] }), ['tool_use', null])
})

test('arguments that are cut off are handed over as text, so that nobody runs a tool with half of them', () => {
  const { content } = wholeMessage(finishedWith(choiceOf({ tool_calls: [call('c', 'f', '{"a":')] })), body)
  assert.deepEqual(content, [{ type: 'tool_use', id: 'c', name: 'f', input: { invalid_json: '{"a":' } }])
})

test('a stream has the events of this dialect in their order, and no [DONE]', () => {
  const text = tell(everything)
  assert.ok(!text.includes('[DONE]'))
  const events = eventsIn(text)
  assert.ok(events.every(({ event, data }) => event === data.type))
  assert.deepEqual(
    events.map(({ data }) =>
      [data.type, (data.delta as { type?: string } | undefined)?.type].filter(Boolean).join(' '),
    ),
    [
      'message_start',
      'content_block_start',
      'content_block_delta thinking_delta',
      'content_block_delta signature_delta',
      'content_block_stop',
      'content_block_start',
      'content_block_stop',
      'content_block_start',
      'content_block_delta text_delta',
      'content_block_stop',
      'content_block_start',
      'content_block_delta input_json_delta',
      'content_block_stop',
      'content_block_start',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ],
  )
})

test('the first event has the size of the prompt: from the engine, or estimated', () => {
  const startOf = (text: string) => (eventsIn(text)[0]?.data.message as { usage: object }).usage
  assert.deepEqual(startOf(tell(everything)), {
    input_tokens: 77,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
    output_tokens: 0,
  })
  const told = { fresh: 5, cacheRead: 6, cacheWrite: 7, completion: 1, reasoning: 0 }
  assert.deepEqual(startOf(messages.voice(opening, body).piece({ ...pieceOf({ content: 'a' }), usage: told })), {
    input_tokens: 5,
    cache_read_input_tokens: 6,
    cache_creation_input_tokens: 7,
    output_tokens: 1,
  })
})

test('calls whose arguments arrive mixed are told one after the other', async () => {
  const argue = (index: number, text: string) => pieceOf({ tool_calls: [{ index, function: { arguments: text } }] })
  const name = (index: number) =>
    pieceOf({
      tool_calls: [{ index, id: `c${index}`, type: 'function', function: { name: `f${index}`, arguments: '' } }],
    })
  const pieces = [
    name(0),
    name(1),
    argue(1, '{"b"'),
    argue(0, '{"a":'),
    argue(1, ':2}'),
    argue(0, '1}'),
    pieceOf({}, 'tool_calls'),
  ]
  const { content } = await accumulate(tellPieces(pieces))
  assert.deepEqual(content, [
    { type: 'tool_use', id: 'c0', name: 'f0', input: { a: 1 } },
    { type: 'tool_use', id: 'c1', name: 'f1', input: { b: 2 } },
  ])
})

test('a call is told as it is written when the one before it is complete', () => {
  const voice = messages.voice(opening, body)
  const start = (index: number) => ({
    index,
    id: `c${index}`,
    type: 'function' as const,
    function: { name: 'f', arguments: '' },
  })
  voice.piece(pieceOf({ tool_calls: [start(0)] }))
  voice.piece(pieceOf({ tool_calls: [{ index: 0, function: { arguments: '{"a":1}' } }] }))
  assert.deepEqual(
    eventsIn(voice.piece(pieceOf({ tool_calls: [start(1)] }))).map(({ event }) => event),
    ['content_block_stop', 'content_block_start'],
  )
})

test('an answer without a word is an empty text', async () => {
  const { content, stop_reason } = await accumulate(tell(choiceOf({ content: '' })))
  assert.deepEqual([content, stop_reason], [[{ type: 'text', text: '' }], 'end_turn'])
})

test('a failure in the middle is an error event, and the SDK throws it', async () => {
  const voice = messages.voice(opening, body)
  const text = voice.piece(pieceOf({ content: 'Hi' })) + voice.failed(fail('databaseUnavailable'))
  assert.deepEqual(eventsIn(text).at(-1), {
    event: 'error',
    data: {
      type: 'error',
      error: { type: 'overloaded_error', message: 'The service cannot reach its database; retry shortly' },
      request_id: opening.requestId,
    },
  })
  await assert.rejects(accumulate(text), /cannot reach its database/)
})

test('refusals have the shape and the names of this dialect', () => {
  const typeOf = (name: FailureName) => {
    const refusal = messages.refusal!(fail(name), 'r1') as MessagesError
    assert.equal(compileSchema(MessagesError)(refusal), undefined)
    assert.equal(refusal.request_id, 'r1')
    return refusal.error.type
  }
  assert.equal(typeOf('invalidRequest'), 'invalid_request_error')
  assert.equal(typeOf('unknownKey'), 'authentication_error')
  assert.equal(typeOf('insufficientBalance'), 'billing_error')
  assert.equal(typeOf('modelNotFound'), 'not_found_error')
  assert.equal(typeOf('idempotencyKeyInUse'), 'invalid_request_error')
  assert.equal(typeOf('payloadTooLarge'), 'request_too_large')
  assert.equal(typeOf('tooManyKeyCreations'), 'rate_limit_error')
  assert.equal(typeOf('unknown'), 'api_error')
  assert.equal(typeOf('databaseUnavailable'), 'overloaded_error')
  assert.equal(typeOf('analyticsTimeout'), 'timeout_error')
})

test('what the SDK reads from an answer can be sent back, and the engine gets everything it wants back', async () => {
  const choice = choiceOf({
    reasoning_content: 'Hm.',
    reasoning_details: [
      { type: 'thinking', text: 'Hm.', data: 'c2ln' },
      { type: 'redacted_thinking', data: 'cmVk' },
      { type: 'reasoning.encrypted', data: 'ZW5j', id: 'r1', index: 0 },
    ],
    thought_signature: 'dGhvdWdodA==',
    content: 'Done.',
  })
  const { content } = await accumulate(tell(choice))
  const { messages: told } = messages.read({
    ...body,
    messages: [
      { role: 'assistant', content: content as MessagesRequest['messages'][number]['content'] },
      ...body.messages,
    ],
  })
  assert.deepEqual(told[0], choice.message)
})

test('however an answer is cut, the SDK reads the same message as in a whole answer', async () => {
  await fc.assert(
    fc.asyncProperty(anyChoice, anyCut, async (choice, cut) => {
      // The SDK adds a field of its own to what it read.
      const { parsed_output: _, ...read } = JSON.parse(
        JSON.stringify(await accumulate(tellPieces(piecesOf(choice, cut)))),
      )
      assert.deepEqual(read, JSON.parse(JSON.stringify(wholeMessage(finishedWith(choice), body))))
    }),
    { numRuns: 50 },
  )
})
