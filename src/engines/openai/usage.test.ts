import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readUsage } from './usage.js'

const counts = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }
const parts = (fresh: number, cacheRead: number, cacheWrite: number, completion = 20, reasoning = 0) => ({
  fresh,
  cacheRead,
  cacheWrite,
  completion,
  reasoning,
})

test('cached tokens are taken out of the prompt, under every name they have', () => {
  assert.deepEqual(readUsage(counts), parts(100, 0, 0))
  assert.deepEqual(readUsage({ ...counts, prompt_tokens_details: { cached_tokens: 60 } }), parts(40, 60, 0))
  assert.deepEqual(
    readUsage({ ...counts, prompt_cache_hit_tokens: 60, prompt_cache_miss_tokens: 40 }),
    parts(40, 60, 0),
  )
  const written = { cached_tokens: 60, cache_creation_input_tokens: 30 }
  assert.deepEqual(readUsage({ ...counts, prompt_tokens_details: written }), parts(10, 60, 30))
  assert.deepEqual(readUsage({ ...counts, prompt_tokens_details: { cache_write_tokens: 30 } }), parts(70, 0, 30))
  assert.deepEqual(
    readUsage({ ...counts, prompt_tokens_details: null, completion_tokens_details: null }),
    parts(100, 0, 0),
  )
})

test('reasoning is a part of the completion, also where a server counts it beside', () => {
  const reasoned = { completion_tokens_details: { reasoning_tokens: 15 } }
  assert.deepEqual(readUsage({ ...counts, ...reasoned }), parts(100, 0, 0, 20, 15))
  assert.deepEqual(readUsage({ ...counts, ...reasoned, total_tokens: 135 }), parts(100, 0, 0, 35, 15))
})

test('embeddings have no completion', () => {
  assert.deepEqual(readUsage({ prompt_tokens: 9, total_tokens: 9 }), parts(9, 0, 0, 0))
})

test('what cannot be relied on is no usage', () => {
  for (const usage of [
    undefined,
    null,
    7,
    'x',
    {},
    { prompt_tokens: -1 },
    { prompt_tokens: 1.5 },
    { prompt_tokens: '7' },
  ])
    assert.equal(readUsage(usage), undefined)
  assert.equal(readUsage({ prompt_tokens: 1, completion_tokens: -1 }), undefined)
})

test('whatever a server claims, parts are never negative and add up to its totals', () => {
  const count = fc.oneof(fc.nat(200), fc.constantFrom<unknown>(-5, 1.5, null, 'x', undefined))
  const usage = fc.record({
    prompt_tokens: fc.nat(100),
    completion_tokens: fc.nat(100),
    prompt_tokens_details: fc.record({ cached_tokens: count, cache_creation_input_tokens: count }),
    completion_tokens_details: fc.record({ reasoning_tokens: count }),
    prompt_cache_hit_tokens: count,
  })
  fc.assert(
    fc.property(usage, (reported) => {
      const read = readUsage(reported)
      assert.ok(read)
      for (const part of Object.values(read)) assert.ok(Number.isSafeInteger(part) && part >= 0)
      assert.equal(read.fresh + read.cacheRead + read.cacheWrite, reported.prompt_tokens)
      assert.equal(read.completion, reported.completion_tokens)
      assert.ok(read.reasoning <= read.completion)
    }),
  )
})
