import assert from 'node:assert/strict'
import { test } from 'node:test'
import type Anthropic from '@anthropic-ai/sdk'
import fc from 'fast-check'
import { ChatRequest } from '#contract/chat.js'
import { Failure } from '#contract/errors.js'
import { CountTokensRequest, MessagesRequest } from '#contract/messages.js'
import { jsonOfSchema } from '../../../../test/fakes/json-of-schema.js'
import { compileSchema } from '../../../../test/fakes/schemas.js'
import { messages } from './messages.js'
import { readPrompt } from './messages-read.js'
import { seal } from './sealed.js'

const validate = compileSchema(MessagesRequest)
const isChat = compileSchema(ChatRequest)

/** Requests are written with the types of the SDK, so that what it can send is what we can read. */
const read = (body: Anthropic.MessageCreateParams): ChatRequest => {
  assert.equal(validate(body), undefined)
  const request = messages.read(body as MessagesRequest)
  assert.equal(isChat(request), undefined)
  return request
}

const refusalOf = (body: object): string => {
  const whole = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }], ...body }
  const told = validate(whole)
  if (told !== undefined) return told
  try {
    messages.read(whole as MessagesRequest)
  } catch (error) {
    assert.ok(error instanceof Failure)
    return error.message
  }
  return ''
}

test('a turn of a coding agent keeps its system prompt, cache marks, tools, thoughts and results', () => {
  const cache_control = { type: 'ephemeral', ttl: '1h' } as const
  const request = read({
    model: 'claude-alias',
    max_tokens: 32000,
    temperature: 1,
    stream: true,
    metadata: { user_id: 'user_1' },
    thinking: { type: 'enabled', budget_tokens: 31999 },
    system: [
      { type: 'text', text: 'You are an agent.' },
      { type: 'text', text: 'Be brief.', cache_control },
    ],
    tools: [
      {
        name: 'Read',
        description: 'Reads a file',
        input_schema: { type: 'object', properties: { path: { type: 'string' } } },
      },
      { type: 'bash_20250124', name: 'bash' },
      { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
    ],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: '<reminder/>' },
          { type: 'text', text: 'Look at a.png', cache_control },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'I should look.', signature: 'c2ln' },
          { type: 'redacted_thinking', data: 'cmVk' },
          { type: 'text', text: 'Looking.' },
          { type: 'tool_use', id: 'toolu_1', name: 'Read', input: { path: 'a.png' } },
          { type: 'tool_use', id: 'toolu_2', name: 'Read', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }],
          },
          { type: 'tool_result', tool_use_id: 'toolu_2', content: 'no path', is_error: true, cache_control },
          { type: 'text', text: 'Go on.' },
        ],
      },
    ],
  })
  assert.deepEqual(request, {
    model: 'claude-alias',
    max_tokens: 32000,
    temperature: 1,
    stream: true,
    reasoning: { enabled: true },
    tools: [
      {
        type: 'function',
        function: {
          name: 'Read',
          description: 'Reads a file',
          parameters: { type: 'object', properties: { path: { type: 'string' } } },
        },
      },
    ],
    messages: [
      {
        role: 'system',
        content: [
          { type: 'text', text: 'You are an agent.' },
          { type: 'text', text: 'Be brief.', cache_control },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: '<reminder/>' },
          { type: 'text', text: 'Look at a.png', cache_control },
        ],
      },
      {
        role: 'assistant',
        content: 'Looking.',
        reasoning_content: 'I should look.',
        reasoning_details: [
          { type: 'thinking', text: 'I should look.', data: 'c2ln' },
          { type: 'redacted_thinking', data: 'cmVk' },
        ],
        tool_calls: [
          { id: 'toolu_1', type: 'function', function: { name: 'Read', arguments: '{"path":"a.png"}' } },
          { id: 'toolu_2', type: 'function', function: { name: 'Read', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'toolu_1', content: 'The result is attached below.' },
      { role: 'tool', tool_call_id: 'toolu_2', content: [{ type: 'text', text: 'Error: no path', cache_control }] },
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          { type: 'text', text: 'Go on.' },
        ],
      },
    ],
  })
})

test('documents become files or text', () => {
  const { messages: told } = read({
    model: 'm',
    max_tokens: 1,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'document', title: 'a.pdf', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } },
          { type: 'document', source: { type: 'url', url: 'https://example.test/b.pdf' } },
          { type: 'document', title: 'c', source: { type: 'text', media_type: 'text/plain', data: 'words' } },
          { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'inner' }] } },
          { type: 'search_result', title: 't', source: 's', content: [{ type: 'text', text: 'found' }] },
        ],
      },
    ],
  })
  assert.deepEqual(told[0]?.content, [
    { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA', filename: 'a.pdf' } },
    { type: 'file', file: { file_data: 'https://example.test/b.pdf' } },
    { type: 'text', text: 'c' },
    { type: 'text', text: 'words' },
    { type: 'text', text: 'inner' },
    { type: 'text', text: 't\ns\nfound' },
  ])
})

const tool = { name: 'f', input_schema: { type: 'object' as const } }
const ask = (more: Partial<Anthropic.MessageCreateParamsNonStreaming>): Anthropic.MessageCreateParamsNonStreaming => ({
  model: 'm',
  max_tokens: 10,
  messages: [{ role: 'user', content: 'hi' }],
  ...more,
})

test('every choice of tools has its counterpart', () => {
  const choiceOf = (tool_choice: Anthropic.ToolChoice) => {
    const { tool_choice: told, parallel_tool_calls } = read(ask({ tools: [tool], tool_choice }))
    return [told, parallel_tool_calls]
  }
  assert.deepEqual(choiceOf({ type: 'auto', disable_parallel_tool_use: true }), ['auto', false])
  assert.deepEqual(choiceOf({ type: 'any' }), ['required', undefined])
  assert.deepEqual(choiceOf({ type: 'none' }), ['none', undefined])
  assert.deepEqual(choiceOf({ type: 'tool', name: 'f' }), [{ type: 'function', function: { name: 'f' } }, undefined])
})

test('a tool that only another server has is left out, and so is the wish to use it', () => {
  const request = read(
    ask({ tools: [tool, { type: 'bash_20250124', name: 'bash' }], tool_choice: { type: 'tool', name: 'bash' } }),
  )
  assert.deepEqual([request.tools?.length, request.tool_choice], [1, undefined])
  const none = read(ask({ tools: [{ type: 'bash_20250124', name: 'bash' }], tool_choice: { type: 'any' } }))
  assert.deepEqual([none.tools, none.tool_choice], [undefined, undefined])
  assert.equal(read(ask({ tools: [{ type: 'web_search_20250305', name: 'web_search' }] })).tools, undefined)
})

test('what a server tool of another service left behind does not break the conversation', () => {
  const { messages: told } = read(
    ask({
      messages: [
        { role: 'user', content: 'hi' },
        {
          role: 'assistant',
          content: [
            { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
            { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
            { type: 'text', text: 'found' },
          ],
        },
        { role: 'user', content: 'more' },
      ],
    }),
  )
  assert.deepEqual(told[1], { role: 'assistant', content: 'found' })
})

test('thinking is switched on or off, and a schema of the output is passed on', () => {
  assert.deepEqual(read(ask({ thinking: { type: 'disabled' } })).reasoning, { enabled: false })
  assert.deepEqual(read(ask({ thinking: { type: 'adaptive' } })).reasoning, { enabled: true })
  assert.equal(read(ask({})).reasoning, undefined)
  assert.deepEqual(
    read(ask({ output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } })).response_format,
    {
      type: 'json_schema',
      json_schema: { name: 'answer', strict: true, schema: { type: 'object' } },
    },
  )
})

test('what an engine wants back is unwrapped, and what only looks like it is passed on as it is', () => {
  const data = seal({ details: [{ type: 'reasoning.encrypted', data: 'x', id: 'r' }], thoughtSignature: 'g' })
  const assistant = (block: string) =>
    read(
      ask({
        messages: [
          {
            role: 'assistant',
            content: [
              { type: 'redacted_thinking', data: block },
              { type: 'text', text: 'a' },
            ],
          },
          { role: 'user', content: 'b' },
        ],
      }),
    ).messages[0]
  assert.deepEqual(assistant(data), {
    role: 'assistant',
    content: 'a',
    reasoning_details: [{ type: 'reasoning.encrypted', data: 'x', id: 'r' }],
    thought_signature: 'g',
  })
  for (const broken of [`${data.slice(0, 20)}`, 'tessera-reasoning.bnVsbA', 'tessera-reasoning.eyJkZXRhaWxzIjpbN119'])
    assert.deepEqual(assistant(broken), {
      role: 'assistant',
      content: 'a',
      reasoning_details: [{ type: 'redacted_thinking', data: broken }],
    })
})

test('each mistake is told once, by the name of its field', () => {
  const user = (...content: object[]) => ({ messages: [{ role: 'user', content }] })
  assert.equal(refusalOf({ max_tokens: 0 }), 'Invalid request: max_tokens must be at least 1')
  assert.equal(refusalOf({ temperature: 1.5 }), 'Invalid request: temperature must be at most 1')
  assert.equal(refusalOf({ messages: [] }), 'Invalid request: messages must have at least 1 items')
  assert.equal(refusalOf(user({ type: 'text' })), 'Invalid request: messages.0.content.0.text is required')
  assert.equal(
    refusalOf(user({ type: 'image', source: { type: 'base64', data: 'A' } })),
    'Invalid request: messages.0.content.0.source.media_type is required',
  )
  assert.equal(
    refusalOf(user({ type: 'image', source: { type: 'file', file_id: 'f' } })),
    "Invalid request: messages.0.content.0.source.type must be base64 or url; 'file' is not supported",
  )
  assert.equal(
    refusalOf(user({ type: 'hologram' })),
    "Invalid request: messages.0.content.0.type 'hologram' is not a kind of block that is known here",
  )
  assert.equal(refusalOf(user({ type: 'text', text: '' })), 'Invalid request: messages.0.content must not be empty')
  assert.equal(
    refusalOf(user({ type: 'tool_use', id: 'i', name: 'n', input: {} })),
    "Invalid request: messages.0.content.0.type must not be 'tool_use' in a message of the user",
  )
  assert.equal(refusalOf({ tools: [{ name: 'f' }] }), 'Invalid request: tools.0.input_schema is required')
  assert.equal(
    refusalOf({ tools: [tool], tool_choice: { type: 'tool', name: 'g' } }),
    'Invalid request: tool_choice.name must be the name of one of the tools',
  )
})

test('tokens are counted for the same prompt, without max_tokens', () => {
  const body = { model: 'm', system: 's', messages: [{ role: 'user' as const, content: 'hi' }] }
  assert.equal(compileSchema(CountTokensRequest)(body), undefined)
  assert.deepEqual(readPrompt(body), {
    model: 'm',
    messages: [
      { role: 'system', content: 's' },
      { role: 'user', content: 'hi' },
    ],
  })
})

test('whatever passes the schema is translated into a valid request of chat, or refused', () => {
  fc.assert(
    fc.property(jsonOfSchema(MessagesRequest), (body) => {
      fc.pre(validate(body) === undefined)
      try {
        assert.equal(isChat(messages.read(body as MessagesRequest)), undefined)
      } catch (error) {
        assert.ok(error instanceof Failure, String(error))
      }
    }),
    { numRuns: 300 },
  )
})
