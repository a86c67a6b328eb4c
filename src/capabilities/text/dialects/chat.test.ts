import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail } from '#contract/errors.js'
import type { ChatChunk, TextPiece } from '#engines/text.js'
import type { Opening } from '../dialect.js'
import { resolveParameters } from '../service-parameters.js'
import { chat } from './chat.js'

const opening: Opening = {
  requestId: 'f'.repeat(32),
  model: 'acme',
  created: 7,
  echo: resolveParameters({}, undefined),
  estimatePromptTokens: () => 1,
}
const usage = {
  prompt_tokens: 1,
  completion_tokens: 2,
  total_tokens: 3,
  prompt_tokens_details: { cached_tokens: 0, cache_creation_input_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0 },
}
const ending = { usage, cost: { usd: 0.5, diem: 0 } }

const voiceOf = (includeUsage?: boolean) =>
  chat.voice(opening, {
    model: 'acme',
    messages: [],
    ...(includeUsage !== undefined && { stream_options: { include_usage: includeUsage } }),
  })

const pieceOf = (json: string): TextPiece => ({ chunk: JSON.parse(json) as ChatChunk, json })
const dataOf = (text: string): ChatChunk[] =>
  text
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice(6)))

const front = '{"id":"theirs","object":"chat.completion.chunk","created":1,"model":"their/model",'

test('a chunk that needs no change leaves as it came, behind our own front', () => {
  const voice = voiceOf()
  voice.piece(pieceOf(`${front}"choices":[{"index":0,"delta":{"role":"assistant"},"finish_reason":null}]}`))
  // Unusual spacing and an unknown field prove that nothing was written anew.
  const rest = `"choices":[ {"index":0,"delta":{"content":"é\\u00e9"},"finish_reason":null, "odd":1e2}]}`
  assert.equal(
    voice.piece(pieceOf(front + rest)),
    `data: {"id":"chatcmpl-${opening.requestId}","object":"chat.completion.chunk","created":7,"model":"acme",${rest}\n\n`,
  )
})

test('wherever a backend puts its id, callers see ours', () => {
  for (const json of [
    `${front}"system_fingerprint":"fp","choices":[{"index":0,"delta":{"content":"x"},"finish_reason":null}]}`,
    '{"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":null}],"id":"theirs","created":1,"model":"m","object":"chat.completion.chunk"}',
    '{"id":"a\\"b","choices":[{"index":0,"delta":{"content":"x"},"finish_reason":null}],"model":"m"}',
  ]) {
    const chunks = dataOf(voiceOf().piece(pieceOf(json)))
    for (const { id, created, model, object } of chunks)
      assert.deepEqual(
        [id, created, model, object],
        [`chatcmpl-${opening.requestId}`, 7, 'acme', 'chat.completion.chunk'],
      )
    assert.deepEqual(
      chunks.map(({ choices }) => choices[0]?.delta),
      [{ role: 'assistant', content: '' }, { content: 'x' }],
    )
  }
})

test('every choice begins with its role, once', () => {
  const voice = voiceOf()
  const text = [0, 1, 1, 0]
    .map((index) => voice.piece({ chunk: { choices: [{ index, delta: { content: 'x' }, finish_reason: null }] } }))
    .join('')
  assert.deepEqual(
    dataOf(text).map(({ choices: [choice] }) => [choice?.index, choice?.delta.role]),
    [
      [0, 'assistant'],
      [0, undefined],
      [1, 'assistant'],
      [1, undefined],
      [1, undefined],
      [0, undefined],
    ],
  )
})

test('usage is told at the end, to those who asked', () => {
  assert.equal(voiceOf().end(ending), 'data: [DONE]\n\n')
  const text = voiceOf(true).end(ending)
  const [last] = dataOf(text)
  assert.deepEqual([last?.choices, last?.usage, last?.cost], [[], usage, ending.cost])
  assert.ok(text.endsWith('data: [DONE]\n\n'))
})

test('usage that a backend puts into a chunk with choices does not slip through', () => {
  const json = `${front}"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9}}`
  assert.ok(dataOf(voiceOf().piece(pieceOf(json))).every((chunk) => chunk.usage === undefined))
})

test('search results come before everything else, when the caller wants them in the stream', () => {
  const echo = { ...opening.echo, include_search_results_in_stream: true }
  const voice = chat.voice({ ...opening, echo }, { model: 'acme', messages: [] })
  const piece = { chunk: { choices: [{ index: 0, delta: { content: 'x' }, finish_reason: null }] } }
  const [first, second] = dataOf(voice.piece(piece))
  assert.deepEqual([first?.choices, first?.service_parameters], [[], { web_search_citations: [] }])
  assert.equal(second?.choices[0]?.delta.role, 'assistant')
  assert.equal(dataOf(voice.piece(piece)).length, 1)
})

test('a failure in mid-stream is an error object, and never [DONE]', () => {
  assert.equal(
    voiceOf().failed(fail('inferenceFailed', 'acme')),
    `data: ${JSON.stringify({ error: { message: fail('inferenceFailed', 'acme').message, type: 'server_error', param: null, code: 'INFERENCE_FAILED' } })}\n\n`,
  )
})
