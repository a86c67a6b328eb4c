import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineError } from '../engine-error.js'
import { createModelShelf } from './model-shelf.js'

/** A shelf whose models are names, and whose time the test moves. */
const createSubject = ({ loadedMax = 2 } = {}) => {
  const log: string[] = []
  const timers = new Map<() => void, number>()
  let now = 0
  let failures = 0
  const shelf = createModelShelf({
    async load(name) {
      log.push(`load ${name}`)
      if (failures-- > 0) throw new EngineError('unavailable', 'no memory')
      return { name, dispose: async () => void log.push(`unload ${name}`) }
    },
    loadedMax,
    idleMs: 1000,
    clock: { nowMs: () => now },
    schedule(work, delayMs) {
      timers.set(work, now + delayMs)
      return () => timers.delete(work)
    },
    onTrouble: (what) => log.push(what),
  })
  return {
    shelf,
    log,
    failNext: () => {
      failures = 1
    },
    async use(name: string) {
      const { giveBack } = await shelf.take(name)
      giveBack()
    },
    async pass(ms: number) {
      now += ms
      for (const [work, at] of [...timers]) if (at <= now && timers.delete(work)) work()
      await new Promise(setImmediate)
    },
  }
}

test('a model is loaded once, however many ask for it at the same time', async () => {
  const { shelf, log } = createSubject()
  await Promise.all([shelf.take('a'), shelf.take('a'), shelf.take('a')])
  assert.deepEqual(log, ['load a'])
})

test('a model that nobody used for a while is unloaded; each use starts the while again', async () => {
  const { use, pass, log } = createSubject()
  await use('a')
  await pass(900)
  await use('a')
  await pass(900)
  assert.deepEqual(log, ['load a'])
  await pass(100)
  assert.deepEqual(log, ['load a', 'unload a'])
})

test('a model in use is not unloaded', async () => {
  const { shelf, pass, log } = createSubject()
  await shelf.take('a')
  await pass(100_000)
  assert.deepEqual(log, ['load a'])
})

test('the least recently used model makes room for another, before that one is loaded', async () => {
  const { use, pass, log } = createSubject()
  await use('a')
  await pass(1)
  await use('b')
  await pass(1)
  await use('a')
  await use('c')
  assert.deepEqual(log, ['load a', 'load b', 'unload b', 'load c'])
})

test('when all models that fit are busy, another one is refused as overloaded', async () => {
  const { shelf } = createSubject({ loadedMax: 1 })
  const { giveBack } = await shelf.take('a')
  await assert.rejects(shelf.take('b'), { trouble: 'overloaded' })
  giveBack()
  await shelf.take('b')
  assert.deepEqual(shelf.loaded(), ['b'])
})

test('a model that failed to load is tried again by the next request', async () => {
  const { shelf, failNext, log } = createSubject()
  failNext()
  await assert.rejects(shelf.take('a'), { trouble: 'unavailable' })
  await shelf.take('a')
  assert.deepEqual(log, ['load a', 'load a'])
})

test('closing unloads everything, and then nothing is lent any more', async () => {
  const { shelf, use, log } = createSubject()
  await use('a')
  await shelf.close()
  assert.deepEqual(log, ['load a', 'unload a'])
  await assert.rejects(shelf.take('a'), { trouble: 'unavailable' })
})
