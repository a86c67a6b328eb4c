import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { neverStops } from '#plumbing/stop-signal.js'
import { EngineError } from '../engine-error.js'
import { createThreadPool, type ThreadPoolNeeds } from './pool.js'

const file = new URL('./fixtures/worker.js', import.meta.url)
const openPool = (needs: Partial<ThreadPoolNeeds> = {}) => createThreadPool({ file, name: 'the test', ...needs })
const shared = openPool()
after(() => shared.close())

const anyway = { signal: neverStops }
const trouble = (kind: string, message?: RegExp) => (error: unknown) =>
  error instanceof EngineError && error.trouble === kind && (message?.test(error.message) ?? true)
type Doubled = { bytes: Uint8Array; thread: number }

test('work is done in another thread, and buffers that are given change hands', async () => {
  const bytes = new Uint8Array(100_000).fill(21)
  const doubled = await shared.run<{ bytes: Uint8Array }, Doubled>('double', { bytes }, { ...anyway, gives: bytes })
  assert.equal(doubled.bytes[99_999], 42)
  assert.equal(bytes.byteLength, 0)
  assert.notEqual(doubled.thread, 0)
})

test('buffers that are not given stay', async () => {
  const bytes = new Uint8Array(10).fill(1)
  await shared.run('double', { bytes }, anyway)
  assert.equal(bytes[9], 1)
})

test('memory that cannot change hands is copied', async () => {
  const { bytes, several } = await shared.run<object, { bytes: Uint8Array; several: Uint8Array[] }>('lent', {}, anyway)
  assert.equal(bytes[99_999], 7)
  assert.equal(several[0]?.length, 100_000)
})

test('a refusal keeps its kind and its words; a bug is unavailable', async () => {
  await assert.rejects(
    shared.run('refuse', {}, anyway),
    (error) => trouble('refused')(error) && (error as EngineError).said === 'not this one',
  )
  await assert.rejects(shared.run('fault', {}, anyway), trouble('unavailable', /the test: a bug/))
})

test('who leaves is let go at once, the work stops, and the thread stays for the next', async () => {
  const pool = openPool()
  const { thread } = await pool.run<object, Doubled>('double', { bytes: new Uint8Array(1) }, anyway)
  const counter = new Int32Array(new SharedArrayBuffer(4))
  const leaving = new AbortController()
  const spinning = pool.run('spin', counter, { signal: leaving.signal })
  while (Atomics.load(counter, 0) === 0) await wait(5)
  leaving.abort(new Error('left'))
  await assert.rejects(spinning, /left/)
  const next = await pool.run<object, Doubled>('double', { bytes: new Uint8Array(1) }, anyway)
  assert.equal(next.thread, thread)
  await pool.close()
})

test('work that does not stop loses its thread, and the next work gets a new one', async () => {
  const pool = openPool({ stopPatienceMs: 50 })
  const leaving = new AbortController()
  const hanging = pool.run('hang', {}, { signal: leaving.signal })
  setTimeout(() => leaving.abort(new Error('left')), 100)
  await assert.rejects(hanging, /left/)
  assert.equal((await pool.run<object, Doubled>('double', { bytes: new Uint8Array(1) }, anyway)).bytes.length, 1)
  await pool.close()
})

test('a job that takes too long is a timeout', async () => {
  const pool = openPool({ limitMs: 300, stopPatienceMs: 1 })
  await assert.rejects(pool.run('hang', {}, anyway), trouble('timeout', /not finished after 300 ms/))
  await pool.close()
})

test('a thread that runs out of memory fails its work and nothing else', async () => {
  const pool = openPool({ heapMb: 32 })
  await assert.rejects(pool.run('hoard', {}, anyway), trouble('unavailable'))
  assert.equal((await pool.run<object, Doubled>('double', { bytes: new Uint8Array(1) }, anyway)).bytes.length, 1)
  await pool.close()
})

test('when too much waits, who comes is told so', async () => {
  const pool = openPool({ waitingMax: 1, stopPatienceMs: 1 })
  const leaving = new AbortController()
  const running = pool.run('hang', {}, { signal: leaving.signal }).catch(() => 'left')
  const waiting = pool.run('hang', {}, { signal: leaving.signal }).catch(() => 'left')
  await assert.rejects(pool.run('double', { bytes: new Uint8Array(1) }, anyway), trouble('overloaded'))
  leaving.abort()
  assert.deepEqual(await Promise.all([running, waiting]), ['left', 'left'])
  await pool.close()
})

test('closing lets the job that runs come to its end, and fails it and those that wait', async () => {
  const pool = openPool()
  const counter = new Int32Array(new SharedArrayBuffer(4))
  const running = assert.rejects(pool.run('spin', counter, anyway), trouble('unavailable', /closed/))
  const waiting = assert.rejects(pool.run('spin', counter, anyway), trouble('unavailable', /closed/))
  while (Atomics.load(counter, 0) === 0) await wait(5)
  await pool.close()
  await Promise.all([running, waiting])
  const stopped = Atomics.load(counter, 0)
  await wait(20)
  assert.equal(Atomics.load(counter, 0), stopped)
})

test('a thread without work ends, and a closed pool refuses', async () => {
  const pool = openPool({ idleMs: 20 })
  const run = () => pool.run<object, Doubled>('double', { bytes: new Uint8Array(1) }, anyway)
  const { thread } = await run()
  await wait(300)
  assert.notEqual((await run()).thread, thread)
  await pool.close()
  await assert.rejects(run(), trouble('unavailable', /closed/))
})
