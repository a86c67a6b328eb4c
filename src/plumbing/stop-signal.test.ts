import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStop, neverStops, toAbortSignal } from './stop-signal.js'

test('listeners are told once, and only those that still listen', () => {
  const { signal, stop } = createStop()
  const told: string[] = []
  const gone = () => void told.push('gone')
  signal.addEventListener('abort', gone)
  signal.addEventListener('abort', () => void told.push('here'))
  signal.removeEventListener('abort', gone)
  signal.throwIfAborted()
  stop()
  stop()
  assert.deepEqual(told, ['here'])
  assert.ok(signal.aborted)
  assert.throws(() => signal.throwIfAborted(), { name: 'AbortError' })
})

test('it becomes an AbortSignal where one is needed, before or after it fires', () => {
  const { signal, stop } = createStop()
  const early = toAbortSignal(signal)
  assert.equal(early.aborted, false)
  stop()
  for (const real of [early, toAbortSignal(signal)]) {
    assert.ok(real.aborted)
    assert.equal(real.reason, signal.reason)
  }
  const own = new AbortController().signal
  assert.equal(toAbortSignal(own), own)
  assert.equal(neverStops.aborted, false)
})
