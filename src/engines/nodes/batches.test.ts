import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '#plumbing/clock.js'
import { createRoom } from '#plumbing/room.js'
import { neverStops } from '#plumbing/stop-signal.js'
import { call, startNetwork } from '../../../test/fakes/rpc-network.js'
import { FakeRpcError, type FakeRpcNode } from '../../../test/fakes/rpc-node.js'
import { NodeError } from './node.js'

const numbers = (count: number) => Array.from({ length: count }, (_, place) => place)
const calls = (count: number) => numbers(count).map((place) => call('echo', `[${place}]`))
const results = (count: number) => numbers(count).map((place) => ({ result: String(place) }))
const echo = (fake: FakeRpcNode) => fake.answer('echo', (params: unknown) => (params as number[])[0])
const echoBodies = (fake: FakeRpcNode) => fake.bodies.filter((body) => body.includes('"echo"'))

const start = async (t: Parameters<typeof startNetwork>[0], count: number, more = {}) => {
  const network = await startNetwork(t, count, more)
  for (const fake of network.fakes) {
    echo(fake)
    fake.faults.only = new Set(['echo'])
  }
  return { ...network, first: network.fakes[0] as FakeRpcNode, second: network.fakes[1] as FakeRpcNode }
}

test('many calls travel together, and their answers come in the order of the calls', async (t) => {
  const { nodes, first } = await start(t, 1)
  first.faults.reverseBatch = true
  assert.deepEqual(await nodes.ask(calls(20), neverStops), results(20))
  assert.equal(echoBodies(first).length, 1)
  assert.deepEqual(await nodes.ask([], neverStops), [])
})

test('no batch is larger than fifty', async (t) => {
  const { nodes, first } = await start(t, 1)
  assert.deepEqual(await nodes.ask(calls(100), neverStops), results(100))
  assert.deepEqual(
    echoBodies(first).map((body) => JSON.parse(body).length),
    [50, 50],
  )
})

for (const faults of [{ dropItems: 3 }, { repeatItem: true }])
  test(`what is missing or double in a batch is asked again elsewhere, and only that: ${Object.keys(faults)}`, async (t) => {
    const { nodes, first, second } = await start(t, 2)
    Object.assign(first.faults, faults)
    assert.deepEqual(await nodes.ask(calls(10), neverStops), results(10))
    assert.deepEqual([first.times('echo'), second.times('echo')], [10, 'dropItems' in faults ? 3 : 1])
  })

test('if there is nobody else, what is missing is asked again one by one', async (t) => {
  const { nodes, first } = await start(t, 1)
  Object.assign(first.faults, { dropItems: 2 })
  assert.deepEqual(await nodes.ask(calls(10), neverStops), results(10))
  assert.equal(echoBodies(first).length, 3)
})

for (const refuseBatches of ['error', 'status'] as const)
  test(`a node that does no batches (${refuseBatches}) is asked one by one, and that is remembered`, async (t) => {
    const { nodes, first, troubles } = await start(t, 1)
    first.faults.refuseBatches = refuseBatches
    assert.deepEqual(await nodes.ask(calls(20), neverStops), results(20))
    assert.equal(echoBodies(first).length, 21)
    assert.deepEqual(await nodes.ask(calls(20), neverStops), results(20))
    assert.equal(echoBodies(first).length, 41)
    assert.deepEqual(troubles, [])
  })

test('calls that are asked one by one all end when the nodes are closed', async (t) => {
  const { nodes, first } = await start(t, 1)
  first.faults.refuseBatches = 'error'
  await nodes.ask(calls(2), neverStops)
  first.faults.hang = true
  const answers = nodes.ask(calls(20), neverStops)
  await first.asked('echo', 2 + 2 + 8)
  await nodes.close()
  for (const answer of await answers) assert.ok(answer instanceof NodeError)
  first.release()
})

test('a batch that is refused for being one too many goes elsewhere, and batches stay', async (t) => {
  const { nodes, first, second } = await start(t, 2)
  Object.assign(first.faults, {
    says: { status: 200, text: '{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"rate limit"}}' },
  })
  assert.deepEqual(await nodes.ask(calls(5), neverStops), results(5))
  assert.deepEqual([echoBodies(first).length, echoBodies(second).length], [1, 1])
})

test('answers that are too large together are asked for one by one', async (t) => {
  const { nodes, first } = await start(t, 1, { answerBytesMax: 500 })
  first.answer('echo', 'x'.repeat(200))
  const answers = await nodes.ask(calls(9), neverStops)
  assert.ok(answers.every((answer) => 'result' in answer))
})

test('there is a bound for all of them too: beyond it nothing more is asked for', async (t) => {
  const { nodes, first, troubles } = await start(t, 1, { answerBytesMax: 500 })
  first.answer('echo', 'x'.repeat(400))
  const answers = await nodes.ask(calls(50), neverStops)
  const got = answers.filter((answer) => 'result' in answer)
  assert.equal(got.length, 4)
  for (const answer of answers) if (answer instanceof NodeError) assert.equal(answer.trouble, 'tooLarge')
  assert.ok(first.times('echo') < 50 + 50)
  assert.deepEqual(troubles, [])
})

test('of large answers that come one by one, those are taken that there is room for', async (t) => {
  const room = createRoom(() => 300_000)
  const { nodes, first, troubles } = await start(t, 1, { room })
  first.faults.refuseBatches = 'status'
  first.answer('echo', 'x'.repeat(200_000))
  const answers = await nodes.ask(calls(4), neverStops)
  assert.equal(answers.filter((answer) => 'result' in answer).length, 1)
  for (const answer of answers) if (answer instanceof NodeError) assert.equal(answer.trouble, 'noRoom')
  assert.deepEqual([troubles, room.taken()], [[], 0])
})

test('each item of a batch has its own end', async (t) => {
  const { nodes, first, second } = await start(t, 2)
  first.answer('eth_call', new FakeRpcError(3, 'execution reverted'))
  first.answer('eth_getCode', new FakeRpcError(-32000, 'missing trie node'))
  second.answer('eth_getCode', '0x60')
  first.rawMembers('eth_getLogs', '"nothing":1')
  second.rawMembers('eth_getLogs', '"nothing":1')
  const answers = await nodes.ask(
    [call('echo', '[1]'), call('eth_call'), call('eth_getCode'), call('eth_getLogs'), call('echo', '[2]')],
    neverStops,
  )
  const told = answers.map((answer) => (answer instanceof NodeError ? answer.trouble : Object.values(answer)[0]))
  assert.deepEqual(told, ['1', '{"code":3,"message":"execution reverted"}', '"0x60"', 'broken', '2'])
  assert.deepEqual(
    second.calls.filter(({ method }) => !method.startsWith('eth_block') && method !== 'eth_getBlockByNumber').length,
    2,
  )
})

test('the time of a request bounds all its transactions together; those that it is too late for are not sent', async (t) => {
  const { nodes, first } = await start(t, 1, { timeoutMs: 600, clock: systemClock })
  first.answer('eth_sendRawTransaction', 'taken')
  Object.assign(first.faults, { only: new Set(['eth_sendRawTransaction']), delayMs: 150 })
  const sends = numbers(20).map((place) => call('eth_sendRawTransaction', `["0x${place}"]`, { kind: 'send' }))
  const answers = await nodes.ask(sends, neverStops)
  assert.ok(first.times('eth_sendRawTransaction') < sends.length)
  const last = answers.at(-1)
  assert.equal(last instanceof NodeError && last.trouble, 'overloaded', 'which says that it was not sent')
})

test('transactions of a batch go one after the other, each in a request of its own', async (t) => {
  const { nodes, first } = await start(t, 1)
  first.answer('eth_sendRawTransaction', (params: unknown) => (params as string[])[0])
  const send = (text: string) => call('eth_sendRawTransaction', `["${text}"]`, { kind: 'send' })
  const answers = await nodes.ask([send('0x01'), call('echo', '[1]'), send('0x02'), call('echo', '[2]')], neverStops)
  assert.deepEqual(answers, [{ result: '"0x01"' }, { result: '1' }, { result: '"0x02"' }, { result: '2' }])
  const sends = first.bodies.filter((body) => body.includes('eth_sendRawTransaction'))
  assert.deepEqual(
    sends.map((body) => JSON.parse(body).params[0]),
    ['0x01', '0x02'],
  )
  assert.equal(echoBodies(first).length, 1)
})
