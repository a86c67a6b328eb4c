import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type OpenAI from 'openai'
import { Stream } from 'openai/core/streaming'
import { ResponseStream } from 'openai/lib/responses/ResponseStream'
import { fail } from '#contract/errors.js'
import { ResponsesAnswer, type ResponsesRequest } from '#contract/responses.js'
import type { AnswerChoice, TextPiece } from '#engines/text.js'
import { compileSchema } from '../../../../test/fakes/schemas.js'
import {
  anyChoice,
  anyCut,
  choiceOf,
  cost,
  eventStream,
  eventsIn,
  finishedWith,
  opening,
  pieceOf,
  piecesOf,
  speak,
} from '../../../../test/fakes/text-answers.js'
import { responses, wholeResponse } from './responses.js'

const body: ResponsesRequest = { model: 'm', input: 'hi' }

const tellPieces = (pieces: TextPiece[], asked = body, from = opening) => speak(responses.voice(from, asked), pieces)
const tell = (choice: AnswerChoice, asked = body, from = opening) =>
  tellPieces(
    piecesOf(choice, (text) => [text]),
    asked,
    from,
  )

const sdkEvents = (text: string) =>
  Stream.fromSSEResponse<OpenAI.Responses.ResponseStreamEvent>(eventStream(text), new AbortController())

/** What the SDK makes of a stream: of all its events, or only of those that tell it bit by bit. */
const accumulate = (text: string): Promise<OpenAI.Responses.Response> =>
  ResponseStream.fromReadableStream(sdkEvents(text).toReadableStream()).finalResponse()
const withoutLast = (text: string) => text.slice(0, text.lastIndexOf('event: '))

/** As JSON, without the fields that the SDK adds to what it read. */
const plain = (value: unknown) =>
  JSON.parse(JSON.stringify(value), (key, field) =>
    ['parsed', 'output_parsed', 'parsed_arguments'].includes(key) ? undefined : field,
  )

const call = (id: string, name: string, text: string) => ({
  id,
  type: 'function' as const,
  function: { name, arguments: text },
})

const everything = choiceOf({
  reasoning_content: 'Let me think.',
  content: 'Looking.',
  tool_calls: [call('call_1', 'read', '{"path":"a"}')],
})

test('a whole answer is complete for the types of the SDK', () => {
  const asked: ResponsesRequest = {
    ...body,
    instructions: 'Be brief.',
    metadata: { trace: 't' },
    temperature: 0.5,
    tools: [
      { type: 'function', function: { name: 'read', parameters: { type: 'object' } } },
      { type: 'code_interpreter' },
    ],
    tool_choice: { type: 'function', function: { name: 'read' } },
  }
  const { requestId } = opening
  const answer = responses.answer(finishedWith(everything), asked)
  assert.deepEqual(answer, {
    id: `resp_${requestId}`,
    object: 'response',
    created_at: opening.created,
    status: 'completed',
    model: opening.model,
    background: false,
    error: null,
    incomplete_details: null,
    instructions: 'Be brief.',
    max_output_tokens: null,
    metadata: { trace: 't' },
    output: [
      {
        id: `rs_${requestId}_0`,
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'Let me think.' }],
        status: 'completed',
      },
      {
        id: `msg_${requestId}_1`,
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Looking.', annotations: [], logprobs: [] }],
        status: 'completed',
      },
      {
        id: `fc_${requestId}_2`,
        type: 'function_call',
        call_id: 'call_1',
        name: 'read',
        arguments: '{"path":"a"}',
        status: 'completed',
      },
    ],
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    store: false,
    temperature: 0.5,
    text: { format: { type: 'text' } },
    tool_choice: { type: 'function', name: 'read' },
    tools: [{ type: 'function', name: 'read', description: null, parameters: { type: 'object' }, strict: false }],
    top_p: null,
    truncation: 'disabled',
    service_parameters: opening.echo,
    usage: {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 5 },
      total_tokens: 120,
    },
    cost,
  })
  assert.equal(compileSchema(ResponsesAnswer)(answer), undefined)
  // Compiles only while every output item and the usage are what the SDK declares.
  const typed: Pick<OpenAI.Responses.Response, 'output' | 'usage' | 'status' | 'error' | 'object'> = wholeResponse(
    finishedWith(everything),
    asked,
  )
  assert.equal(typed.output.length, 3)
})

test('an answer that was cut off is incomplete, and so is its last item', () => {
  const { status, incomplete_details, output } = wholeResponse(
    finishedWith(choiceOf({ reasoning_content: 'Hm', content: 'Lo' }, { finish_reason: 'length' })),
    body,
  )
  assert.deepEqual([status, incomplete_details], ['incomplete', { reason: 'max_output_tokens' }])
  assert.deepEqual(
    output.map((item) => item.status),
    ['completed', 'incomplete'],
  )
})

test('a stream has the events of this dialect in their order, numbered, and no [DONE]', () => {
  const text = tell(everything)
  assert.ok(!text.includes('[DONE]'))
  const events = eventsIn(text)
  assert.deepEqual(
    events.map(({ data }) => data.sequence_number),
    events.map((_, index) => index),
  )
  assert.ok(events.every(({ event, data }) => event === data.type))
  assert.deepEqual(
    events.map(({ event }) => event?.replace('response.', '')),
    [
      'created',
      'in_progress',
      'output_item.added',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
      'output_item.done',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'output_item.added',
      'function_call_arguments.delta',
      'function_call_arguments.done',
      'output_item.done',
      'completed',
    ],
  )
})

test('sources that the text cites are annotations, and the search is an item', async () => {
  const found = { title: 'Page', url: 'https://example.test/a' }
  const searched = { ...opening, echo: { ...opening.echo, web_search_citations: [found] } }
  const choice = choiceOf({ content: 'Two.^1^ Three.^1,9^' })
  const whole = wholeResponse({ ...finishedWith(choice), ...searched }, body)
  const citation = { type: 'url_citation', ...found }
  assert.deepEqual(plain(whole.output), [
    {
      id: `ws_${opening.requestId}_0`,
      type: 'web_search_call',
      status: 'completed',
      action: { type: 'search', sources: [{ type: 'url', url: found.url }] },
    },
    {
      id: `msg_${opening.requestId}_1`,
      type: 'message',
      role: 'assistant',
      content: [
        {
          type: 'output_text',
          text: 'Two.^1^ Three.^1,9^',
          annotations: [
            { ...citation, start_index: 4, end_index: 7 },
            { ...citation, start_index: 14, end_index: 19 },
          ],
          logprobs: [],
        },
      ],
      status: 'completed',
    },
  ])
  const { output } = await accumulate(withoutLast(tell(choice, body, searched)))
  assert.deepEqual(plain(output), plain(whole.output))
})

test('probabilities come with the text, whole and in pieces', async () => {
  const content = [{ token: 'Hi', logprob: -0.5, top_logprobs: [{ token: 'Yo', logprob: -1, bytes: [1] }] }]
  const logprobs = { content }
  const expected = [{ token: 'Hi', logprob: -0.5, bytes: [], top_logprobs: [{ token: 'Yo', logprob: -1, bytes: [1] }] }]
  const [item] = wholeResponse(finishedWith(choiceOf({ content: 'Hi' }, { logprobs })), body).output
  assert.ok(item?.type === 'message')
  assert.deepEqual(item.content[0]?.logprobs, expected)
  const piece = { chunk: { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop', logprobs }] } }
  const text = tellPieces([piece])
  const delta = eventsIn(text).find(({ event }) => event === 'response.output_text.delta')
  assert.deepEqual(delta?.data.logprobs, expected)
  assert.deepEqual(plain((await accumulate(text)).output), [item])
})

test('a failure is told as a failed response, then as an error that the SDK throws', async () => {
  const voice = responses.voice(opening, body)
  const text = voice.piece(pieceOf({ content: 'Hi' })) + voice.failed(fail('unknown', 'r1'))
  const seen: string[] = []
  await assert.rejects(async () => {
    for await (const event of sdkEvents(text)) {
      seen.push(event.type)
      if (event.type !== 'response.failed') continue
      assert.equal(event.response.status, 'failed')
      assert.equal(event.response.error?.code, 'server_error')
      assert.deepEqual(
        plain(event.response.output).map((item: { status: string }) => item.status),
        ['incomplete'],
      )
    }
  }, /Something went wrong on our side/)
  assert.equal(seen.at(-1), 'response.failed')
  const { data } = eventsIn(text).at(-1)!
  assert.deepEqual([data.type, data.code, data.param], ['error', 'UNKNOWN_ERROR', null])
})

test('a failure before the first piece is told in a stream that the SDK can read', async () => {
  const text = responses.voice(opening, body).failed(fail('databaseUnavailable'))
  assert.deepEqual(
    eventsIn(text).map(({ event }) => event),
    ['response.created', 'response.in_progress', 'response.failed', 'error'],
  )
  await assert.rejects(accumulate(text), /cannot reach its database/)
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
  const { output } = await accumulate(tell(choice))
  const input = [...plain(output), { role: 'user', content: 'Thanks' }]
  const { messages } = responses.read({ ...body, input })
  assert.deepEqual(messages[0], choice.message)
})

test('however an answer is cut, the SDK reads the same response as in a whole answer', async () => {
  await fc.assert(
    fc.asyncProperty(anyChoice, anyCut, async (choice, cut) => {
      const text = tellPieces(piecesOf(choice, cut))
      const { output_text, ...read } = plain(await accumulate(text))
      const whole = plain(wholeResponse(finishedWith(choice), body))
      assert.deepEqual(read, whole)
      assert.equal(output_text, choice.message.content ?? '')
      // Without the last event, which repeats it all, the rest must have told the same.
      const { output } = await accumulate(withoutLast(text))
      assert.deepEqual(plain(output), whole.output)
    }),
    { numRuns: 50 },
  )
})
