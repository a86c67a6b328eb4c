import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { priceOf } from '#ledger/bill.js'
import { textModel } from '../../../test/text-model.js'
import { chatUsage, outputLine, promptLines, textLines } from './text-bill.js'

const plain = textModel('contextTokens: 1000, pricing: { input: "3", output: "7" }')
const cached = textModel(`contextTokens: 1000,
  pricing: { input: "3", output: "7", cache_input: "1", cache_write: "4",
             extended: { context_token_threshold: 500, input: "6", output: "14", cache_input: "2", cache_write: "8" } }`)

test('each part has its line and its price, and nothing is billed twice', () => {
  const lines = textLines(cached, { fresh: 10, cacheRead: 20, cacheWrite: 30, completion: 40, reasoning: 15 })
  assert.deepEqual(
    lines.map(({ sku, part, quantity, usdPerMillion }) => [sku, part, quantity, usdPerMillion]),
    [
      ['it-llm-input-mtoken', 'Input', 10n, 3_000_000_000n],
      ['it-llm-cache-read-mtoken', 'Cache Read', 20n, 1_000_000_000n],
      ['it-llm-cache-write-mtoken', 'Cache Write', 30n, 4_000_000_000n],
      ['it-llm-output-mtoken', 'Output', 40n, 7_000_000_000n],
    ],
  )
  assert.equal(priceOf(lines).usd, 10n * 3_000n + 20n * 1_000n + 30n * 4_000n + 40n * 7_000n)
})

test('a model without cache prices charges cached tokens as prompt', () => {
  const lines = textLines(plain, { fresh: 1, cacheRead: 2, cacheWrite: 3, completion: 0, reasoning: 0 })
  assert.equal(priceOf(lines).usd, 6n * 3_000n)
})

test('beyond the threshold the extended prices hold for the whole request', () => {
  const usage = { fresh: 100, cacheRead: 400, cacheWrite: 1, completion: 10, reasoning: 0 }
  assert.equal(priceOf(textLines(cached, usage)).usd, 100n * 6_000n + 400n * 2_000n + 8_000n + 10n * 14_000n)
  assert.equal(
    priceOf(textLines(cached, { ...usage, cacheWrite: 0 })).usd,
    100n * 3_000n + 400n * 1_000n + 10n * 7_000n,
  )
})

test('what is held for the longest prompt and answer is never less than what is charged', () => {
  const count = fc.nat(400)
  fc.assert(
    fc.property(count, count, count, count, fc.nat(200), (fresh, cacheRead, cacheWrite, completion, spare) => {
      for (const model of [plain, cached]) {
        const most = fresh + cacheRead + cacheWrite + spare
        const held = priceOf([...promptLines(model, most), outputLine(model, most, completion + spare)])
        const charged = priceOf(textLines(model, { fresh, cacheRead, cacheWrite, completion, reasoning: 0 }))
        assert.ok(held.usd >= charged.usd)
      }
    }),
  )
})

test('callers see cached tokens as prompt and reasoning as completion', () => {
  assert.deepEqual(chatUsage({ fresh: 1, cacheRead: 2, cacheWrite: 3, completion: 4, reasoning: 1 }), {
    prompt_tokens: 6,
    completion_tokens: 4,
    total_tokens: 10,
    prompt_tokens_details: { cached_tokens: 2, cache_creation_input_tokens: 3 },
    completion_tokens_details: { reasoning_tokens: 1 },
  })
})
