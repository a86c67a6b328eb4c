import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseNode } from './choose-node.js'
import type { HttpNode } from './http-node.js'

type Trait = { ms?: number; isPaused?: boolean; isBusy?: boolean; lacks?: string }

const nodeWith = ({ ms, isPaused = false, isBusy = false, lacks }: Trait) =>
  ({
    breaker: { waitMs: () => (isPaused ? 1_000 : 0) },
    health: { score: () => ms },
    avoidedUntilMs: isBusy ? 2_000 : 0,
    lacking: new Map(lacks === undefined ? [] : [[lacks, 2_000]]),
  }) as unknown as HttpNode

const choose = (
  traits: Trait[],
  more: { random?: number; lagging?: number[]; older?: number[]; tried?: number[] } = {},
) => {
  const nodes = traits.map(nodeWith)
  const { random = 0, lagging = [], older = [], tried = [] } = more
  const isIn = (places: number[]) => (node: HttpNode) => places.includes(nodes.indexOf(node))
  const chosen = chooseNode({
    nodes,
    nowMs: 1_000,
    method: 'eth_call',
    random: () => random,
    isLagging: isIn(lagging),
    isOlder: isIn(older),
    mayAsk: (node) => !isIn(tried)(node),
  })
  return chosen === undefined ? undefined : nodes.indexOf(chosen)
}

test('a slow node is not chosen while another is fast; of those that are about as fast, any may be', () => {
  const traits = [{ ms: 300 }, { ms: 20 }, { ms: 25 }]
  assert.deepEqual(
    [0, 0.4, 0.6, 0.99].map((random) => choose(traits, { random })),
    [1, 1, 2, 2],
  )
})

test('a node of which nothing is known yet is tried', () => {
  assert.equal(choose([{ ms: 20 }, {}], { random: 0.99 }), 1)
})

test('one that lags, lacks the method, is busy or may be older is asked only if there is no better one, in this order', () => {
  const slow = { ms: 900 }
  const fast = { ms: 10 }
  assert.equal(choose([fast, slow], { lagging: [0] }), 1)
  assert.equal(choose([fast, { ...slow, lacks: 'eth_call' }], { lagging: [0] }), 1)
  assert.equal(
    choose([
      { ...fast, lacks: 'eth_call' },
      { ...slow, isBusy: true },
    ]),
    1,
  )
  assert.equal(choose([{ ...fast, isBusy: true }, slow], { older: [1] }), 1)
  assert.equal(choose([fast, slow], { older: [0] }), 1)
  assert.equal(choose([fast], { lagging: [0], older: [0] }), 0)
})

test('one that was tried, or is left alone after failures, is not chosen at all', () => {
  assert.equal(choose([{ ms: 10, isPaused: true }, { ms: 900 }]), 1)
  assert.equal(choose([{ ms: 10 }, { ms: 900 }], { tried: [0] }), 1)
  assert.equal(choose([{ ms: 10, isPaused: true }], { tried: [] }), undefined)
})
