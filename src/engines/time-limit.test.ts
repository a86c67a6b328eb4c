import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { createStop, type StopSignal } from '#plumbing/stop-signal.js'
import { EngineError } from './engine-error.js'
import type { TextEngine } from './text.js'
import { limitEmbedding, limitText } from './time-limit.js'

const untilStopped = (signal: StopSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })

/** Says one word, and then nothing for ever. */
const hanging: TextEngine = {
  answer: ({ signal }) => untilStopped(signal),
  async *stream({ signal }) {
    yield [{ chunk: { choices: [{ index: 0, delta: { content: 'Well' }, finish_reason: null }] } }]
    await untilStopped(signal)
  },
}
const request = { messages: [], max_completion_tokens: 1 }

const withTimers = (run: () => Promise<void>) => async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    await run()
  } finally {
    mock.timers.reset()
  }
}
const isTimeout = (error: unknown) => error instanceof EngineError && error.trouble === 'timeout'

test(
  'an engine that never ends is stopped when the time is up, whole or in mid-stream',
  withTimers(async () => {
    const { signal } = createStop()
    const call = { model: 'm', request, signal }
    const whole = limitText(hanging, 1_000).answer(call)
    const vectors = limitEmbedding({ embed: (each) => untilStopped(each.signal) }, 1_000).embed({ ...call, texts: [] })
    const pieces = limitText(hanging, 1_000).stream(call)[Symbol.asyncIterator]()
    assert.equal((await pieces.next()).done, false)
    const next = pieces.next()
    mock.timers.tick(1_000)
    for (const late of [whole, vectors, next]) await assert.rejects(late, isTimeout)
  }),
)

test('a caller who leaves is not a timeout', async () => {
  const { signal, stop } = createStop()
  const whole = limitText(hanging, 60_000).answer({ model: 'm', request, signal })
  stop()
  await assert.rejects(whole, { name: 'AbortError' })
})
