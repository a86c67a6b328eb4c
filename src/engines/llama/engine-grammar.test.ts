import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Tool } from '#contract/text-parts.js'
import { deltas, openTinyModel, say, toCall } from '../../../test/tiny-model.js'

// What is bound by grammars: JSON that fits its schema, and calls of tools.
const { ask, collect } = openTinyModel({ after })

const weather: Tool = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Get the current weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}
const email: Tool = {
  type: 'function',
  function: {
    name: 'send_email',
    description: 'Send an email',
    parameters: {
      type: 'object',
      properties: { to: { type: 'string' }, priority: { type: 'integer', minimum: 1, maximum: 3 } },
      required: ['to', 'priority'],
    },
  },
}

const person = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' }, city: { type: ['string', 'null'] } },
  required: ['name', 'age', 'city'],
  additionalProperties: false,
}

test('a schema is filled in, wrapped or bare', async () => {
  const messages = say('Anna is 34 years old and lives in Oslo.')
  for (const json_schema of [{ name: 'person', strict: true, schema: person }, person]) {
    const { text } = await ask({ messages, response_format: { type: 'json_schema', json_schema } })
    assert.deepEqual(JSON.parse(text), { name: 'Anna', age: 34, city: 'Oslo' })
  }
  const { text } = await ask({
    messages: say('Give me a JSON object with a name.'),
    response_format: { type: 'json_object' },
  })
  assert.equal(typeof JSON.parse(text), 'object')
})

test('whatever the model would like to write, it keeps to the schema', async () => {
  const schemas: Record<string, unknown>[] = [
    { type: 'object', properties: { a: { enum: ['x "y"', 2, null] }, b: { const: 'z' } }, required: ['b'] },
    { type: 'array', items: { type: 'integer', minimum: -3, maximum: 12 }, minItems: 2, maxItems: 4 },
    { type: 'object', additionalProperties: { type: 'boolean' }, properties: {} },
    {
      anyOf: [
        { type: 'number', minimum: 0, maximum: 1 },
        { type: 'string', minLength: 2, maxLength: 5 },
      ],
    },
    { type: 'array', prefixItems: [{ type: 'string', format: 'date' }, { type: 'null' }], items: false, maxItems: 2 },
    {
      $ref: '#/$defs/tree',
      $defs: {
        tree: {
          type: 'object',
          properties: { left: { anyOf: [{ $ref: '#/$defs/tree' }, { type: 'null' }] } },
          required: ['left'],
          additionalProperties: false,
        },
      },
    },
    {
      allOf: [
        { type: 'object', properties: { a: { type: 'boolean' } }, required: ['a'] },
        { properties: { b: { type: 'integer' } }, required: ['b'] },
      ],
    },
  ]
  for (const schema of schemas) {
    const request = { messages: say('Go!'), temperature: 1.5, seed: 9, max_completion_tokens: 120 }
    const { text, finish_reason } = await ask({
      ...request,
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
    })
    if (finish_reason === 'length') continue
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema)
    assert.ok(validate(JSON.parse(text)), `${JSON.stringify(schema)} got ${text}`)
  }
})

test('what no grammar can promise is refused, and the keyword is named', async () => {
  const refuse = (json_schema: Record<string, unknown>, said: RegExp) =>
    assert.rejects(ask({ response_format: { type: 'json_schema', json_schema } }), { trouble: 'unsupported', said })
  await refuse({ type: 'string', pattern: '^a+$' }, /"pattern"/)
  await refuse({ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } }, /leads to itself/)
  await refuse({ $ref: 'https://example.com/schema' }, /reference/)
  await refuse(JSON.parse(`${'{"items":'.repeat(5000)}{}${'}'.repeat(5000)}`), /depth/)
  await refuse({ type: 'integer', minimum: 5, maximum: 4 }, /range/)
})

test('a tool is called when the request asks for it, and not otherwise', async () => {
  const tools = [weather, email]
  const called = await ask({ messages: say('What is the weather in Paris?'), tools })
  assert.equal(called.finish_reason, 'tool_calls')
  assert.equal(called.message.content, null)
  const [call] = called.message.tool_calls ?? []
  assert.match(call?.id ?? '', /^call_[0-9a-f]{24}$/)
  assert.deepEqual(call?.function, { name: 'get_weather', arguments: '{"city": "Paris"}' })
  const greeted = await ask({ messages: say('Hello!'), tools })
  assert.deepEqual([greeted.finish_reason, greeted.message.tool_calls], ['stop', undefined])
  const forbidden = await ask({ messages: say('What is the weather in Paris?'), tools, tool_choice: 'none' })
  assert.equal(forbidden.finish_reason, 'stop')
})

test('the result of a call is answered', async () => {
  const { text } = await ask({
    messages: [
      ...say('What is the weather in Paris?'),
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: '{"temperature": 21}' },
    ],
    tools: [weather],
  })
  assert.match(text, /21/)
})

test('a call can be required, or one function; then the arguments keep to its schema', async () => {
  const tools = [weather, email]
  const required = await ask({ tools, tool_choice: 'required' })
  assert.equal(required.finish_reason, 'tool_calls')
  const tool_choice = { type: 'function', function: { name: 'send_email' } }
  const one = await ask({ tools, tool_choice, parallel_tool_calls: false, temperature: 1.2, seed: 3 })
  assert.equal(one.message.tool_calls?.length, 1)
  const [call] = one.message.tool_calls ?? []
  assert.equal(call?.function.name, 'send_email')
  const given = JSON.parse(call?.function.arguments ?? '')
  assert.equal(typeof given.to, 'string')
  assert.ok([1, 2, 3].includes(given.priority))
  const absent = { type: 'function', function: { name: 'fly' } }
  await assert.rejects(ask({ tools, tool_choice: absent }), { trouble: 'refused', said: /names no tool/ })
})

test('a streamed call has its name first and its arguments in pieces', async () => {
  const pieces = await collect(toCall({ messages: say('What is the weather in Paris?'), tools: [weather] }))
  const calls = deltas(pieces).flatMap(({ delta }) => delta.tool_calls ?? [])
  const [first, ...rest] = calls
  assert.deepEqual(
    [first?.index, first?.type, first?.function],
    [0, 'function', { name: 'get_weather', arguments: '' }],
  )
  assert.ok(rest.length > 1 && rest.every(({ id, function: call }) => id === undefined && call?.name === undefined))
  assert.equal(rest.map(({ function: call }) => call?.arguments).join(''), '{"city": "Paris"}')
  assert.equal(deltas(pieces).at(-1)?.finish_reason, 'tool_calls')
})
