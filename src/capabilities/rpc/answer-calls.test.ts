import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type NodeAnswer, NodeError } from '#engines/nodes/node.js'
import { createStop, neverStops } from '#plumbing/stop-signal.js'
import { balance, type Call, createNodes, createSubject, result, sourcesOf, textsOf } from '../../../test/rpc-calls.js'
import { createAnswerCalls } from './answer-calls.js'
import { checkMethods } from './body.js'
import { createRpcCache } from './cache.js'

test('one visit to a node for all that is not kept, and answers in the order of the calls', async () => {
  const { request, asks, last } = createSubject()
  const first = request([['eth_chainId']])
  last().answer([result('"0x1"')])
  await first
  const second = request([['eth_gasPrice'], ['eth_chainId'], ['eth_call', [{}]]])
  assert.deepEqual(last().calls, [
    { method: 'eth_gasPrice', params: undefined, kind: 'read', isNullDoubtful: false },
    { method: 'eth_call', params: '[{}]', kind: 'read', isNullDoubtful: false },
  ])
  last().answer([result('"0x2"'), { error: '{"code":3}' }])
  const outcomes = await second
  assert.deepEqual(textsOf(outcomes), ['"0x2"', '"0x1"', '{"code":3}'])
  assert.deepEqual(sourcesOf(outcomes), ['node', 'cache', 'node'])
  assert.equal(asks.length, 2)
})

test('notifications are not run', async () => {
  const { nodes, asks } = createNodes()
  const clock = { nowMs: () => 0 }
  const answer = createAnswerCalls({
    nodesOf: () => nodes,
    cache: createRpcCache({ bytesMax: () => 0, clock }),
    clock,
    blockTimeMs: () => 1,
    hashOfSend: () => undefined,
  })
  const items = checkMethods('evm', 'n', [{ id: undefined, method: 'eth_chainId', params: undefined, place: 0 }])
  const onSend = () => assert.fail('nothing is sent')
  assert.deepEqual(await answer({ network: 'n', family: 'evm', items, signal: neverStops, onSend }), [])
  assert.equal(asks.length, 0)
})

test('the newest state is kept until the next block, a block time at most; errors and nothing are not', async () => {
  const { request, asks, last, heads, passMs } = createSubject()
  const askAnew = async (text: string, call = balance) => {
    const before = asks.length
    const outcomes = request([call])
    if (asks.length > before) last().answer([result(text)])
    return textsOf(await outcomes)[0]
  }
  assert.equal(await askAnew('"1"'), '"1"')
  assert.equal(await askAnew('"2"'), '"1"')
  heads.latest = 101
  assert.equal(await askAnew('"3"'), '"3"')
  passMs(1_999)
  assert.equal(await askAnew('"4"'), '"3"')
  passMs(1)
  assert.equal(await askAnew('"5"'), '"5"')

  const receipt: Call = ['eth_getTransactionReceipt', ['0x1']]
  assert.equal(await askAnew('null', receipt), 'null')
  assert.equal(await askAnew('{"blockNumber":"0x1"}', receipt), '{"blockNumber":"0x1"}')
  assert.equal(await askAnew('null', receipt), '{"blockNumber":"0x1"}')

  const failing = request([['eth_call', [{}]]])
  last().answer([{ error: '{}' }])
  await failing
  assert.equal(await askAnew('"0x"', ['eth_call', [{}]]), '"0x"')
})

test('networks do not share answers', async () => {
  const { request, last, asks } = createSubject()
  const one = request([['eth_chainId']])
  last().answer([result('"0x1"')])
  await one
  void request([['eth_chainId']], { network: 'base-sepolia' })
  assert.equal(asks.length, 2)
})

test('equal reads are asked once, within a request and across requests', async () => {
  const { request, asks, last } = createSubject()
  const first = request([balance, balance, ['eth_gasPrice']])
  const second = request([['eth_chainId'], balance])
  const third = request([balance])
  assert.deepEqual(
    asks.map(({ calls }) => calls.map(({ method }) => method)),
    [['eth_getBalance', 'eth_gasPrice'], ['eth_chainId']],
  )
  last().answer([result('"0x1"')])
  asks[0]?.answer([result('"7"'), result('"9"')])
  assert.deepEqual(sourcesOf(await first), ['node', 'merged', 'node'])
  assert.deepEqual(textsOf(await second), ['"0x1"', '"7"'])
  assert.deepEqual(sourcesOf(await second), ['node', 'merged'])
  assert.deepEqual(textsOf(await third), ['"7"'])
})

test('what fails at the nodes fails for all who wait for it, and is asked anew by the next', async () => {
  const { request, asks, last } = createSubject()
  const waiting = [request([balance]), request([balance])]
  const error = new NodeError('timeout', 'silent')
  last().answer([error])
  for (const outcomes of await Promise.all(waiting)) assert.deepEqual(outcomes, [{ failed: error, hash: undefined }])
  void request([balance])
  assert.equal(asks.length, 2)
})

test('a caller who leaves hears so at once, and the others get their answer', async () => {
  const { request, last } = createSubject()
  const leaving = createStop()
  const first = request([balance], { signal: leaving.signal })
  const second = request([balance])
  leaving.stop()
  await assert.rejects(first, { name: 'AbortError' })
  assert.equal(last().signal.aborted, false)
  last().answer([result('"7"')])
  assert.deepEqual(textsOf(await second), ['"7"'])
})

test('the node is no longer asked when all who waited have left, and nobody joins what was given up', async () => {
  const { request, asks } = createSubject()
  const stops = [createStop(), createStop()]
  const waiting = stops.map(({ signal }) => request([balance], { signal }))
  stops[0]?.stop()
  assert.equal(asks[0]?.signal.aborted, false)
  stops[1]?.stop()
  assert.equal(asks[0]?.signal.aborted, true)
  const late = request([balance])
  for (const outcomes of waiting) await assert.rejects(outcomes, { name: 'AbortError' })
  asks[1]?.answer([result('"7"')])
  assert.deepEqual(textsOf(await late), ['"7"'])
})

test('who has left before does not ask at all', async () => {
  const { request, asks } = createSubject()
  await assert.rejects(request([['eth_chainId']], { signal: AbortSignal.abort() }), { name: 'AbortError' })
  assert.equal(asks.length, 0)
})

test('who saw a receipt does not get what was read or asked before', async () => {
  const { request, asks, last, seen } = createSubject()
  const kept = request([balance])
  last().answer([result('"old"')])
  await kept
  const flying = request([['eth_call', [{}]]])
  const receipt = request([['eth_getTransactionReceipt', ['0x1']]])
  last().answer([result('{"blockNumber":"0x65"}')])
  await receipt
  assert.deepEqual(seen, [101])

  const before = asks.length
  const after = request([balance, ['eth_call', [{}]]])
  assert.equal(last().calls.length, 2, 'neither from the cache nor from what is under way')
  asks[1]?.answer([result('"old"')])
  await flying
  asks[before]?.answer([result('"new"'), result('"new"')])
  assert.deepEqual(textsOf(await after), ['"new"', '"new"'])
  assert.deepEqual(sourcesOf(await request([balance, ['eth_call', [{}]]])), ['cache', 'cache'])
  assert.deepEqual(textsOf(await request([['eth_call', [{}]]])), ['"new"'], 'what came late is not kept')
})

test('an answer that shows nothing new ends nothing', async () => {
  const { request, last, seen } = createSubject()
  const kept = request([balance])
  last().answer([result('"1"')])
  await kept
  const old = request([['eth_getTransactionReceipt', ['0x1']]])
  last().answer([result('{"blockNumber":"0x64"}')])
  await old
  assert.deepEqual(sourcesOf(await request([balance])), ['cache'])
  assert.deepEqual(seen, [100], 'but the node that gave it is known to be there')
})

test('what is final stays when a newer block is seen', async () => {
  const { request, last, heads } = createSubject()
  const call: Call = ['eth_getBalance', ['0x1', '0x32']]
  const first = request([call])
  last().answer([result('"1"')])
  await first
  heads.latest = 200
  assert.deepEqual(sourcesOf(await request([call])), ['cache'])
})

test('Solana: a slot that is newer for its commitment counts, and only what is confirmed is told to the nodes', async () => {
  const { request, asks, last, seen } = createSubject('solana')
  const account: Call = ['getBalance', ['a', { commitment: 'confirmed' }]]
  const at = (slot: number) => result(`{"context":{"slot":${slot}},"value":1}`)
  const read = async (call: Call, answer: NodeAnswer) => {
    const before = asks.length
    const outcomes = request([call])
    if (asks.length > before) last().answer([answer])
    return sourcesOf(await outcomes)[0]
  }
  await read(account, at(90))
  assert.equal(await read(account, at(90)), 'node', 'it was news itself')
  assert.equal(await read(account, at(90)), 'cache')
  await read(['getSignatureStatuses', [['s']]], at(120))
  assert.equal(await read(account, at(91)), 'node')
  assert.deepEqual(seen, [90, 90, 91])
})
