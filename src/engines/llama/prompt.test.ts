import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LlamaModel, Token } from 'node-llama-cpp'
import type { ChatMessage, FunctionTool } from '#contract/text-parts.js'
import type { ChatTemplate } from './native.js'
import { createPromptWriter } from './prompt.js'

type Message = { role: string; content: string; tool_calls?: unknown[] }

/** One token per character, and one control token: "#" where control tokens are read. */
const control = 1_000_000 as Token
const model = {
  tokens: { bosString: null, eosString: null, bos: null, shouldPrependBosToken: false },
  tokenize: (text: string, isSpecial: boolean) =>
    [...text].map((character) => (isSpecial && character === '#' ? control : (character.codePointAt(0) as Token))),
  isSpecialToken: (token: Token) => token === control,
} as unknown as LlamaModel

const plain: ChatTemplate = {
  render: ({ messages }) => (messages as Message[]).map(({ role, content }) => `#${role}:${content}`).join(''),
}

const write = (messages: ChatMessage[], { template = plain, rendersTools = true, tools = [] as FunctionTool[] } = {}) =>
  createPromptWriter({ model, template, rendersTools, thinksWhenTold: false, contextTokens: 1000 })(
    { messages, max_completion_tokens: 1 },
    tools,
  )

test('control tokens of the template are read as such, those of a message are text', () => {
  const { tokens, text } = write([{ role: 'user', content: 'a#b' }])
  assert.equal(text, '#user:a#b')
  assert.equal(tokens.filter((token) => token === control).length, 1)
  assert.equal(tokens.length, text.length)
})

test('a template that changes a message with control tokens in it refuses the request', () => {
  const loud: ChatTemplate = { render: (values) => plain.render(values).toUpperCase() }
  assert.throws(() => write([{ role: 'user', content: 'a#b' }], { template: loud }), { trouble: 'refused' })
})

test('a template without system messages gets them as words of the user, neighbours joined', () => {
  const strict: ChatTemplate = {
    render(values) {
      const roles = (values.messages as Message[]).map(({ role }) => role)
      if (roles.includes('system') || roles.some((role, at) => role === roles[at + 1])) throw new Error('no')
      return plain.render(values)
    },
  }
  const messages: ChatMessage[] = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hi' },
  ]
  assert.equal(write(messages, { template: strict }).text, '#user:Be brief.\n\nHi')
})

test('an order that the template refuses anyway is refused', () => {
  const never: ChatTemplate = {
    render() {
      throw new Error('no')
    },
  }
  assert.throws(() => write([{ role: 'user', content: 'Hi' }], { template: never }), { trouble: 'refused' })
})

test('tools, calls and results are told in words to a model whose template knows none', () => {
  const call = { id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }
  const { text } = write(
    [
      { role: 'user', content: 'Add' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: '2' },
    ],
    { rendersTools: false, tools: [{ name: 'add' }] },
  )
  assert.match(text, /^#system:You can call these tools:\n<tools>\n{"type":"function","function":{"name":"add"}}\n/)
  assert.ok(
    text.endsWith(
      '#assistant:<tool_call>{"name":"add","arguments":{"a":1}}</tool_call>#user:<tool_response>\n2\n</tool_response>',
    ),
  )
})
