import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineError } from '../engine-error.js'
import type { ChoiceDelta, TextCall, TextEngine, TextPiece } from '../text.js'
import { createRouter } from './router.js'
import { RoutingFailure } from './routing-failure.js'
import type { Target } from './target.js'

type Step = TextPiece[] | Error

const piece = (delta: ChoiceDelta, more: Partial<TextPiece['chunk']['choices'][number]> = {}): TextPiece => ({
  chunk: { choices: [{ index: 0, delta, finish_reason: null, ...more }] },
})
const role = [piece({ role: 'assistant', content: '' })]
const ping: TextPiece[] = []
const hello = [piece({ content: 'Hello' })]
const world = [piece({ content: ' world' }), piece({}, { finish_reason: 'stop' })]
const usage = { fresh: 1, cacheRead: 0, cacheWrite: 0, completion: 0, reasoning: 0 }
const usageAlone: TextPiece[] = [{ chunk: { choices: [] }, usage }]
const lost = new EngineError('unavailable', 'connection lost')

const createSubject = () => {
  let now = 0
  const opened: string[] = []
  const closed: string[] = []
  const troubles: string[] = []
  const router = createRouter({
    clock: { nowMs: () => now },
    random: () => 0.5,
    breaker: { failuresMax: 2, pauseMinMs: 1_000, pauseMaxMs: 4_000 },
    pause: async () => {},
    onTrouble: (name, { trouble }) => troubles.push(`${name}: ${trouble}`),
  })
  const says = (name: string, weight: number, ...steps: Step[]): Target<TextEngine> => ({
    name,
    model: `${name}-model`,
    weight,
    engine: {
      answer: async ({ model }) => ({
        choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: `I am ${model}` } }],
        usage: undefined,
      }),
      stream({ model }: TextCall) {
        opened.push(model)
        const rest = [...steps]
        return {
          [Symbol.asyncIterator]: () => ({
            async next() {
              const step = rest.shift()
              if (step instanceof Error) throw step
              return step === undefined ? { done: true, value: undefined } : { done: false, value: step }
            },
            async return() {
              closed.push(name)
              return { done: true, value: undefined }
            },
          }),
        }
      },
    },
  })
  const controller = new AbortController()
  const call = {
    request: { messages: [{ role: 'user' as const, content: 'Hi' }], max_completion_tokens: 9 },
    signal: controller.signal,
  }
  return {
    opened,
    closed,
    troubles,
    controller,
    says,
    passMs(ms: number) {
      now += ms
    },
    stream: (...targets: Target<TextEngine>[]) => router.stream(targets, call),
    answer: (...targets: Target<TextEngine>[]) => router.answer(targets, call),
  }
}

const collect = async (pieces: AsyncIterable<TextPiece[]>) => {
  const all: TextPiece[][] = []
  for await (const together of pieces) all.push(together)
  return all
}

test('a whole answer is asked for by the name that the model has at the target', async () => {
  const { answer, says } = createSubject()
  const routed = await answer(says('a', 1))
  assert.deepEqual([routed.target, routed.retries, routed.answer.choices[0]?.message.content], ['a', 0, 'I am a-model'])
})

test('pieces come unchanged and in order, those that were held back first', async () => {
  const { stream, says } = createSubject()
  const { target, retries, pieces } = await stream(says('a', 1, role, ping, hello, world))
  assert.deepEqual([target, retries], ['a', 0])
  const all = await collect(pieces)
  for (const [index, expected] of [role, ping, hello, world].entries()) assert.equal(all[index], expected)
  assert.equal(all.length, 4)
})

test('a stream that fails before it said anything is closed, forgotten and begun anew elsewhere', async () => {
  const { stream, says, closed, opened, troubles } = createSubject()
  const { target, retries, pieces } = await stream(
    says('a', 3, role, ping, lost),
    says('b', 2, role),
    says('c', 1, hello, world),
  )
  assert.deepEqual([target, retries], ['c', 2])
  assert.deepEqual(await collect(pieces), [hello, world])
  assert.deepEqual(opened, ['a-model', 'b-model', 'c-model'])
  assert.deepEqual(closed, ['a', 'b'])
  assert.deepEqual(troubles, ['a: unavailable', 'b: broken'], 'to end without a word is a failure, too')
})

for (const [what, first] of [
  ['content', [piece({ content: 'H' })]],
  ['reasoning', [piece({ reasoning_content: 'Hm' })]],
  ['a detail of reasoning', [piece({ reasoning_details: [{ type: 'thinking', text: 'Hm' }] })]],
  ['a tool call', [piece({ tool_calls: [{ index: 0, id: 'call_1' }] })]],
  ['a finish reason', [piece({}, { finish_reason: 'stop' })]],
  ['logprobs', [piece({}, { logprobs: { content: [{ token: 'H', logprob: -1 }] } })]],
  ['a field that we do not know', [piece({ refusal: 'No' })]],
] as const)
  test(`${what} commits to a target: later errors reach the caller`, async () => {
    const { stream, says, opened, closed, troubles } = createSubject()
    const { target, pieces } = await stream(says('a', 2, role, [...first], lost), says('b', 1, hello))
    assert.equal(target, 'a')
    const iterator = pieces[Symbol.asyncIterator]()
    assert.deepEqual((await iterator.next()).value, role)
    assert.deepEqual((await iterator.next()).value, first)
    await assert.rejects(iterator.next(), lost)
    assert.deepEqual(await iterator.next(), { done: true, value: undefined })
    assert.deepEqual([opened, closed, troubles], [['a-model'], ['a'], ['a: unavailable']])
  })

for (const [what, first] of [
  ['a role', role],
  ['an empty delta', [piece({ content: null, reasoning_content: '', tool_calls: [], reasoning_details: [] })]],
  ['empty logprobs', [piece({}, { logprobs: { content: [] } })]],
  ['usage alone', usageAlone],
] as const)
  test(`${what} does not commit to a target`, async () => {
    const { stream, says } = createSubject()
    assert.equal((await stream(says('a', 2, [...first], lost), says('b', 1, hello))).target, 'b')
  })

test('what is held back does not grow for ever', async () => {
  const { stream, says } = createSubject()
  const { target } = await stream(says('a', 2, ...Array(1_000).fill(ping), lost), says('b', 1, hello))
  assert.equal(target, 'a')
})

test('leaving the pieces closes the stream, even before the first one was read', async () => {
  const { stream, says, closed, troubles } = createSubject()
  for await (const _ of (await stream(says('a', 1, role, hello, world))).pieces) break
  assert.deepEqual(closed, ['a'])
  const { pieces } = await stream(says('b', 1, role, hello, world))
  const iterator = pieces[Symbol.asyncIterator]()
  await iterator.return?.()
  assert.deepEqual(closed, ['a', 'b'])
  assert.deepEqual(await iterator.next(), { done: true, value: undefined })
  assert.deepEqual(troubles, [])
})

test('streams that break in the middle make a target ill, as those do that never begin', async () => {
  const { stream, says, passMs } = createSubject()
  for (let count = 0; count < 2; count += 1)
    await assert.rejects(collect((await stream(says('a', 1, hello, lost))).pieces), lost)
  const failure = await stream(says('a', 1, hello)).catch((error) => error)
  assert.ok(failure instanceof RoutingFailure)
  assert.deepEqual([failure.trouble, failure.retryAfterMs], ['unavailable', 1_000])
  passMs(1_000)
  const probe = await stream(says('a', 1, hello, world))
  await collect((await stream(says('a', 1, hello, world))).pieces)
  await collect(probe.pieces)
})

test('a caller who leaves before the first word closes the stream, and it is held against nobody', async () => {
  const { stream, says, controller, closed, troubles } = createSubject()
  const reason = new Error('the caller left')
  const left = says('a', 2, role, lost)
  const open = left.engine.stream
  left.engine.stream = (call) => {
    controller.abort(reason)
    return open(call)
  }
  await assert.rejects(stream(left, says('b', 1, hello)), reason)
  assert.deepEqual([closed, troubles], [['a'], []])
})

test('a caller who leaves in the middle gets the reason of the signal', async () => {
  const { stream, says, controller, closed, troubles } = createSubject()
  const { pieces } = await stream(says('a', 1, hello, lost))
  const iterator = pieces[Symbol.asyncIterator]()
  await iterator.next()
  const reason = new Error('the caller left')
  controller.abort(reason)
  await assert.rejects(iterator.next(), reason)
  assert.deepEqual([closed, troubles], [['a'], []])
})
