import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createRoom } from '#plumbing/room.js'
import { createStop } from '#plumbing/stop-signal.js'
import { call, connect, startNetwork, until, untilHeadsKnown } from '../../../test/fakes/rpc-network.js'
import { FakeRpcError, startFakeRpcNode } from '../../../test/fakes/rpc-node.js'
import { NodeError } from './node.js'

const troubleOf = (answer: unknown) => (answer instanceof NodeError ? answer.trouble : answer)

test('parameters and results pass byte for byte', async (t) => {
  const { fakes, ask } = await startNetwork(t, 1)
  const [fake] = fakes as [(typeof fakes)[0]]
  const bytes = (text: string) => Buffer.from(text).toString('latin1')
  const jsons = fc.json().map(bytes)
  await fc.assert(
    fc.asyncProperty(jsons, jsons, async (params, result) => {
      fake.rawResult('eth_call', result)
      assert.deepEqual(await ask('eth_call', `[${params}]`), { result })
      const asked = fake.bodies.findLast((body) => body.includes('"method":"eth_call"'))
      assert.ok(asked?.endsWith(`"method":"eth_call","params":[${params}]}`))
    }),
    { numRuns: 50 },
  )
  const result = bytes('{"b":1,"a":123456789012345678901234567890.10, "\\u00e9":"é \\u0000"}')
  fake.rawResult('eth_call', result)
  assert.deepEqual(await ask('eth_call'), { result })
  fake.rawError('eth_call', '{ "code":3, "message":"execution reverted" }')
  assert.deepEqual(await ask('eth_call'), { error: '{ "code":3, "message":"execution reverted" }' })
})

test('a call without parameters is sent without them, with the headers and the credentials of the upstream', async (t) => {
  const fake = await startFakeRpcNode(t)
  const url = `${fake.url.replace('//', '//me:secret@')}/v1/key?x=1`
  const { nodes } = connect(t, [{ url, headers: { 'x-team': 'blue' } }])
  await nodes.ask(
    [{ method: 'eth_chainId', params: undefined, kind: 'read', isNullDoubtful: false }],
    createStop().signal,
  )
  const place = fake.bodies.findIndex((body) => body.includes('eth_chainId'))
  assert.match(fake.bodies[place] ?? '', /^\{"jsonrpc":"2.0","id":\d+,"method":"eth_chainId"\}$/)
  assert.equal(fake.headers[place]?.['x-team'], 'blue')
  assert.equal(fake.headers[place]?.authorization, `Basic ${Buffer.from('me:secret').toString('base64')}`)
  assert.deepEqual(
    nodes.status().map(({ name }) => name),
    [new URL(fake.url).host],
  )
})

for (const [what, break_] of Object.entries({
  'the answer to another call': { wrongIds: true },
  'an answer without id': { noIds: true },
  'a page of HTML': { html: true },
  'an answer that is cut off': { truncate: true },
  'an answer that is cut off, as if it were whole': { truncateText: true },
  'status 500': { says: { status: 500, text: 'oops' } },
  'status 502 with JSON-RPC': { status: 502 },
  'status 403 with JSON-RPC': { status: 403 },
  'status 429': { rateLimited: true },
  'status 400 without JSON-RPC': { says: { status: 400, text: 'Bad request' } },
  'a connection that is cut': { cutConnection: true },
}))
  test(`another node is asked after ${what}`, async (t) => {
    const { fakes, ask, troubles, nodes } = await startNetwork(t, 2)
    const [first, second] = fakes as [(typeof fakes)[0], (typeof fakes)[0]]
    Object.assign(first.faults, { only: new Set(['eth_call']), ...break_ })
    first.answer('eth_call', 'wrong')
    second.answer('eth_call', 'right')
    assert.deepEqual(await ask('eth_call'), { result: '"right"' })
    assert.deepEqual([first.times('eth_call'), second.times('eth_call')], [1, 1])
    if (!what.includes('400')) {
      assert.equal(troubles[0]?.node, new URL(first.url).host)
      assert.ok((nodes.status()[0]?.failureRate ?? 0) > 0)
    }
  })

for (const [text, what] of [
  ['"result":1,"error":{"code":1,"message":"no"}', 'both a result and an error'],
  ['"error":{"code":1,"message":"no"},"result":1', 'an error before a result'],
  ['"answer":1', 'neither'],
  ['"error":"no"', 'an error that is none'],
  ['"result":1}, {"id":1', 'a second object'],
  ['"result":"\xff"', 'bytes that are not UTF-8'],
  ['"result":01', 'something that is no JSON'],
] as const)
  test(`an answer with ${what} is broken`, async (t) => {
    const { fakes, ask } = await startNetwork(t, 1)
    fakes[0]?.rawMembers('eth_call', text)
    assert.equal(troubleOf(await ask('eth_call')), 'broken')
  })

test('null in the place of the other member is how old servers say that it is not there', async (t) => {
  const { fakes, ask } = await startNetwork(t, 1)
  fakes[0]?.rawMembers('eth_call', '"result":1,"error":null')
  assert.deepEqual(await ask('eth_call'), { result: '1' })
  fakes[0]?.rawMembers('eth_call', '"result":null,"error":{"code":3}')
  assert.deepEqual(await ask('eth_call'), { error: '{"code":3}' })
})

test('the error of a node is an answer, whatever the status; a result with a bad status is none', async (t) => {
  const { fakes, ask } = await startNetwork(t, 1)
  const [fake] = fakes as [(typeof fakes)[0]]
  fake.faults.only = new Set(['eth_call'])
  fake.answer('eth_call', new FakeRpcError(-32000, 'insufficient funds'))
  for (const status of [200, 400, 404, 500]) {
    fake.faults.status = status
    assert.deepEqual(await ask('eth_call'), { error: '{"code":-32000,"message":"insufficient funds"}' }, String(status))
  }
  fake.answer('eth_call', 1)
  assert.equal(troubleOf(await ask('eth_call')), 'unreachable')
})

test('that a node cannot read what a caller wrote is an answer, and no reason to leave the node alone', async (t) => {
  const { fakes, ask, nodes, troubles } = await startNetwork(t, 2)
  const error = '{"code":-32700,"message":"Parse error"}'
  for (const fake of fakes)
    Object.assign(fake.faults, {
      only: new Set(['eth_call']),
      says: { status: 200, text: `{"jsonrpc":"2.0","error":${error},"id":null}` },
    })
  for (let time = 0; time < 10; time++) assert.deepEqual(await ask('eth_call'), { error })
  const [first] = await nodes.ask([call('eth_call'), call('eth_chainId')], createStop().signal)
  assert.deepEqual([first, troubles], [{ error }, []])
  for (const fake of fakes) fake.recover()
  const before = fakes.map((fake) => fake.requests())
  await nodes.ask([call('eth_chainId'), call('eth_chainId')], createStop().signal)
  assert.equal(
    fakes.reduce((sum, fake, place) => sum + fake.requests() - (before[place] as number), 0),
    1,
    'a batch',
  )
})

test('no other encoding is asked for than the one that is understood', async (t) => {
  const { fakes, ask } = await startNetwork(t, 1)
  await ask('eth_chainId')
  assert.equal(fakes[0]?.headers[0]?.['accept-encoding'], 'identity')
})

test('credentials with signs that are not escaped are sent as they stand', async (t) => {
  const fake = await startFakeRpcNode(t)
  const { ask } = connect(t, [
    { url: fake.url.replace('//', '//me:50%25%@') },
    { url: fake.url.replace('//', '//me:50%@') },
  ])
  await ask('eth_chainId')
  assert.match(fake.headers[0]?.authorization ?? '', /^Basic /)
})

test('what is larger than we take is not read, nor asked elsewhere, nor held against the node', async (t) => {
  const { fakes, ask, troubles } = await startNetwork(t, 2, { answerBytesMax: 2_000 })
  const [first, second] = fakes as [(typeof fakes)[0], (typeof fakes)[0]]
  Object.assign(first.faults, { only: new Set(['eth_call']), oversizeBytes: 2_000 })
  first.answer('eth_call', 1)
  assert.equal(troubleOf(await ask('eth_call')), 'tooLarge')
  assert.deepEqual([second.times('eth_call'), troubles], [0, []])
})

test('what there is no room for is not asked elsewhere, nor held against the node, and takes no room afterwards', async (t) => {
  const room = createRoom(() => 100_000)
  const { fakes, ask, troubles } = await startNetwork(t, 2, { room })
  const [first, second] = fakes as [(typeof fakes)[0], (typeof fakes)[0]]
  first.answer('eth_call', 'x'.repeat(200_000))
  assert.equal(troubleOf(await ask('eth_call')), 'noRoom')
  assert.deepEqual([first.times('eth_call'), second.times('eth_call'), troubles, room.taken()], [1, 0, [], 0])
  first.answer('eth_call', 'x'.repeat(90_000))
  assert.equal(((await ask('eth_call')) as { result: string }).result.length, 90_002)
  assert.equal(room.taken(), 0)
})

test('a revert and other proper errors are passed on, and nobody else is asked', async (t) => {
  const { fakes, ask } = await startNetwork(t, 2)
  const [first, second] = fakes as [(typeof fakes)[0], (typeof fakes)[0]]
  for (const error of [
    new FakeRpcError(3, 'execution reverted: too many requests', '0x08c379a0'),
    new FakeRpcError(-32000, 'execution reverted: rate limit exceeded'),
    new FakeRpcError(-32602, 'invalid argument 0: hex string of odd length'),
    new FakeRpcError(-32000, 'nonce too low'),
  ]) {
    first.answer('eth_call', error)
    const answer = await ask('eth_call')
    assert.deepEqual(answer, { error: JSON.stringify(error) })
  }
  assert.equal(second.times('eth_call'), 0)
})

for (const error of [
  new FakeRpcError(-32005, 'limit exceeded'),
  new FakeRpcError(-32000, 'header not found'),
  new FakeRpcError(-32000, 'missing trie node 12ab (path )'),
  new FakeRpcError(-32601, 'the method eth_call does not exist/is not available'),
  new FakeRpcError(-32000, 'Unknown block'),
  new FakeRpcError(-32005, 'query returned more than 10000 results'),
])
  test(`another node is asked after "${error.message}", and if all say so, it is passed on`, async (t) => {
    const { fakes, ask } = await startNetwork(t, 2)
    const [first, second] = fakes as [(typeof fakes)[0], (typeof fakes)[0]]
    first.answer('eth_call', error)
    second.answer('eth_call', 1)
    assert.deepEqual(await ask('eth_call'), { result: '1' })
    second.answer('eth_call', error)
    assert.deepEqual(await ask('eth_call'), { error: JSON.stringify(error) })
  })

test('of several errors the one that tells most is passed on', async (t) => {
  const { fakes, ask } = await startNetwork(t, 3)
  const errors = [
    new FakeRpcError(-32601, 'Method not found'),
    new FakeRpcError(-32000, 'missing trie node'),
    new FakeRpcError(-32005, 'limit exceeded'),
  ]
  for (const [place, error] of errors.entries()) fakes[place]?.answer('eth_call', error)
  assert.deepEqual(await ask('eth_call'), { error: JSON.stringify(errors[1]) })
})

test('a node that does not have a method is not asked for it again, but for others', async (t) => {
  const { fakes, ask } = await startNetwork(t, 2)
  const [first, second] = fakes as [(typeof fakes)[0], (typeof fakes)[0]]
  second.answer('trace_block', [])
  first.answer('eth_call', 1)
  for (let time = 0; time < 3; time++) assert.deepEqual(await ask('trace_block'), { result: '[]' })
  assert.equal(first.times('trace_block'), 1)
})

test('a node that has too many calls is left alone for a while', async (t) => {
  const { fakes, ask } = await startNetwork(t, 2)
  const [first, second] = fakes as [(typeof fakes)[0], (typeof fakes)[0]]
  Object.assign(first.faults, { rateLimited: true, retryAfterSeconds: 20, only: new Set(['eth_call']) })
  second.answer('eth_call', 1)
  for (let time = 0; time < 5; time++) await ask('eth_call')
  assert.deepEqual([first.times('eth_call'), second.times('eth_call')], [1, 5])
})

test('the only node is asked a second time after a lost connection or 5xx, and no more', async (t) => {
  const { fakes, ask } = await startNetwork(t, 1)
  const [fake] = fakes as [(typeof fakes)[0]]
  fake.answer('eth_call', 1)
  fake.faults.only = new Set(['eth_call'])
  for (const faults of [{ cutConnection: true }, { cutConnection: false, status: 503 }]) {
    Object.assign(fake.faults, faults, { times: 1 })
    assert.deepEqual(await ask('eth_call'), { result: '1' })
  }
  const before = fake.times('eth_call')
  fake.faults.times = 10
  assert.equal(troubleOf(await ask('eth_call')), 'unreachable')
  assert.equal(fake.times('eth_call') - before, 2)
  fake.recover()
  fake.faults.html = true
  fake.faults.only = new Set(['eth_call'])
  assert.equal(troubleOf(await ask('eth_call')), 'broken')
  assert.equal(fake.times('eth_call') - before, 3, 'nonsense is not asked for twice')
})

test('a node that fails again and again is not asked until its pause is over', async (t) => {
  const { fakes, ask, nodes, time } = await startNetwork(t, 1)
  const [fake] = fakes as [(typeof fakes)[0]]
  await ask('eth_chainId')
  await untilHeadsKnown(nodes)
  fake.faults.html = true
  for (let time = 0; time < 5; time++) await ask('eth_call')
  const before = fake.requests()
  assert.equal(nodes.status()[0]?.isPaused, true)
  assert.equal(troubleOf(await ask('eth_call')), 'unreachable')
  assert.equal(fake.requests(), before)
  fake.recover()
  time.nowMs += 2_000
  assert.deepEqual(await ask('eth_chainId'), { result: '"0x1"' })
  assert.equal(nodes.status()[0]?.isPaused, false)
})

test('nobody there: unreachable; silent for too long: a timeout', async (t) => {
  const { fakes, ask } = await startNetwork(t, 1, { timeoutMs: 200 })
  const [fake] = fakes as [(typeof fakes)[0]]
  fake.faults.hang = true
  assert.equal(troubleOf(await ask('eth_call')), 'timeout')
  fake.stop()
  assert.equal(troubleOf(await ask('eth_call')), 'unreachable')
})

test('a node that is behind is asked only when no other is left', async (t) => {
  const { fakes, ask, nodes } = await startNetwork(t, 2)
  const [first, second] = fakes as [(typeof fakes)[0], (typeof fakes)[0]]
  first.chain.head = 990
  for (const fake of fakes) fake.answer('eth_call', 1)
  await ask('eth_chainId')
  await untilHeadsKnown(nodes)
  for (let time = 0; time < 5; time++) await ask('eth_call')
  assert.deepEqual([first.times('eth_call'), second.times('eth_call')], [0, 5])
  second.faults.cutConnection = true
  assert.deepEqual(await ask('eth_call'), { result: '1' })
  assert.equal(first.times('eth_call'), 1)
})

test('null from a node that is behind is asked once more of one that is further, if it may only be unknown yet', async (t) => {
  const { fakes, ask, nodes } = await startNetwork(t, 2)
  const [first, second] = fakes as [(typeof fakes)[0], (typeof fakes)[0]]
  second.chain.head = 1_001
  first.answer('eth_getTransactionReceipt', null)
  second.answer('eth_getTransactionReceipt', { status: '0x1' })
  await ask('eth_chainId')
  await untilHeadsKnown(nodes)
  const doubtful = { isNullDoubtful: true }
  assert.deepEqual(await ask('eth_getTransactionReceipt'), { result: 'null' })
  assert.deepEqual(await ask('eth_getTransactionReceipt', '[]', doubtful), { result: '{"status":"0x1"}' })
  second.answer('eth_getTransactionReceipt', null)
  assert.deepEqual(await ask('eth_getTransactionReceipt', '[]', doubtful), { result: 'null' })
  second.faults.html = true
  assert.deepEqual(await ask('eth_getTransactionReceipt', '[]', doubtful), { result: 'null' })
  assert.deepEqual([first.times('eth_getTransactionReceipt'), second.times('eth_getTransactionReceipt')], [4, 3])
})

test('after the end nothing is asked, and nobody waits for ever', async (t) => {
  const { fakes, nodes, ask } = await startNetwork(t, 2)
  await nodes.close()
  assert.equal(troubleOf(await ask('eth_call')), 'unreachable')
  assert.equal(troubleOf(await ask('eth_sendUserOperation', '[]', { kind: 'once' })), 'unreachable')
  assert.deepEqual(
    fakes.map((fake) => fake.requests()),
    [0, 0],
  )
})

test('two nodes at one address have different names', async (t) => {
  const upstreams = ['http://a.test/key1', 'http://a.test/key2', 'http://b.test:81'].map((url) => ({ url }))
  const { nodes } = connect(t, upstreams)
  assert.deepEqual(
    nodes.status().map(({ name }) => name),
    ['a.test', 'a.test#2', 'b.test:81'],
  )
})

test('when the caller leaves, the nodes are left at once, and are not blamed', async (t) => {
  const { fakes, nodes, troubles } = await startNetwork(t, 2)
  const [first, second] = fakes as [(typeof fakes)[0], (typeof fakes)[0]]
  Object.assign(first.faults, { hang: true, only: new Set(['eth_call', 'eth_sendRawTransaction']) })
  for (const kind of ['read', 'once', 'send'] as const) {
    const before = first.left()
    const { signal, stop } = createStop()
    const method = kind === 'read' ? 'eth_call' : 'eth_sendRawTransaction'
    const asked = nodes.ask([call(method, '["0x01"]', { kind })], signal)
    const seen = first.times(method)
    await first.asked(method, seen + 1)
    stop()
    await assert.rejects(asked, (error) => error === signal.reason)
    await until(() => first.left() > before)
    await assert.rejects(nodes.ask([call(method)], signal), (error) => error === signal.reason)
  }
  assert.deepEqual(troubles, [])
  assert.equal(nodes.status()[0]?.failureRate, 0)
  assert.equal(second.times('eth_call') + second.times('eth_sendRawTransaction'), 0)
})
