import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatMessage } from '#contract/text-parts.js'
import { EngineError } from '../engine-error.js'
import type { EngineRequest } from '../text.js'
import { toMessagesRequest } from './messages-request.js'

const hi: ChatMessage[] = [{ role: 'user', content: 'Hi' }]
const translate = (request: Partial<EngineRequest>) =>
  toMessagesRequest({ model: 'claude', request: { messages: hi, max_completion_tokens: 10_000, ...request } })
const mark = { type: 'ephemeral', ttl: '1h' } as const
const weather = {
  type: 'function',
  function: { name: 'weather', description: 'The weather', parameters: { properties: { city: { type: 'string' } } } },
}
const troubleOf = (request: Partial<EngineRequest>) => {
  try {
    translate(request)
  } catch (error) {
    if (error instanceof EngineError) return [error.trouble, error.said]
    throw error
  }
  return assert.fail('it was translated')
}

test('a plain request holds the model, the limit and the conversation, and nothing else', () => {
  assert.deepEqual(translate({}), {
    model: 'claude',
    max_tokens: 10_000,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  })
})

test('texts of system and developer become system blocks, with their marks for caching', () => {
  const { system, messages } = translate({
    messages: [
      { role: 'system', content: 'Be kind.' },
      { role: 'developer', content: [{ type: 'text', text: 'Be short.', cache_control: mark }] },
      ...hi,
    ],
  })
  assert.deepEqual(system, [
    { type: 'text', text: 'Be kind.' },
    { type: 'text', text: 'Be short.', cache_control: mark },
  ])
  assert.equal(messages.length, 1)
})

test('images become base64 sources, or URLs where they are URLs', () => {
  const { messages } = translate({
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' }, cache_control: mark },
          { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
        ],
      },
    ],
  })
  assert.deepEqual(messages[0]?.content.slice(1), [
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' }, cache_control: mark },
    { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
  ])
})

test('an image that is no base64 data URL is refused', () => {
  for (const url of ['data:image/png,hi', 'data:image/png;base64', 'data:;base64,aGk='])
    assert.deepEqual(
      troubleOf({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] }),
      ['refused', 'an image is not a base64 data URL'],
    )
})

test('thoughts, text and calls of tools go back in this order, and the results of all calls are one turn', () => {
  const { messages } = translate({
    messages: [
      ...hi,
      {
        role: 'assistant',
        content: 'I look it up.',
        reasoning_content: 'Two cities.',
        reasoning_details: [
          { type: 'thinking', text: 'Two cities.', data: 'c2ln', index: 0 },
          { type: 'redacted_thinking', data: 'c2VjcmV0', index: 1 },
          { type: 'thinking', text: 'without a signature' },
          { type: 'reasoning.encrypted', data: 'of another maker' },
        ],
        tool_calls: [
          { id: 'toolu_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } },
          { id: 'toolu_2', type: 'function', function: { name: 'time', arguments: '' } },
        ],
      },
      { role: 'tool', tool_call_id: 'toolu_1', content: 'sunny' },
      { role: 'tool', tool_call_id: 'toolu_2', content: [{ type: 'text', text: 'noon', cache_control: mark }] },
      { role: 'user', content: 'And?' },
    ],
  })
  assert.deepEqual(messages.slice(1), [
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Two cities.', signature: 'c2ln' },
        { type: 'redacted_thinking', data: 'c2VjcmV0' },
        { type: 'text', text: 'I look it up.' },
        { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Bern' } },
        { type: 'tool_use', id: 'toolu_2', name: 'time', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'sunny' }] },
        { type: 'tool_result', tool_use_id: 'toolu_2', content: [{ type: 'text', text: 'noon' }], cache_control: mark },
        { type: 'text', text: 'And?' },
      ],
    },
  ])
})

test('results of tools come first in their turn, even when the caller put words before them', () => {
  const { messages } = translate({
    messages: [
      { role: 'user', content: 'a' },
      { role: 'tool', tool_call_id: 'one', content: 'b' },
      { role: 'user', content: 'c' },
      { role: 'tool', tool_call_id: 'two', content: 'd' },
    ],
  })
  assert.deepEqual(
    messages[0]?.content.map((block) => ('tool_use_id' in block ? block.tool_use_id : 'text' in block && block.text)),
    ['one', 'two', 'a', 'c'],
  )
})

test('texts without a word, which Anthropic refuses, are left out', () => {
  const { system, messages } = translate({
    messages: [
      { role: 'system', content: '' },
      ...hi,
      { role: 'assistant', content: ' ' },
      { role: 'user', content: 'Hm' },
    ],
  })
  assert.equal(system, undefined)
  assert.deepEqual(messages, [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Hi' },
        { type: 'text', text: 'Hm' },
      ],
    },
  ])
})

test('arguments that are not a JSON object are refused', () => {
  for (const text of ['{"city":', '[1]', '"Bern"'])
    assert.deepEqual(
      troubleOf({
        messages: [
          ...hi,
          { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'weather', arguments: text } }] },
        ],
      }),
      ['refused', 'the arguments of a tool call are not a JSON object'],
    )
})

test('the temperature is at most 1, and counts before top_p, as newer models refuse both', () => {
  const { temperature, top_p, top_k, stop_sequences } = translate({
    temperature: 1.7,
    top_p: 0.9,
    top_k: 40,
    stop: 'END',
  })
  assert.deepEqual([temperature, top_p, top_k, stop_sequences], [1, undefined, 40, ['END']])
  const other = translate({ top_p: 0.9, top_k: 0, stop: ['a', 'b'] })
  assert.deepEqual([other.top_p, 'top_k' in other, other.stop_sequences], [0.9, false, ['a', 'b']])
})

test('seeds and penalties are left out; what an answer would lack is unsupported', () => {
  assert.deepEqual(
    translate({ seed: 1, presence_penalty: 1, frequency_penalty: 1, n: 1, logprobs: false }),
    translate({}),
  )
  assert.deepEqual(troubleOf({ n: 2 }), ['unsupported', 'n'])
  assert.deepEqual(troubleOf({ logprobs: true }), ['unsupported', 'logprobs'])
  assert.deepEqual(troubleOf({ tools: [{ type: 'web_search' }] }), ['unsupported', 'tools.web_search'])
  assert.deepEqual(
    troubleOf({ messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'aGk=' } }] }] }),
    ['unsupported', 'input_audio'],
  )
})

test('tools have an object as input, and keep a mark for caching', () => {
  const bare = { type: 'function', function: { name: 'time' }, cache_control: mark }
  assert.deepEqual(translate({ tools: [weather, bare] }).tools, [
    {
      name: 'weather',
      description: 'The weather',
      input_schema: { type: 'object', properties: { city: { type: 'string' } } },
    },
    { name: 'time', input_schema: { type: 'object' }, cache_control: mark },
  ])
})

for (const [tool_choice, parallel_tool_calls, expected] of [
  [undefined, undefined, undefined],
  ['auto', true, undefined],
  ['auto', false, { type: 'auto', disable_parallel_tool_use: true }],
  ['none', false, { type: 'none' }],
  ['required', true, { type: 'any' }],
  ['required', false, { type: 'any', disable_parallel_tool_use: true }],
  [{ type: 'function', function: { name: 'weather' } }, undefined, { type: 'tool', name: 'weather' }],
] as const)
  test(`tool_choice ${JSON.stringify(tool_choice)} with parallel_tool_calls ${parallel_tool_calls} is ${JSON.stringify(expected)}`, () => {
    const request = translate({
      tools: [weather],
      ...(tool_choice !== undefined && { tool_choice }),
      ...(parallel_tool_calls !== undefined && { parallel_tool_calls }),
    })
    assert.deepEqual(request.tool_choice, expected)
  })

for (const [what, request, budget] of [
  ['no effort', {}, undefined],
  ['an effort', { reasoning_effort: 'low' }, 2_048],
  ['an effort inside reasoning', { reasoning: { effort: 'minimal' }, reasoning_effort: 'high' }, 1_024],
  ['reasoning that is on', { reasoning: { enabled: true }, max_completion_tokens: 100_000 }, 8_192],
  ['reasoning that is off', { reasoning: { enabled: false, effort: 'high' } }, undefined],
  ['the effort none', { reasoning_effort: 'none' }, undefined],
  ['an effort that leaves no room for the answer', { reasoning_effort: 'max' }, 8_000],
  ['too few tokens for any thought', { reasoning_effort: 'low', max_completion_tokens: 1_200 }, undefined],
  ['a forced tool', { reasoning_effort: 'low', tools: [weather], tool_choice: 'required' }, undefined],
] as const)
  test(`${what} gives a thinking budget of ${budget}`, () => {
    const { thinking, ...rest } = translate({ ...(request as Partial<EngineRequest>), temperature: 0.5, top_k: 9 })
    assert.deepEqual(thinking, budget && { type: 'enabled', budget_tokens: budget })
    assert.equal('temperature' in rest || 'top_k' in rest, budget === undefined, 'no sampling beside thinking')
    assert.ok((budget ?? 0) < rest.max_tokens)
  })

test('a turn whose thoughts the caller did not keep goes on without thinking, as Anthropic would refuse it', () => {
  const turnWith = (reasoning_details: { type: string; text: string; data: string }[]) =>
    translate({
      reasoning_effort: 'low',
      messages: [
        ...hi,
        {
          role: 'assistant',
          reasoning_details,
          tool_calls: [{ id: 'a', function: { name: 'weather', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'a', content: 'sunny' },
      ],
    })
  assert.equal(turnWith([]).thinking, undefined)
  assert.ok(turnWith([{ type: 'thinking', text: 'Hm', data: 'c2ln' }]).thinking)
})

test('an answer of a schema is asked for as the input of a tool of ours', () => {
  const schema = { type: 'object', properties: { city: { type: 'string' } } }
  for (const json_schema of [{ name: 'place', strict: true, schema }, schema]) {
    const { tools, tool_choice, system } = translate({ response_format: { type: 'json_schema', json_schema } })
    assert.deepEqual(
      tools?.map(({ input_schema }) => input_schema),
      [schema],
    )
    assert.deepEqual(tool_choice, { type: 'tool', name: tools?.[0]?.name, disable_parallel_tool_use: true })
    assert.equal(system, undefined)
  }
})

test('JSON beside tools, of a schema that is no object, or of no schema is asked for in words', () => {
  const list = { type: 'array', items: { type: 'string' } }
  for (const request of [
    { response_format: { type: 'json_schema', json_schema: { name: 'list', schema: list } } },
    { response_format: { type: 'json_schema', json_schema: list }, tools: [weather] },
  ] as const) {
    const { system, tool_choice } = translate(request as Partial<EngineRequest>)
    assert.ok(system?.at(-1)?.text.endsWith(JSON.stringify(list)))
    assert.equal(tool_choice, undefined)
  }
  assert.match(translate({ response_format: { type: 'json_object' } }).system?.[0]?.text ?? '', /JSON only/)
  assert.equal(translate({ response_format: { type: 'text' } }).system, undefined)
})
