import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatRequest } from '#contract/chat.js'
import { Failure } from '#contract/errors.js'
import { textModel } from '../../../test/text-model.js'
import { checkFeatures } from './features.js'

const base = 'contextTokens: 1000, maxCompletionTokens: 100, pricing: { input: "1", output: "1" }'
const plain = textModel(base)
const able = textModel(`${base}, capabilities: { supportsFunctionCalling: true, supportsVision: true,
  supportsAudioInput: true, supportsVideoInput: true, supportsResponseSchema: true, supportsLogProbs: true,
  supportsReasoning: true, supportsReasoningEffort: true, reasoningEffortOptions: [low, high] }`)

const ask = (more: Partial<ChatRequest>): ChatRequest => ({
  model: 'it',
  messages: [{ role: 'user', content: 'Hi' }],
  ...more,
})
const refusal = (more: Partial<ChatRequest>, model = plain): string => {
  try {
    checkFeatures(ask(more), model)
    return 'fine'
  } catch (error) {
    assert.ok(error instanceof Failure)
    assert.equal(error.status, 400)
    return error.code
  }
}
const tool = { type: 'function', function: { name: 'weather' } }
const part = (content: object) => ({ messages: [{ role: 'user', content: [content] }] }) as Partial<ChatRequest>

const features: Record<string, Partial<ChatRequest>> = {
  tools: { tools: [tool] },
  images: part({ type: 'image_url', image_url: { url: 'data:,' } }),
  sound: part({ type: 'input_audio', input_audio: { data: 'AA==' } }),
  video: part({ type: 'video_url', video_url: { url: 'data:,' } }),
  schemas: { response_format: { type: 'json_schema', json_schema: {} } },
  logprobs: { logprobs: true, top_logprobs: 2 },
  'reasoning effort': { reasoning_effort: 'low' },
  'reasoning effort in its container': { reasoning: { effort: 'high' } },
}
for (const [name, request] of Object.entries(features))
  test(`${name}: refused on a model without, accepted on a model with`, () => {
    assert.equal(refusal(request), 'UNSUPPORTED_FEATURE')
    assert.equal(refusal(request, able), 'fine')
  })

test('an effort that the model does not list is refused, not rounded', () => {
  assert.equal(refusal({ reasoning_effort: 'medium' }, able), 'UNSUPPORTED_FEATURE')
  assert.equal(refusal({ reasoning_effort: 'medium', reasoning: { enabled: false } }, able), 'fine')
})

const mistakes: Record<string, Partial<ChatRequest>> = {
  'an assistant turn with nothing in it': { messages: [{ role: 'assistant', content: null }] },
  'a choice of tool without tools': { tool_choice: 'required' },
  'a choice of tool that is none': { tools: [tool], tool_choice: 'sometimes' },
  'a choice of a function that is not there': {
    tools: [tool],
    tool_choice: { type: 'function', function: { name: 'time' } },
  },
  'a tool of no known kind': { tools: [{ type: 'hammer' }] },
  'a function tool without a function': { tools: [{ type: 'function' }] },
  'top_logprobs without logprobs': { top_logprobs: 2 },
  'a schema format without a schema': { response_format: { type: 'json_schema' } },
  'a longer answer than the model gives': { max_completion_tokens: 101 },
}
for (const [name, request] of Object.entries(mistakes))
  test(`${name} is refused`, () => assert.equal(refusal(request, able), 'INVALID_REQUEST'))

test('the deprecated max_tokens is clipped instead', () => {
  assert.equal(refusal({ max_tokens: 5_000 }, able), 'fine')
  assert.equal(refusal({ max_completion_tokens: 100 }, able), 'fine')
})
