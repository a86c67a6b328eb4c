import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChoiceDelta, TextPiece, TokenUsage } from '#engines/text.js'
import { createTally, tallyAnswer } from './tally.js'

const piece = (delta: ChoiceDelta, usage?: TokenUsage): TextPiece => ({
  chunk: { choices: [{ index: 0, delta, finish_reason: null }] },
  usage,
})
const usageOf = (completion: number): TokenUsage => ({
  fresh: 5,
  cacheRead: 3,
  cacheWrite: 0,
  completion,
  reasoning: 0,
})
const tallyOf = (...pieces: TextPiece[]) => {
  const tally = createTally(100)
  for (const each of pieces) tally.add(each)
  return tally
}

test('what the engine says at the end is what counts', () => {
  const tally = tallyOf(piece({ content: 'Hi' }), { chunk: { choices: [] }, usage: usageOf(7) })
  assert.deepEqual(tally.result(true), { usage: usageOf(7), countedBy: 'upstream' })
})

test('without a word from the engine, small pieces are tokens and large ones are measured', () => {
  const small = tallyOf(
    piece({ role: 'assistant', content: '' }),
    piece({ content: 'One' }),
    piece({ content: ' two' }),
  )
  assert.deepEqual(small.result(true), {
    usage: { fresh: 100, cacheRead: 0, cacheWrite: 0, completion: 2, reasoning: 0 },
    countedBy: 'estimate',
  })
  const large = tallyOf(piece({ content: 'a'.repeat(4_000) }))
  assert.equal(large.result(true).usage.completion, 1_000)
})

test('thinking and tool calls are written, too', () => {
  const tally = tallyOf(
    piece({ reasoning_content: 'hm' }),
    piece({ content: 'yes' }),
    piece({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] }),
  )
  assert.deepEqual([tally.result(false).usage.completion, tally.result(false).usage.reasoning], [3, 1])
})

test('a caller who leaves pays for the prompt as the engine counted it and for what was written since', () => {
  const tally = tallyOf(piece({ content: 'One' }, usageOf(0)), piece({ content: ' two' }))
  assert.deepEqual(tally.result(false), { usage: { ...usageOf(2) }, countedBy: 'estimate' })
})

test('an engine that counts as it goes is believed when the caller leaves', () => {
  const tally = tallyOf(piece({ content: 'One' }, usageOf(1)), piece({ content: ' two' }, usageOf(2)))
  assert.deepEqual(tally.result(false), { usage: usageOf(2), countedBy: 'running stats' })
})

test('a whole answer without usage is measured', () => {
  const message = { role: 'assistant', content: 'x'.repeat(40), reasoning_content: 'y'.repeat(20) } as const
  assert.deepEqual(tallyAnswer([{ index: 0, finish_reason: 'stop', message }], 9), {
    fresh: 9,
    cacheRead: 0,
    cacheWrite: 0,
    completion: 15,
    reasoning: 5,
  })
})
