import assert from 'node:assert/strict'
import { test } from 'node:test'
import { neverStops } from '#plumbing/stop-signal.js'
import { startNetwork, until, untilHeadsKnown } from '../../../test/fakes/rpc-network.js'
import type { FakeRpcNode } from '../../../test/fakes/rpc-node.js'
import { createAnswerCalls } from './answer-calls.js'
import { checkMethods } from './body.js'
import { createRpcCache } from './cache.js'

const quickly = { pollMsMin: 5, pollMsMax: 5 }

type Options = { pace?: typeof quickly; before?: (fakes: FakeRpcNode[]) => void }

/** What callers get from a network of so many nodes. They are at 1000, and 900 is final, unless they are told otherwise. */
const start = async (t: Parameters<typeof startNetwork>[0], count: number, { pace, before }: Options = {}) => {
  const { fakes, nodes, time } = await startNetwork(t, count, { pace })
  before?.(fakes)
  const clock = { nowMs: () => time.nowMs }
  const answer = createAnswerCalls({
    nodesOf: () => nodes,
    cache: createRpcCache({ bytesMax: () => 1_000_000, clock }),
    clock,
    blockTimeMs: () => 12_000,
    hashOfSend: () => undefined,
  })
  const ask = async (method: string, params: unknown[] = []): Promise<unknown> => {
    const items = checkMethods('evm', 'n', [{ id: '1', method, params: JSON.stringify(params), place: 0 }])
    const onSend = () => assert.fail('nothing is sent')
    const [outcome] = await answer({ network: 'n', family: 'evm', items, signal: neverStops, onSend })
    return outcome && 'result' in outcome ? JSON.parse(outcome.result) : assert.fail('it has no result')
  }
  await ask('eth_chainId')
  await untilHeadsKnown(nodes)
  await until(() => nodes.heads().finalized !== undefined)
  const [first, second] = fakes as [FakeRpcNode, FakeRpcNode]
  return { fakes, first, second, nodes, ask, time }
}

const failAt = (node: FakeRpcNode, method: string) =>
  Object.assign(node.faults, { cutConnection: true, only: new Set([method]) })

test('who saw a receipt does not read an older balance from another node', async (t) => {
  const { first, second, ask } = await start(t, 2)
  first.answer('eth_getBalance', 'before')
  second.answer('eth_getBalance', 'after')
  for (const [block, height] of [
    ['0x3e8', 1_000],
    ['0x3e9', 1_001],
  ] as const) {
    second.chain.head = height
    second.answer('eth_getTransactionReceipt', { blockNumber: block })
    failAt(first, 'eth_getTransactionReceipt')
    assert.deepEqual(await ask('eth_getTransactionReceipt', [block]), { blockNumber: block })
  }
  first.recover()
  assert.equal(await ask('eth_getBalance', ['0x1', 'latest']), 'after')
  assert.equal(first.times('eth_getBalance'), 0)
})

test('a node that was behind by a block is asked again once it is not', async (t) => {
  const { first, second, ask, nodes } = await start(t, 2, { pace: quickly })
  first.answer('eth_getBalance', 'here')
  second.answer('eth_getBalance', 'here')
  second.chain.head = 1_001
  failAt(first, 'eth_getBlockByHash')
  second.answer('eth_getBlockByHash', { number: '0x3e9' })
  await ask('eth_getBlockByHash', [`0x${'1'.repeat(64)}`])
  first.chain.head = 1_001
  await until(() => nodes.status()[0]?.latest === 1_001)
  await ask('eth_getBalance', ['0x1', 'latest'])
  assert.equal(first.times('eth_getBalance'), 1)
})

test('what a node says that is behind is not kept: it may have left out what it does not have', async (t) => {
  const { first, second, ask, nodes } = await start(t, 2, {
    before: ([, behind]) => Object.assign(behind?.chain ?? {}, { head: 500, finalized: 400 }),
  })
  assert.equal(nodes.heads().finalized, 900)
  const all = [{ blockNumber: '0x1' }, { blockNumber: '0x320' }]
  first.answer('eth_getLogs', all)
  second.answer('eth_getLogs', all.slice(0, 1))
  const logs = () => ask('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x320' }])
  failAt(first, 'eth_getLogs')
  assert.deepEqual(await logs(), all.slice(0, 1))
  first.recover()
  assert.deepEqual(await logs(), all)
  assert.deepEqual(await logs(), all)
  assert.equal(first.times('eth_getLogs'), 2)
})

for (const isGone of [false, true])
  test(`of a chain that begins anew, nothing is left of what was before (${isGone ? 'after a pause' : 'at once'})`, async (t) => {
    const { first, ask, nodes, time } = await start(t, 1, { pace: quickly })
    const old = () => ask('eth_getBalance', ['0x1', '0x5'])
    first.answer('eth_getBalance', 'of the first chain')
    assert.equal(await old(), 'of the first chain')
    first.chain.head = 1_001
    assert.equal(await ask('eth_blockNumber'), '0x3e9')

    if (isGone) {
      Object.assign(first.faults, { html: true, only: new Set(['eth_blockNumber']) })
      await until(() => nodes.status()[0]?.latest === undefined)
    }
    Object.assign(first.chain, { head: 7, finalized: 3 })
    first.recover()
    first.answer('eth_getBalance', 'of the second chain')
    // A node that failed is left alone for a while.
    await until(() => {
      time.nowMs += 10
      return nodes.heads().finalized === 3
    })
    assert.equal(nodes.heads().latest, 7)
    assert.equal(await old(), 'of the second chain')

    // What is new on it counts as such, though the first one had been further.
    const balance = () => ask('eth_getBalance', ['0x1', 'latest'])
    first.answer('eth_getBalance', 'poor')
    assert.equal(await balance(), 'poor')
    first.answer('eth_getBalance', 'rich')
    first.answer('eth_getTransactionReceipt', { blockNumber: '0x8' })
    await ask('eth_getTransactionReceipt', ['0x2'])
    assert.equal(await balance(), 'rich')
  })
