import assert from 'node:assert/strict'
import { test } from 'node:test'
import { neverStops } from '#plumbing/stop-signal.js'
import { call, startNetwork, until, untilHeadsKnown } from '../../../test/fakes/rpc-network.js'
import type { FakeRpcNode } from '../../../test/fakes/rpc-node.js'
import type { NodeAnswer } from './node.js'

const hasty = { hedgeMsMin: 10, hedgeMsMax: 20, hedgeMsUnknown: 10 }

const start = async (t: Parameters<typeof startNetwork>[0], more = {}) => {
  const network = await startNetwork(t, 2, { pace: hasty, ...more })
  for (const [place, fake] of network.fakes.entries())
    for (const method of ['eth_call', 'eth_sendRawTransaction', 'eth_other']) fake.answer(method, place)
  const [first, second] = network.fakes as [FakeRpcNode, FakeRpcNode]
  Object.assign(first.faults, { hang: true, only: new Set(['eth_call', 'eth_sendRawTransaction', 'eth_other']) })
  return { ...network, first, second }
}

test('when a node is slow another one is asked too; the first answer counts, and the other is left without blame', async (t) => {
  const { ask, first, nodes, troubles, events } = await start(t)
  assert.deepEqual(await ask('eth_call'), { result: '1' })
  assert.ok(events.some(({ kind }) => kind === 'hedged'))
  await until(() => first.left() === 1)
  assert.deepEqual([troubles, nodes.status()[0]?.failureRate], [[], 0])
})

test('a batch is asked of another node as well', async (t) => {
  const { nodes, second } = await start(t)
  const answers = await nodes.ask([call('eth_call'), call('eth_call')], neverStops)
  assert.deepEqual(answers, [{ result: '1' }, { result: '1' }])
  assert.equal(second.times('eth_call'), 2)
})

test('what is not a read is never asked of two', async (t) => {
  const { ask, first, second } = await start(t, { timeoutMs: 300 })
  await ask('eth_sendRawTransaction', '["0x1234"]', { kind: 'send' })
  await ask('eth_other', '[]', { kind: 'once' })
  assert.deepEqual([first.times('eth_sendRawTransaction'), second.times('eth_sendRawTransaction')], [1, 0])
  assert.deepEqual([first.times('eth_other'), second.times('eth_other')], [1, 0])
})

test('an answer that comes first from the slow one counts, and a node that is behind is not asked', async (t) => {
  const { ask, first, second, nodes } = await start(t)
  second.chain.head = 900
  await ask('eth_chainId')
  await untilHeadsKnown(nodes)
  const answer = ask('eth_call')
  await first.asked('eth_call')
  // The time to ask another one has come and gone once this timer fires after it.
  await new Promise((resolve) => setTimeout(resolve, 60))
  first.release()
  assert.deepEqual(await answer, { result: '0' })
  assert.equal(second.times('eth_call'), 0)
})

test('nor is one that may not have the block that callers were shown', async (t) => {
  const { ask, first, second, nodes } = await start(t)
  await ask('eth_chainId')
  await untilHeadsKnown(nodes)
  first.chain.head = 1_001
  nodes.saw(1_001, (await ask('eth_blockNumber')) as NodeAnswer)
  const answer = ask('eth_call')
  await first.asked('eth_call')
  await new Promise((resolve) => setTimeout(resolve, 60))
  first.release()
  assert.deepEqual(await answer, { result: '0' })
  assert.equal(second.times('eth_call'), 0)
})

test('calls that are asked twice for being slow are bounded', async (t) => {
  const { nodes, first, second } = await start(t)
  const asked = Array.from({ length: 60 }, () => nodes.ask([call('eth_call')], neverStops))
  await first.asked('eth_call', 60)
  await second.asked('eth_call', 10)
  first.release()
  const answers = (await Promise.all(asked)).flat()
  const fromSecond = answers.filter((answer) => 'result' in answer && answer.result === '1')
  assert.deepEqual([answers.length, fromSecond.length, second.times('eth_call')], [60, 10, 10])
})

test('beyond that bound, a node that seems lost is given up in the end', async (t) => {
  const { nodes, second } = await start(t, { timeoutMs: 3_000 })
  const answers = await Promise.all(Array.from({ length: 30 }, () => nodes.ask([call('eth_call')], neverStops)))
  assert.ok(answers.flat().every((answer) => 'result' in answer && answer.result === '1'))
  assert.equal(second.times('eth_call'), 30)
})
