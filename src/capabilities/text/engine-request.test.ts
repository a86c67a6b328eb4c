import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatRequest } from '#contract/chat.js'
import { textModel } from '../../../test/text-model.js'
import { engineRequest, withSystemPrompt } from './engine-request.js'
import { resolveParameters } from './service-parameters.js'

const base = 'contextTokens: 1000, pricing: { input: "1", output: "1" }'
const messages: ChatRequest['messages'] = [{ role: 'user', content: 'Hi' }]
const sent = (more: object, fields = '', parameters = {}) =>
  engineRequest(
    { model: 'it', messages, ...more },
    textModel(`${base}${fields}`),
    messages,
    resolveParameters({}, parameters),
  )

test("the service's words go before the caller's, in one system message", () => {
  assert.deepEqual(withSystemPrompt(messages, 'Ours.'), [{ role: 'system', content: 'Ours.' }, ...messages])
  assert.deepEqual(withSystemPrompt([{ role: 'system', content: 'Theirs.' }, ...messages], 'Ours.')[0], {
    role: 'system',
    content: 'Ours.\n\nTheirs.',
  })
  assert.deepEqual(
    withSystemPrompt([{ role: 'developer', content: [{ type: 'text', text: 'Theirs.' }] }], 'Ours.')[0],
    {
      role: 'developer',
      content: [
        { type: 'text', text: 'Ours.' },
        { type: 'text', text: 'Theirs.' },
      ],
    },
  )
  assert.equal(withSystemPrompt(messages, ''), messages)
})

test('an engine does not learn who asks, and gets what nobody knows', () => {
  const personal = {
    user: 'me',
    metadata: { a: 'b' },
    store: true,
    stream: true,
    max_tokens: 3,
    service_parameters: {},
  }
  assert.deepEqual(sent({ ...personal, guided_regex: 'a+', seed: 4 }), {
    messages,
    temperature: 1,
    guided_regex: 'a+',
    seed: 4,
  })
})

test("the model's defaults fill in what was not asked", () => {
  const fields =
    ', constraints: { temperature: { default: 0.3 }, top_p: { default: 0.9 }, presence_penalty: { default: 1 } }'
  assert.deepEqual(sent({}, fields), { messages, temperature: 0.3, top_p: 0.9, presence_penalty: 1 })
  assert.deepEqual(sent({ temperature: 0, top_p: 1, presence_penalty: 0 }, fields), {
    messages,
    temperature: 0,
    top_p: 1,
    presence_penalty: 0,
  })
})

test('effort: the plain field goes first, then the container, then the default of the model', () => {
  const fields =
    ', capabilities: { supportsReasoning: true, supportsReasoningEffort: true, defaultReasoningEffort: low }'
  const effort = (more: object, parameters = {}) => sent(more, fields, parameters).reasoning_effort
  assert.equal(effort({ reasoning_effort: 'high', reasoning: { effort: 'medium' } }), 'high')
  assert.equal(effort({ reasoning: { effort: 'medium' } }), 'medium')
  assert.equal(effort({}), 'low')
  assert.equal(effort({ reasoning: { enabled: false } }), undefined)
})

test('thinking is switched off by effort none where the model has it, else by its template', () => {
  const off = { disable_thinking: true }
  const options =
    ', capabilities: { supportsReasoning: true, supportsReasoningEffort: true, reasoningEffortOptions: [none, low] }'
  assert.equal(sent({}, options, off).reasoning_effort, 'none')
  assert.deepEqual(
    (sent({}, ', capabilities: { supportsReasoning: true }', off) as { chat_template_kwargs?: object })
      .chat_template_kwargs,
    { enable_thinking: false, thinking: false },
  )
  assert.deepEqual(sent({}, '', off), { messages, temperature: 1 })
})
