import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNetwork, until, untilHeadsKnown } from '../../../test/fakes/rpc-network.js'
import type { FakeRpcNode } from '../../../test/fakes/rpc-node.js'

/** Polls follow each other quickly. */
const start = (t: Parameters<typeof startNetwork>[0], count: number, more = {}) =>
  startNetwork(t, count, { pace: { pollMsMin: 5, pollMsMax: 5 }, ...more })

/** Every node was asked once more after this, and has told. */
const nextRound = async (fakes: readonly FakeRpcNode[], method = 'eth_blockNumber') => {
  for (const fake of fakes) await fake.asked(method, fake.times(method) + 2)
}

test('nobody is asked how far it is before somebody asks something, and the answer does not wait for it', async (t) => {
  const { fakes, ask, nodes } = await start(t, 1)
  const [fake] = fakes as [FakeRpcNode]
  assert.deepEqual([nodes.heads(), fake.requests()], [{ latest: undefined, finalized: undefined, restarts: 0 }, 0])
  Object.assign(fake.faults, { hang: true, only: new Set(['eth_blockNumber']) })
  assert.deepEqual(await ask('eth_chainId'), { result: '"0x1"' })
  fake.recover()
  await until(() => nodes.heads().finalized !== undefined)
  assert.deepEqual(nodes.heads(), { latest: 1000, finalized: 900, restarts: 0 })
})

test('polling ends when nobody asks any more, and after close', async (t) => {
  const { fakes, ask, nodes, time } = await start(t, 1)
  const [fake] = fakes as [FakeRpcNode]
  await ask('eth_chainId')
  await nextRound(fakes)
  time.nowMs += 31_000
  await new Promise((resolve) => setTimeout(resolve, 30))
  const before = fake.requests()
  await new Promise((resolve) => setTimeout(resolve, 50))
  assert.equal(fake.requests(), before)
  await ask('eth_chainId')
  await nextRound(fakes)
  await nodes.close()
  const last = fake.requests()
  await new Promise((resolve) => setTimeout(resolve, 50))
  assert.equal(fake.requests(), last)
})

test('the newest block is the highest told or seen; one node alone cannot push it far', async (t) => {
  const { fakes, ask, nodes } = await start(t, 3)
  const [first, second] = fakes as [FakeRpcNode, FakeRpcNode]
  first.chain.head = 1_002
  await ask('eth_chainId')
  await untilHeadsKnown(nodes)
  assert.equal(nodes.heads().latest, 1_002)
  nodes.saw(1_003, { result: '' })
  assert.equal(nodes.heads().latest, 1_003)
  for (const nonsense of [9e15, -1, Number.NaN, 1.5, 900]) nodes.saw(nonsense, { result: '' })
  assert.equal(nodes.heads().latest, 1_003)
  second.chain.head = 9_000_000
  await nextRound(fakes)
  assert.equal(nodes.heads().latest, 1_003)
  second.chain.head = 1_005
  await nextRound(fakes)
  assert.equal(nodes.heads().latest, 1_005)
})

test('of two nodes, one that is stuck far behind does not hold the other back', async (t) => {
  const { fakes, ask, nodes } = await start(t, 2)
  const [stuck, moving] = fakes as [FakeRpcNode, FakeRpcNode]
  stuck.chain.head = 10
  stuck.chain.finalized = 5
  await ask('eth_chainId')
  await untilHeadsKnown(nodes)
  await nextRound(fakes)
  moving.chain.head = 1_001
  await nextRound(fakes)
  assert.equal(nodes.heads().latest, 1_001)
  await until(() => nodes.heads().finalized === 900)
})

test('what is final is the lowest that healthy nodes tell, never more than the newest, and never goes down', async (t) => {
  const { fakes, ask, nodes } = await start(t, 2)
  const [first, second] = fakes as [FakeRpcNode, FakeRpcNode]
  first.chain.finalized = 999
  await ask('eth_chainId')
  await until(() => nodes.heads().finalized !== undefined)
  assert.equal(nodes.heads().finalized, 900)
  second.chain.finalized = 950
  await until(() => nodes.heads().finalized === 950)
  second.chain.finalized = 100
  await nextRound(fakes, 'eth_getBlockByNumber')
  assert.equal(nodes.heads().finalized, 950)
  first.chain.finalized = 5_000
  second.chain.finalized = 5_000
  first.answer('eth_getBlockByNumber', { number: '0x1388' })
  second.answer('eth_getBlockByNumber', { number: '0x1388' })
  await nextRound(fakes, 'eth_getBlockByNumber')
  assert.equal(nodes.heads().finalized, 950)
})

test('a node that does not know what is final tells nothing, and nothing is final', async (t) => {
  const { fakes, ask, nodes } = await start(t, 1)
  const [fake] = fakes as [FakeRpcNode]
  fake.chain.finalized = undefined
  await ask('eth_chainId')
  await nextRound(fakes, 'eth_getBlockByNumber')
  assert.deepEqual(nodes.heads(), { latest: 1000, finalized: undefined, restarts: 0 })
})

test('a node that tells nothing any more is forgotten', async (t) => {
  const { fakes, ask, nodes } = await start(t, 2)
  const [first] = fakes as [FakeRpcNode]
  first.chain.head = 1_001
  await ask('eth_chainId')
  await untilHeadsKnown(nodes)
  Object.assign(first.faults, { html: true, only: new Set(['eth_blockNumber']) })
  await until(() => nodes.status()[0]?.latest === undefined)
  assert.equal(nodes.heads().latest, 1_000)
})

test('Solana tells slots, Starknet numbers', async (t) => {
  const solana = await start(t, 1, { family: 'solana', blockTimeMs: 400 })
  await solana.ask('getHealth')
  await until(() => solana.nodes.heads().finalized !== undefined)
  assert.deepEqual(solana.nodes.heads(), { latest: 1000, finalized: 900, restarts: 0 })

  const starknet = await start(t, 1, { family: 'starknet' })
  starknet.fakes[0]?.answer('starknet_getBlockWithTxHashes', { block_number: 880, transactions: [] })
  await starknet.ask('starknet_chainId')
  await until(() => starknet.nodes.heads().finalized !== undefined)
  assert.deepEqual(starknet.nodes.heads(), { latest: 1000, finalized: 880, restarts: 0 })
})
