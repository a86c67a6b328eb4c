import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from '../../../test/random.js'
import { inOrder } from './order.js'

const target = (name: string, weight: number) => ({ name, model: 'm', weight, engine: undefined })
const seeded = (seed: number) => {
  const { below } = createRandom(seed)
  return () => below(2 ** 32) / 2 ** 32
}
const unused = () => assert.fail('a cache key leaves nothing to chance')
const keys = Array.from({ length: 20_000 }, (_, index) => `conversation ${index}`)
const a = target('a', 1)
const b = target('b', 3)
const c = target('c', 6)
const namesOf = (targets: { name: string }[]) => targets.map(({ name }) => name)

/** How often each order came, as a share of all. */
const shares = (orders: string[]) => {
  const counts = new Map<string, number>()
  for (const order of orders) counts.set(order, (counts.get(order) ?? 0) + 1)
  return (order: string) => (counts.get(order) ?? 0) / orders.length
}
const isNear = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) < 0.012, `${actual} is not near ${expected}`)

test('without a cache key each is first as often as its weight says, and second as its weight among the rest', () => {
  const random = seeded(7)
  const orders = keys.map(() => namesOf(inOrder([a, b, c], undefined, random)))
  const first = shares(orders.map(([name]) => name!))
  isNear(first('a'), 0.1)
  isNear(first('b'), 0.3)
  isNear(first('c'), 0.6)
  const firstTwo = shares(orders.map(([one, two]) => `${one}${two}`))
  isNear(firstTwo('cb'), (0.6 * 3) / 4)
  isNear(firstTwo('ca'), (0.6 * 1) / 4)
})

test('a cache key always has the same order, whatever the order of the configuration', () => {
  for (const key of keys.slice(0, 100))
    assert.deepEqual(namesOf(inOrder([a, b, c], key, unused)), namesOf(inOrder([c, a, b], key, unused)))
})

test('cache keys are shared out by weight', () => {
  const first = shares(keys.map((key) => inOrder([a, b, c], key, unused)[0]!.name))
  isNear(first('a'), 0.1)
  isNear(first('b'), 0.3)
  isNear(first('c'), 0.6)
})

test('a target that is added takes its share of the cache keys from everybody, and no other key moves', () => {
  const d = target('d', 10)
  let moved = 0
  for (const key of keys) {
    const before = inOrder([a, b, c], key, unused)[0]
    const after = inOrder([a, b, c, d], key, unused)[0]
    if (after === before) continue
    assert.equal(after, d)
    moved += 1
  }
  isNear(moved / keys.length, 0.5)
})

test('two models of one upstream are two targets', () => {
  const one = { ...a, model: 'one' }
  const other = { ...a, model: 'other' }
  const first = shares(keys.map((key) => inOrder([one, other], key, unused)[0]!.model))
  isNear(first('one'), 0.5)
})

test('a target of weight 0 is a spare and comes last; several of them keep their order', () => {
  const spares = [target('spare', 0), target('second spare', 0)]
  const random = seeded(8)
  for (const cacheKey of [undefined, 'a key'])
    for (let round = 0; round < 100; round += 1)
      assert.deepEqual(namesOf(inOrder([...spares, a], cacheKey, random)), ['a', 'spare', 'second spare'])
})
