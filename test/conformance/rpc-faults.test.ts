import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { request } from 'undici'
import type { FakeRpcFaults } from '../fakes/rpc-node.js'
import { askBalance, askedOf, balanceTold, startPairs } from '../rpc-pairs.js'
import { creditsIn } from '../rpc-service.js'
import { until } from '../text-service.js'

const { service, takePair } = await startPairs({ after }, 40)
const { call, costing } = service

const assertFailed = async (network: string, body: unknown, code: string) => {
  const answer = await costing(0, () => call(network, body))
  assert.deepEqual([answer.status, answer.body.code], [500, code], answer.text)
  // Where the nodes are is nobody's business: addresses often hold a secret.
  assert.doesNotMatch(answer.text, /127\.0\.0\.1|localhost/)
  assert.equal(answer.headers['x-svc-rpc-credits'], undefined)
}

type Fault = { name: string; faults: Partial<FakeRpcFaults>; code: string }
const wrongs: Fault[] = [
  { name: 'is broken (500)', faults: { status: 500 }, code: 'RPC_UPSTREAM_FAILED' },
  {
    name: 'is behind a broken gateway (502)',
    faults: { says: { status: 502, text: 'Bad gateway' } },
    code: 'RPC_UPSTREAM_FAILED',
  },
  { name: 'does not let us in (401)', faults: { says: { status: 401, text: '{}' } }, code: 'RPC_UPSTREAM_FAILED' },
  { name: 'limits us (429)', faults: { rateLimited: true }, code: 'RPC_UPSTREAM_FAILED' },
  { name: 'limits us for a minute', faults: { rateLimited: true, retryAfterSeconds: 60 }, code: 'RPC_UPSTREAM_FAILED' },
  { name: 'says HTML', faults: { html: true }, code: 'RPC_UPSTREAM_FAILED' },
  { name: 'says nothing', faults: { says: { status: 200, text: '' } }, code: 'RPC_UPSTREAM_FAILED' },
  { name: 'answers somebody else', faults: { wrongIds: true }, code: 'RPC_UPSTREAM_FAILED' },
  { name: 'cuts the connection', faults: { cutConnection: true }, code: 'RPC_UPSTREAM_FAILED' },
  { name: 'cuts its answer', faults: { truncate: true }, code: 'RPC_UPSTREAM_FAILED' },
  { name: 'says half of its answer', faults: { truncateText: true }, code: 'RPC_UPSTREAM_FAILED' },
  { name: 'never answers', faults: { hang: true }, code: 'RPC_UPSTREAM_TIMEOUT' },
]

const onlyBalances = new Set(['eth_getBalance'])

for (const { name, faults, code } of wrongs)
  describe(`a node that ${name}`, () => {
    test('is not noticed while there is another: right answers, each paid once', async () => {
      const pair = takePair()
      Object.assign(pair.nodes[0].faults, { only: onlyBalances, ...faults })
      for (const id of [1, 2, 3]) {
        const answer = await costing(20, () => call(pair.network, askBalance(id)))
        assert.deepEqual([answer.status, answer.body], [200, balanceTold(id)])
      }
      const batch = await costing(60, () =>
        call(
          pair.network,
          [4, 5, 6].map((id) => askBalance(id)),
        ),
      )
      assert.deepEqual(batch.body, [4, 5, 6].map(balanceTold))
      pair.nodes[0].recover()
    })

    test('is told with a clear error when all are like that, and costs nothing', async () => {
      const pair = takePair()
      for (const node of pair.nodes) Object.assign(node.faults, { only: onlyBalances, ...faults })
      await assertFailed(pair.network, askBalance(1), code)
      for (const node of pair.nodes) node.recover()
    })
  })

test('nodes that are down are no different', async () => {
  const pair = takePair()
  pair.nodes[0].stop()
  for (const id of [1, 2, 3])
    assert.deepEqual((await costing(20, () => call(pair.network, askBalance(id)))).body, balanceTold(id))
  const { text } = await service.outside.get('/metrics')
  assert.match(text, new RegExp(`tessera_rpc_node_repeats_total\\{network="${pair.network}",.*kind="retried"\\} [1-9]`))
  pair.nodes[1].stop()
  await assertFailed(pair.network, askBalance(4), 'RPC_UPSTREAM_FAILED')
})

test('an answer that is too large is refused, and said to be', async () => {
  const pair = takePair()
  for (const node of pair.nodes) Object.assign(node.faults, { only: onlyBalances, oversizeBytes: 200_000 })
  await assertFailed(pair.network, askBalance(1), 'RPC_ANSWER_TOO_LARGE')
})

test('answers that are too large only together: as many as fit are given and paid, however few were asked', async () => {
  const pair = takePair()
  for (const node of pair.nodes) node.answer('eth_call', 'x'.repeat(90_000))
  const same = Array.from({ length: 6 }, (_, id) => ({ id, method: 'eth_call', params: [{}, 'latest'] }))
  const { status, body } = await costing(80, () => call(pair.network, same))
  assert.equal(status, 200)
  assert.deepEqual(
    body.map(({ id, error }: { id: number; error?: { data: unknown } }) => [id, error?.data]),
    [0, 1, 2, 3, 4, 5].map((id) => [id, id < 4 ? undefined : { reason: 'RPC_ANSWER_TOO_LARGE' }]),
  )
})

test('slow nodes: whoever answers, each call is paid once', async () => {
  const pair = takePair()
  for (const node of pair.nodes) Object.assign(node.faults, { only: onlyBalances, delayMs: 300 })
  const answers = await costing(60, () => Promise.all([1, 2, 3].map((id) => call(pair.network, askBalance(id)))))
  assert.deepEqual(
    answers.map(({ body }) => body),
    [1, 2, 3].map(balanceTold),
  )
})

test('a node that lags behind: what it does not know yet is asked of the one that does', async () => {
  const pair = takePair()
  const [behind, ahead] = pair.nodes
  behind.chain.head = 1_000
  ahead.chain.head = 1_004
  const receipt = { transactionHash: `0x${'1'.repeat(64)}`, blockNumber: '0x3ec', status: '0x1' }
  behind.answer('eth_getTransactionReceipt', null)
  ahead.answer('eth_getTransactionReceipt', receipt)
  const question = { id: 1, method: 'eth_getTransactionReceipt', params: [receipt.transactionHash] }
  // Whichever it asks first, and however often.
  for (let times = 0; times < 5; times++) {
    const answer = await costing(20, () => call(pair.network, question))
    assert.deepEqual(answer.body.result, receipt)
  }
})

describe('batches', () => {
  const ids = [1, 2, 3, 4]
  const batch = ids.map((id) => askBalance(id))

  for (const [name, faults] of [
    ['in another order', { reverseBatch: true }],
    ['with an answer twice', { repeatItem: true }],
    ['not at all, but call by call', { refuseBatches: 'error' }],
    ['not at all, with a status', { refuseBatches: 'status' }],
  ] as const)
    test(`are answered in order by nodes that answer them ${name}`, async () => {
      const pair = takePair()
      for (const node of pair.nodes) Object.assign(node.faults, { only: onlyBalances, ...faults })
      const answer = await costing(80, () => call(pair.network, batch))
      assert.deepEqual(answer.body, ids.map(balanceTold))
    })

  test('of which one node leaves out some are completed by the other', async () => {
    const pair = takePair()
    Object.assign(pair.nodes[0].faults, { only: onlyBalances, dropItems: 2 })
    const answer = await costing(80, () => call(pair.network, batch))
    assert.deepEqual(answer.body, ids.map(balanceTold))
  })

  test('of which some failed everywhere tell so in their place; only the others are paid', async () => {
    const pair = takePair()
    for (const node of pair.nodes) {
      // Parts of it are refused by whoever is asked, in whatever way.
      node.answer('eth_getCode', '0x')
      Object.assign(node.faults, { only: new Set(['eth_getCode']), says: { status: 502, text: 'Bad gateway' } })
    }
    const code = { jsonrpc: '2.0', id: 'c', method: 'eth_getCode', params: [`0x${'2'.repeat(40)}`, '0x1'] }
    // What is known already needs no node.
    const chain = { jsonrpc: '2.0', id: 'k', method: 'eth_chainId' }
    await costing(20, () => call(pair.network, chain))
    const answer = await costing(20, () => call(pair.network, [chain, code]))
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body[0], { jsonrpc: '2.0', id: 'k', result: '0x1' })
    const { id, error, result } = answer.body[1]
    assert.deepEqual([id, error.code, result], ['c', -32603, undefined])
    assert.match(error.message, /No node of network-\d+ gave an answer/)
  })

  test('with errors among results cost 5 for each error', async () => {
    const pair = takePair()
    for (const node of pair.nodes) node.rawError('eth_call', '{"code":3,"message":"execution reverted","data":"0x01"}')
    const failing = { jsonrpc: '2.0', id: 'f', method: 'eth_call', params: [{ to: `0x${'3'.repeat(40)}` }, 'latest'] }
    const answer = await costing(45, () => call(pair.network, [askBalance(1), failing, askBalance(2)]))
    assert.equal(creditsIn(answer), 45)
    assert.deepEqual(answer.body[1].error, { code: 3, message: 'execution reverted', data: '0x01' })
  })
})

test('equal calls at once are one upstream, and each caller pays for its own', async () => {
  const pair = takePair()
  for (const node of pair.nodes) Object.assign(node.faults, { only: onlyBalances, delayMs: 200 })
  const answers = await costing(200, () =>
    Promise.all(Array.from({ length: 10 }, (_, id) => call(pair.network, askBalance(id, `0x${'8'.repeat(40)}`)))),
  )
  assert.deepEqual(
    answers.map(({ body }) => body),
    answers.map((_, id) => ({ jsonrpc: '2.0', id, result: '0xb88888888' })),
  )
  // A second node may be asked because the first is slow.
  assert.ok(askedOf(pair, 'eth_getBalance') <= 2, `${askedOf(pair, 'eth_getBalance')} calls`)
})

test('a caller who leaves pays nothing, and the others who wait for the same still get it', async () => {
  const pair = takePair()
  for (const node of pair.nodes) Object.assign(node.faults, { only: onlyBalances, hang: true })
  const question = askBalance(1)
  await costing(20, async () => {
    const leaving = new AbortController()
    const left = request(service.urlOf(pair.network), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: service.authorization },
      body: JSON.stringify(question),
      signal: leaving.signal,
    })
    await Promise.race(pair.nodes.map((node) => node.asked('eth_getBalance')))
    const staying = call(pair.network, question)
    leaving.abort()
    await assert.rejects(left, { name: 'AbortError' })
    // What proxies write into their logs for a client that left.
    await until(async () => service.logLines.some((line) => line.includes('"status":499')) || undefined)
    for (const node of pair.nodes) node.recover()
    assert.deepEqual((await staying).body, balanceTold(1))
  })
})
