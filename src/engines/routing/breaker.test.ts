import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineError, type EngineTrouble } from '../engine-error.js'
import { createBreaker } from './breaker.js'

const createSubject = () => {
  let now = 0
  const breaker = createBreaker({
    clock: { nowMs: () => now },
    settings: { failuresMax: 3, pauseMinMs: 1_000, pauseMaxMs: 5_000 },
  })
  return {
    breaker,
    passMs(ms: number) {
      now += ms
    },
    admit: () => breaker.admit() ?? assert.fail('it is left alone'),
    fail(trouble: EngineTrouble = 'unavailable', retryAfterMs?: number) {
      const pass = breaker.admit() ?? assert.fail('it is left alone')
      pass.failed(new EngineError(trouble, 'failed', retryAfterMs === undefined ? {} : { retryAfterMs }))
    },
  }
}
const error = new EngineError('unavailable', 'failed')

test('it is left alone after several failures in a row, for a pause', () => {
  const { breaker, fail, passMs } = createSubject()
  fail()
  fail('timeout')
  assert.equal(breaker.waitMs(), 0)
  fail('broken')
  assert.equal(breaker.waitMs(), 1_000)
  passMs(999)
  assert.equal(breaker.admit(), undefined)
  passMs(1)
  assert.ok(breaker.admit())
})

test('a success between the failures begins the count anew', () => {
  const { breaker, fail, admit } = createSubject()
  fail()
  fail()
  admit().succeeded()
  fail()
  fail()
  assert.equal(breaker.waitMs(), 0)
})

test('what tells nothing about the target neither counts nor begins the count anew', () => {
  const { breaker, fail, admit } = createSubject()
  fail()
  fail()
  admit().released()
  assert.equal(breaker.waitMs(), 0)
  fail()
  assert.equal(breaker.waitMs(), 1_000)
})

test('after the pause exactly one request probes, and its success lets everybody in', () => {
  const { breaker, fail, passMs, admit } = createSubject()
  for (let count = 0; count < 3; count += 1) fail()
  passMs(1_000)
  const probe = admit()
  assert.equal(breaker.admit(), undefined)
  assert.equal(breaker.waitMs(), 1_000, 'who is turned away may come back when the probe has told')
  probe.succeeded()
  assert.ok(breaker.admit())
  assert.ok(breaker.admit())
})

test('each probe that fails doubles the pause up to its bound, and a success makes it short again', () => {
  const { breaker, fail, passMs, admit } = createSubject()
  for (let count = 0; count < 3; count += 1) fail()
  for (const pauseMs of [1_000, 2_000, 4_000, 5_000, 5_000]) {
    assert.equal(breaker.waitMs(), pauseMs)
    passMs(pauseMs)
    fail()
  }
  passMs(5_000)
  admit().succeeded()
  for (let count = 0; count < 3; count += 1) fail()
  assert.equal(breaker.waitMs(), 1_000)
})

test('a probe whose caller leaves makes room for the next probe', () => {
  const { breaker, fail, passMs, admit } = createSubject()
  for (let count = 0; count < 3; count += 1) fail()
  passMs(1_000)
  admit().released()
  const probe = admit()
  assert.equal(breaker.admit(), undefined)
  probe.failed(error)
  assert.equal(breaker.waitMs(), 2_000)
})

test('a probe whose answer begins lets others in, and one more failure before a success is enough for a longer pause', () => {
  const { breaker, fail, passMs, admit } = createSubject()
  for (let count = 0; count < 3; count += 1) fail()
  passMs(1_000)
  const probe = admit()
  probe.began()
  assert.equal(breaker.waitMs(), 0)
  probe.failed(error)
  assert.equal(breaker.waitMs(), 2_000)
})

test('requests that fail together are one reason to pause, and those that began before the pause are old news', () => {
  const { breaker, passMs, admit } = createSubject()
  const passes = Array.from({ length: 10 }, admit)
  for (const pass of passes.slice(0, 8)) pass.failed(error)
  assert.equal(breaker.waitMs(), 1_000)
  passes[8]!.succeeded()
  assert.equal(breaker.waitMs(), 1_000, 'a late success does not end the pause')
  passMs(1_000)
  const probe = admit()
  passes[9]!.released()
  assert.equal(breaker.admit(), undefined, 'and nothing old takes the place of the probe')
  probe.succeeded()
})

test('only the first thing that is said about a request counts', () => {
  const { breaker, admit } = createSubject()
  const pass = admit()
  for (let count = 0; count < 3; count += 1) pass.failed(error)
  assert.equal(breaker.waitMs(), 0)
})

test('a target that has too much to do is left alone for as long as it asks, within the bounds', () => {
  for (const [askedMs, pauseMs] of [
    [2_500, 2_500],
    [0, 1_000],
    [3_600_000, 5_000],
  ] as const) {
    const { breaker, fail } = createSubject()
    fail('overloaded')
    fail('overloaded')
    fail('overloaded', askedMs)
    assert.equal(breaker.waitMs(), pauseMs)
    assert.ok(breaker.isOverloaded())
  }
})
