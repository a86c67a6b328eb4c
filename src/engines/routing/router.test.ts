import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineError, type EngineTrouble } from '../engine-error.js'
import { createRouter } from './router.js'
import { RoutingFailure } from './routing-failure.js'
import type { Target } from './target.js'

type Engine = () => Promise<string>

/** A router that tries targets in the order of their weights, and a clock that moves only when told. */
const createSubject = ({ onPause }: { onPause?: () => void } = {}) => {
  let now = 0
  const asked: string[] = []
  const troubles: string[] = []
  const pausesMs: number[] = []
  const router = createRouter({
    clock: { nowMs: () => now },
    random: () => 0.5,
    breaker: { failuresMax: 2, pauseMinMs: 1_000, pauseMaxMs: 4_000 },
    pause: async (ms) => {
      pausesMs.push(ms)
      onPause?.()
    },
    onTrouble: (name, { trouble }) => troubles.push(`${name}: ${trouble}`),
  })
  const controller = new AbortController()
  return {
    asked,
    troubles,
    pausesMs,
    controller,
    passMs(ms: number) {
      now += ms
    },
    ask: (...targets: Target<Engine>[]) =>
      router.attempt(
        targets,
        undefined,
        ({ name, engine }) => {
          asked.push(name)
          return engine()
        },
        controller.signal,
      ),
  }
}

const target = (name: string, weight: number, engine: Engine): Target<Engine> => ({ name, model: 'm', weight, engine })
const answers = (name: string, weight: number) => target(name, weight, async () => `hello from ${name}`)
const fails = (
  name: string,
  weight: number,
  trouble: EngineTrouble,
  more: { retryAfterMs?: number; cause?: unknown } = {},
) =>
  target(name, weight, async () => {
    throw new EngineError(trouble, `${name} failed`, more)
  })
const withCode = (code: string) => Object.assign(new Error('socket'), { code })
const failureOf = async (promise: Promise<unknown>): Promise<RoutingFailure> => {
  const [result] = await Promise.allSettled([promise])
  assert.ok(result.status === 'rejected')
  assert.ok(result.reason instanceof RoutingFailure, String(result.reason))
  return result.reason
}

test('an engine inside this process is asked once, and never left alone for what others sent it', async () => {
  const { ask, asked, troubles, pausesMs } = createSubject()
  const local = { ...fails('ours', 1, 'unavailable'), isLocal: true }
  for (let times = 0; times < 5; times++) assert.equal((await failureOf(ask(local))).trouble, 'unavailable')
  assert.deepEqual([asked.length, troubles.length, pausesMs.length], [5, 5, 0])
})

test('the first target that answers is named, with the number of tries after the first', async () => {
  const { ask, asked, troubles } = createSubject()
  const routed = await ask(fails('a', 3, 'timeout'), fails('b', 2, 'broken'), answers('c', 1))
  assert.deepEqual(routed, { target: 'c', retries: 2, answer: 'hello from c' })
  assert.deepEqual(asked, ['a', 'b', 'c'])
  assert.deepEqual(troubles, ['a: timeout', 'b: broken'])
})

test('three tries are the most', async () => {
  const { ask, asked } = createSubject()
  const failure = await failureOf(
    ask(fails('a', 4, 'timeout'), fails('b', 3, 'timeout'), fails('c', 2, 'broken'), answers('d', 1)),
  )
  assert.deepEqual([failure.trouble, failure.message, failure.retries], ['broken', 'c failed', 2])
  assert.deepEqual(asked, ['a', 'b', 'c'])
})

test('what one target lacks another may have, and it is not held against the first', async () => {
  const { ask, troubles } = createSubject()
  for (let count = 0; count < 5; count += 1)
    assert.equal((await ask(fails('a', 3, 'unsupported'), answers('b', 1))).target, 'b')
  assert.equal((await failureOf(ask(fails('a', 1, 'unsupported')))).trouble, 'unsupported')
  assert.deepEqual(troubles, [])
})

for (const trouble of ['refused', 'tooLong'] as const)
  test(`an answer of "${trouble}" is final, and is not held against the target`, async () => {
    const { ask, asked, troubles } = createSubject()
    const failure = await failureOf(ask(fails('a', 3, 'timeout'), fails('b', 2, trouble), answers('c', 1)))
    assert.deepEqual([failure.trouble, failure.retries], [trouble, 1])
    for (let count = 0; count < 5; count += 1) await failureOf(ask(fails('b', 1, trouble)))
    assert.equal(asked.length, 7)
    assert.deepEqual(troubles, ['a: timeout'])
  })

test('an overload is told before other errors, with the shortest wait that anyone named', async () => {
  const { ask } = createSubject()
  const failure = await failureOf(
    ask(
      fails('a', 3, 'overloaded', { retryAfterMs: 9_000 }),
      fails('b', 2, 'unavailable', { retryAfterMs: 5_000 }),
      fails('c', 1, 'broken'),
    ),
  )
  assert.deepEqual([failure.trouble, failure.retryAfterMs, failure.retries], ['overloaded', 5_000, 2])
})

test('an ill target is passed over until its pause ends; then one request probes it', async () => {
  const { ask, asked, passMs } = createSubject()
  const ill = fails('a', 2, 'unavailable')
  for (let count = 0; count < 3; count += 1) assert.equal((await ask(ill, answers('b', 1))).target, 'b')
  assert.deepEqual(asked.splice(0), ['a', 'b', 'a', 'b', 'b'])
  passMs(1_000)
  assert.equal((await ask(answers('a', 2), answers('b', 1))).target, 'a')
  assert.equal((await ask(answers('a', 2), answers('b', 1))).target, 'a')
})

test('while one request probes, others go elsewhere', async () => {
  const { ask, passMs } = createSubject()
  for (let count = 0; count < 2; count += 1) await ask(fails('a', 2, 'unavailable'), answers('b', 1))
  passMs(1_000)
  const { promise, resolve } = withResolvers()
  const probe = ask(
    target('a', 2, () => promise),
    answers('b', 1),
  )
  assert.equal((await ask(answers('a', 2), answers('b', 1))).target, 'b')
  resolve('I am well')
  assert.equal((await probe).answer, 'I am well')
  assert.equal((await ask(answers('a', 2), answers('b', 1))).target, 'a')
})

test('when all are ill nobody is asked, and the caller is told when the first pause ends', async () => {
  const { ask, asked, passMs } = createSubject()
  const ill = [fails('a', 2, 'overloaded', { retryAfterMs: 3_000 }), fails('b', 1, 'timeout')] as const
  for (let count = 0; count < 2; count += 1) await failureOf(ask(...ill))
  asked.length = 0
  passMs(400)
  const failure = await failureOf(ask(...ill))
  assert.deepEqual([failure.trouble, failure.retryAfterMs, failure.retries], ['unavailable', 600, 0])
  const alone = await failureOf(ask(ill[0]))
  assert.deepEqual([alone.trouble, alone.retryAfterMs], ['overloaded', 2_600])
  assert.deepEqual(asked, [])
})

test('health belongs to a model of a target, not to the upstream', async () => {
  const { ask } = createSubject()
  for (let count = 0; count < 3; count += 1) await failureOf(ask(fails('a', 1, 'broken')))
  assert.equal((await ask({ ...answers('a', 1), model: 'other' })).target, 'a')
})

for (const code of ['ECONNREFUSED', 'ECONNRESET', 'UND_ERR_SOCKET'])
  test(`a lone target is asked a second time, after a short pause, when there was no connection: ${code}`, async () => {
    const { ask, pausesMs } = createSubject()
    let tries = 0
    const recovering = target('a', 1, async () => {
      tries += 1
      if (tries === 1) throw new EngineError('unavailable', 'no connection', { cause: withCode(code) })
      return 'hello'
    })
    assert.deepEqual(await ask(recovering), { target: 'a', retries: 1, answer: 'hello' })
    assert.deepEqual(pausesMs, [100])
  })

test('a lone target that is overloaded for a moment is asked again when the moment is over, and only once', async () => {
  const { ask, asked, pausesMs } = createSubject()
  const failure = await failureOf(ask(fails('a', 1, 'overloaded', { retryAfterMs: 700 })))
  assert.deepEqual([failure.retries, failure.retryAfterMs], [1, 700])
  assert.deepEqual([asked, pausesMs], [['a', 'a'], [700]])
})

for (const [trouble, more] of [
  ['overloaded', { retryAfterMs: 5_000 }],
  ['overloaded', {}],
  ['unavailable', {}],
  ['timeout', { cause: withCode('ECONNRESET') }],
  ['broken', { cause: withCode('ECONNRESET') }],
] as const)
  test(`a lone target is not asked again when it may have worked already, or for long: ${trouble} ${Object.keys(more)}`, async () => {
    const { ask, asked } = createSubject()
    assert.equal((await failureOf(ask(fails('a', 1, trouble, more)))).retries, 0)
    assert.deepEqual(asked, ['a'])
  })

test('the last healthy target is a lone target when the others pause', async () => {
  const { ask, asked } = createSubject()
  for (let count = 0; count < 2; count += 1) await failureOf(ask(fails('b', 1, 'broken')))
  asked.length = 0
  await failureOf(ask(fails('a', 2, 'unavailable', { cause: withCode('ECONNREFUSED') }), answers('b', 1)))
  assert.deepEqual(asked, ['a', 'a'])
})

test('a caller who leaves ends the tries, and it is held against nobody', async () => {
  const { ask, asked, troubles, controller } = createSubject()
  const reason = new Error('the caller left')
  const leaves = target('a', 2, async () => {
    controller.abort(reason)
    throw new EngineError('unavailable', 'aborted')
  })
  await assert.rejects(ask(leaves, answers('b', 1)), reason)
  await assert.rejects(ask(answers('b', 1)), reason)
  assert.deepEqual([asked, troubles], [['a'], []])
})

test('a caller who leaves during the pause before a second try ends it', async () => {
  const reason = new Error('the caller left')
  const subject = createSubject({ onPause: () => subject.controller.abort(reason) })
  await assert.rejects(subject.ask(fails('a', 1, 'overloaded', { retryAfterMs: 1 })), reason)
  assert.deepEqual(subject.asked, ['a'])
})

test('a bug is thrown as it is, ends the tries and keeps no probe waiting', async () => {
  const { ask, passMs } = createSubject()
  for (let count = 0; count < 2; count += 1) await failureOf(ask(fails('a', 1, 'broken')))
  passMs(1_000)
  const bug = new TypeError('a bug')
  const buggy = target('a', 1, async () => {
    throw bug
  })
  await assert.rejects(ask(buggy, answers('b', 0)), bug)
  assert.equal((await ask(answers('a', 1))).target, 'a')
})

const withResolvers = () => {
  let resolve: (value: string) => void = assert.fail
  const promise = new Promise<string>((accept) => {
    resolve = accept
  })
  return { promise, resolve }
}
