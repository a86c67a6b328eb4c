import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LlamaContextSequence, Token } from 'node-llama-cpp'
import { createSequencePool } from './sequence-pool.js'

const toTokens = (text: string) => [...text].map((character) => character.charCodeAt(0) as Token)

/** A sequence that remembers a text, one token per character. */
const remembering = (text: string) => {
  const compareContextTokens = (tokens: Token[]) => {
    const remembered = toTokens(text)
    const at = remembered.findIndex((token, index) => token !== tokens[index])
    return { firstDifferentIndex: at < 0 ? remembered.length : at }
  }
  return { text, nextTokenIndex: text.length, compareContextTokens } as unknown as LlamaContextSequence & {
    text: string
  }
}

const wish = (
  text: string,
  { cacheKey, signal = new AbortController().signal }: { cacheKey?: string; signal?: AbortSignal } = {},
) => ({
  tokens: toTokens(text),
  cacheKey,
  signal,
})

test('the place that remembers the longest beginning of the prompt is chosen', async () => {
  const pool = createSequencePool(['', 'hello', 'hello you', 'other'].map(remembering))
  const { sequence } = await pool.take(wish('hello you there'))
  assert.equal((sequence as { text?: string }).text, 'hello you')
})

test('a long memory is not thrown away for a short beginning', async () => {
  const pool = createSequencePool(['hello, this was a long talk', ''].map(remembering))
  const talk = await pool.take(wish('hello, this was a long talk'))
  talk.release()
  const { sequence } = await pool.take(wish('help'))
  assert.equal((sequence as { text?: string }).text, '')
})

test('between equal memories, the key decides, and then who was used the longest ago', async () => {
  const places = ['', ''].map(remembering)
  const pool = createSequencePool(places)
  const first = await pool.take(wish('a', { cacheKey: 'mine' }))
  const second = await pool.take(wish('b'))
  first.release()
  second.release()
  const again = await pool.take(wish('c', { cacheKey: 'mine' }))
  assert.equal(again.sequence, first.sequence)
  again.release()
  assert.equal((await pool.take(wish('d'))).sequence, second.sequence)
})

test('who waits is served in the order of arrival', async () => {
  const pool = createSequencePool([remembering('')])
  const served: string[] = []
  const running = await pool.take(wish('first'))
  const waiting = ['second', 'third'].map((name) =>
    pool.take(wish(name)).then(({ release }) => {
      served.push(name)
      release()
    }),
  )
  running.release()
  running.release()
  await Promise.all(waiting)
  assert.deepEqual(served, ['second', 'third'])
})

test('an aborted request leaves the line at once', async () => {
  const pool = createSequencePool([remembering('')])
  await pool.take(wish('first'))
  const controller = new AbortController()
  const waiting = pool.take(wish('second', { signal: controller.signal }))
  assert.equal(pool.waiting(), 1)
  controller.abort(new Error('gone'))
  assert.equal(pool.waiting(), 0)
  await assert.rejects(waiting, /gone/)
})

test('a line that is full refuses', async () => {
  const pool = createSequencePool([remembering('')], 1)
  await pool.take(wish('first'))
  void pool.take(wish('second'))
  await assert.rejects(async () => pool.take(wish('third')), { trouble: 'overloaded' })
})
