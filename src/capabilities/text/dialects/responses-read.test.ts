import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type OpenAI from 'openai'
import { ChatRequest } from '#contract/chat.js'
import { Failure } from '#contract/errors.js'
import { ResponsesRequest } from '#contract/responses.js'
import { jsonOfSchema } from '../../../../test/fakes/json-of-schema.js'
import { compileSchema } from '../../../../test/fakes/schemas.js'
import { responses } from './responses.js'
import { seal } from './sealed.js'

const validate = compileSchema(ResponsesRequest)
const isChat = compileSchema(ChatRequest)

const readAny = (body: object): ChatRequest => {
  assert.equal(validate(body), undefined)
  const request = responses.read(body as ResponsesRequest)
  assert.equal(isChat(request), undefined)
  return request
}

/** Written with the types of the SDK, so that what it can send is what we can read. */
const read = (body: OpenAI.Responses.ResponseCreateParams) => readAny(body)

const refusalOf = (body: object): string => {
  const whole = { model: 'm', input: 'hi', ...body }
  const told = validate(whole)
  if (told !== undefined) return told
  try {
    responses.read(whole as ResponsesRequest)
  } catch (error) {
    assert.ok(error instanceof Failure)
    return error.message
  }
  return ''
}

test('a text is what the user says, and instructions come before it', () => {
  assert.deepEqual(
    read({
      model: 'm',
      input: 'hi',
      instructions: 'Be brief.',
      max_output_tokens: 50,
      temperature: 0.3,
      reasoning: { effort: 'low', summary: 'auto' },
      text: { verbosity: 'low', format: { type: 'json_object' } },
      store: true,
      metadata: { a: 'b' },
      prompt_cache_key: 'k',
      stream: true,
    }),
    {
      model: 'm',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hi' },
      ],
      max_completion_tokens: 50,
      temperature: 0.3,
      reasoning: { effort: 'low', summary: 'auto' },
      verbosity: 'low',
      response_format: { type: 'json_object' },
      stream: true,
    },
  )
})

test('a conversation in items becomes messages: one per turn of the assistant, with thoughts and calls', () => {
  const { messages } = read({
    model: 'm',
    input: [
      { role: 'developer', content: 'Be brief.' },
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'What is this?' },
          { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'low' },
          { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' },
        ],
      },
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'I should look.' }],
        encrypted_content: seal({
          details: [{ type: 'thinking', text: 'I should look.', data: 'c2ln' }],
          thoughtSignature: 'g',
        }),
      },
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Looking.', annotations: [] }],
      },
      { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{"a":1}' },
      { type: 'function_call', call_id: 'c2', name: 'look', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'a cat' },
      {
        type: 'function_call_output',
        call_id: 'c2',
        output: [{ type: 'input_image', image_url: 'https://example.test/a.png' }],
      },
      { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'b3BhcXVl' },
      { role: 'assistant', content: 'A cat.' },
      { role: 'user', content: 'Thanks' },
    ],
  })
  assert.deepEqual(messages, [
    { role: 'developer', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
        { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA', filename: 'a.pdf' } },
      ],
    },
    {
      role: 'assistant',
      content: 'Looking.',
      reasoning_content: 'I should look.',
      reasoning_details: [{ type: 'thinking', text: 'I should look.', data: 'c2ln' }],
      thought_signature: 'g',
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"a":1}' } },
        { id: 'c2', type: 'function', function: { name: 'look', arguments: '{}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'a cat' },
    { role: 'tool', tool_call_id: 'c2', content: 'The result is attached below.' },
    { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.test/a.png' } }] },
    {
      role: 'assistant',
      content: 'A cat.',
      reasoning_details: [{ type: 'reasoning.encrypted', data: 'b3BhcXVl', id: 'rs_2' }],
    },
    { role: 'user', content: 'Thanks' },
  ])
})

test('images may be sent as an object, and the result of a tool as any JSON', () => {
  const { messages } = readAny({
    model: 'm',
    input: [
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.test/a.png' } }] },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: { degrees: 21 } },
      { type: 'web_search_call', id: 'ws_1', status: 'completed' },
    ],
  })
  assert.deepEqual(messages[0]?.content, [{ type: 'image_url', image_url: { url: 'https://example.test/a.png' } }])
  assert.deepEqual(messages[2], { role: 'tool', tool_call_id: 'c', content: '{"degrees":21}' })
})

test('words of the assistant between calls stay in their turn, so that results follow their calls', () => {
  const { messages } = readAny({
    model: 'm',
    input: [
      { role: 'user', content: 'go' },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { role: 'assistant', content: 'Working.' },
      { type: 'function_call_output', call_id: 'c', output: 'ok' },
    ],
  })
  assert.deepEqual(
    messages.map(({ role }) => role),
    ['user', 'assistant', 'tool'],
  )
})

test('functions are taken nested and flat, searches are kept, and tools that are not known are left out', () => {
  const parameters = { type: 'object' }
  const { tools, tool_choice, parallel_tool_calls } = readAny({
    model: 'm',
    input: 'hi',
    tools: [
      { type: 'function', name: 'flat', parameters, strict: true },
      { type: 'function', function: { name: 'nested', description: 'd', parameters } },
      { type: 'web_search_preview', search_context_size: 'low' },
      { type: 'x_search', allowed_x_handles: ['a'] },
      { type: 'code_interpreter', container: { type: 'auto' } },
    ],
    tool_choice: { type: 'function', name: 'nested' },
    parallel_tool_calls: false,
  })
  assert.deepEqual(tools, [
    { type: 'function', function: { name: 'flat', parameters, strict: true } },
    { type: 'function', function: { name: 'nested', description: 'd', parameters } },
    { type: 'web_search' },
    { type: 'x_search' },
  ])
  assert.deepEqual([tool_choice, parallel_tool_calls], [{ type: 'function', function: { name: 'nested' } }, false])
})

test('a format with a schema, probabilities and the web are asked for in the words of chat', () => {
  const format = { type: 'json_schema' as const, name: 'n', schema: { type: 'object' }, strict: true }
  assert.deepEqual(read({ model: 'm', input: 'hi', text: { format } }).response_format, {
    type: 'json_schema',
    json_schema: { name: 'n', schema: { type: 'object' }, strict: true },
  })
  const { logprobs, top_logprobs } = read({
    model: 'm',
    input: 'hi',
    include: ['message.output_text.logprobs'],
    top_logprobs: 3,
  })
  assert.deepEqual([logprobs, top_logprobs], [true, 3])
  assert.deepEqual(readAny({ model: 'm', input: 'hi', web_search: true }).service_parameters, {
    enable_web_search: 'on',
  })
})

test('only the service parameters of this endpoint are used', () => {
  const { service_parameters } = readAny({
    model: 'm',
    input: 'hi',
    service_parameters: { enable_web_search: 'auto', strip_thinking_response: 'whatever', character_slug: 'c' },
  })
  assert.deepEqual(service_parameters, { character_slug: 'c', enable_web_search: 'auto' })
})

test('what needs a memory is refused with what to do instead', () => {
  const advice = 'is not supported: nothing is kept between calls; send the whole conversation as input'
  assert.equal(refusalOf({ previous_response_id: 'resp_1' }), `Invalid request: previous_response_id ${advice}`)
  assert.equal(refusalOf({ conversation: 'c' }), `Invalid request: conversation ${advice}`)
  assert.equal(refusalOf({ background: true }), 'Invalid request: background is not supported: send stream instead')
  assert.equal(
    refusalOf({ input: [{ type: 'item_reference', id: 'i' }] }),
    'Invalid request: input.0.type must not be item_reference: nothing is kept between calls, send the item itself',
  )
  assert.equal(refusalOf({ previous_response_id: null, conversation: null, background: false }), '')
})

test('each mistake is told once, by the name of its field', () => {
  const user = (...content: object[]) => ({ input: [{ role: 'user', content }] })
  assert.equal(refusalOf({ input: 5 }), 'Invalid request: input must be string or array')
  assert.equal(refusalOf({ input: [{ role: 'user' }] }), 'Invalid request: input.0.content is required')
  assert.equal(
    refusalOf({ input: [{ type: 'hologram' }] }),
    "Invalid request: input.0.type 'hologram' is not a kind of item that is known here",
  )
  assert.equal(refusalOf(user({ type: 'input_text' })), 'Invalid request: input.0.content.0.text is required')
  assert.match(
    refusalOf(user({ type: 'input_image', file_id: 'f' })),
    /input\.0\.content\.0\.image_url is required; files/,
  )
  assert.match(
    refusalOf(user({ type: 'input_file', file_id: 'f' })),
    /input\.0\.content\.0\.file_data or file_url is required/,
  )
  assert.equal(
    refusalOf({ input: [{ role: 'system', content: [{ type: 'input_image', image_url: 'https://a.test' }] }] }),
    'Invalid request: input.0.content must be only text in a message of the system',
  )
  assert.equal(refusalOf({ tools: [{ type: 'function' }] }), 'Invalid request: tools.0.name is required')
  assert.match(refusalOf({ tool_choice: 'maybe' }), /tool_choice must be none, auto, required or the function to call/)
  assert.match(
    refusalOf({ tool_choice: { type: 'function', name: 'f' } }),
    /must name a function that is one of the tools/,
  )
  assert.match(refusalOf({ text: { format: { type: 'json_schema', name: 'n' } } }), /text\.format\.schema is required/)
  assert.equal(refusalOf({ input: [{ type: 'reasoning', summary: [] }] }), 'Invalid request: input must have a message')
})

test('whatever passes the schema is translated into a valid request of chat, or refused', () => {
  // Without what is always refused, more of the rest is tried.
  const { previous_response_id, conversation, background, ...properties } = ResponsesRequest.properties
  fc.assert(
    fc.property(jsonOfSchema({ ...ResponsesRequest, properties }), (body) => {
      fc.pre(validate(body) === undefined)
      try {
        assert.equal(isChat(responses.read(body as ResponsesRequest)), undefined)
      } catch (error) {
        assert.ok(error instanceof Failure, String(error))
      }
    }),
    { numRuns: 300 },
  )
})
