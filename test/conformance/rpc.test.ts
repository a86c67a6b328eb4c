import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Answer } from '../client.js'
import { startFakeRpcNode } from '../fakes/rpc-node.js'
import { createPayer } from '../money.js'
import { creditsIn, startRpcService } from '../rpc-service.js'

const node = await startFakeRpcNode({ after })
const upstreams = [node.url]
const service = await startRpcService(
  { after },
  {
    networks: {
      'zksync-mainnet': { upstreams },
      'ethereum-mainnet': { upstreams },
      'solana-mainnet': { upstreams },
      'starknet-mainnet': { upstreams },
      'own-chain': { upstreams, creditsPerCall: 7 },
    },
  },
)
const { call, costing } = service
const ethereum = 'ethereum-mainnet'

for (const method of [
  ...[
    'eth_call',
    'trace_transaction',
    'trace_replayTransaction',
    'web3_clientVersion',
    'eth_getBalance',
    'eth_gasPrice',
  ],
  ...['getLargestAccounts', 'getBalance', 'starknet_chainId'],
])
  node.answer(method, '0x1')

const version = (id: unknown = 1) => ({ jsonrpc: '2.0', id, method: 'web3_clientVersion' })
/** What callers asked; the service itself asks how far the chain is. */
const askedByCallers = () =>
  node.calls.filter(
    ({ method }) => !['eth_blockNumber', 'eth_getBlockByNumber', 'getSlot', 'starknet_blockNumber'].includes(method),
  ).length

/** Refused, without a trace: no node was asked, nothing was paid. */
const refused = async (status: number, work: () => Promise<Answer>): Promise<Answer> => {
  const before = askedByCallers()
  const answer = await costing(0, work)
  assert.equal(answer.status, status, answer.text)
  assert.equal(askedByCallers(), before, 'a node was asked')
  for (const name of ['x-svc-rpc-credits', 'x-svc-rpc-cost-usd', 'x-svc-rpc-cache'])
    assert.equal(answer.headers[name], undefined, name)
  return answer
}

test('the networks of this service are listed for everybody, in order', async () => {
  const { status, body } = await service.get('/crypto/rpc/networks')
  const networks = ['ethereum-mainnet', 'own-chain', 'solana-mainnet', 'starknet-mainnet', 'zksync-mainnet']
  assert.deepEqual([status, body], [200, { networks }])
})

test('a service without nodes lists none, and knows none', async (t) => {
  const bare = await startRpcService(t, { networks: {} })
  assert.deepEqual((await bare.get('/crypto/rpc/networks')).body, { networks: [] })
  const answer = await bare.call(ethereum, version())
  assert.deepEqual([answer.status, answer.body.code], [400, 'UNSUPPORTED_NETWORK'])
})

test('an answer says what it cost, and nothing of limits', async () => {
  const answer = await costing(20, () => call(ethereum, version('x')))
  assert.deepEqual([answer.status, answer.text], [200, '{"jsonrpc":"2.0","id":"x","result":"0x1"}'])
  const { headers } = answer
  assert.equal(headers['content-type'], 'application/json')
  assert.deepEqual([headers['x-svc-rpc-credits'], headers['x-svc-rpc-cost-usd']], ['20', '0.00001400'])
  assert.equal(headers['x-svc-rpc-cache'], 'MISS')
  assert.match(String(headers['x-request-id']), /^[0-9a-f]{32}$/)
  assert.deepEqual(
    Object.keys(headers).filter((name) => name.startsWith('x-ratelimit') || name === 'idempotent-replayed'),
    [],
  )
  assert.equal(headers['x-balance-remaining'], undefined, 'which is for wallets')
})

test('a call costs what its network and its method cost', async () => {
  for (const [network, method, credits] of [
    [ethereum, 'eth_call', 20],
    [ethereum, 'trace_transaction', 40],
    [ethereum, 'trace_replayTransaction', 80],
    ['zksync-mainnet', 'eth_call', 30],
    ['solana-mainnet', 'getBalance', 30],
    ['solana-mainnet', 'getLargestAccounts', 120],
    ['starknet-mainnet', 'starknet_chainId', 20],
    ['own-chain', 'trace_replayTransaction', 28],
  ] as const) {
    const answer = await costing(credits, () => call(network, { id: 1, method, params: [] }))
    assert.equal(answer.status, 200, answer.text)
    assert.equal(creditsIn(answer), credits, `${method} on ${network}`)
  }
  const batch = [1, 2].flatMap((id) => [
    { id, method: 'eth_call', params: [{}, 'latest'] },
    { id: `t${id}`, method: 'trace_transaction', params: ['0x'] },
  ])
  assert.equal(creditsIn(await costing(120, () => call(ethereum, batch))), 120)
})

test('an answer that was kept costs the same and asks nobody', async () => {
  const question = { id: 1, method: 'eth_chainId', params: [] }
  const [first, second] = [
    await call(ethereum, question),
    await costing(20, () => call(ethereum, { ...question, id: 2 })),
  ]
  assert.deepEqual(
    [first, second].map(({ headers }) => headers['x-svc-rpc-cache']),
    ['MISS', 'HIT'],
  )
  assert.deepEqual([second.body.id, node.times('eth_chainId')], [2, 1])
})

test('JSON is taken under each of its names', async () => {
  for (const type of ['application/json; charset=utf-8', 'Application/JSON;charset=UTF-8']) {
    const answer = await call(ethereum, version(), { 'content-type': type })
    assert.equal(answer.status, 200, `${type}: ${answer.text}`)
  }
})

test('without a key, or with a wrong one: 401', async () => {
  await refused(401, () => service.callUnsigned(ethereum, version()))
  await refused(401, () => service.callAs('sk-nobody')(ethereum, version()))
})

test('an account without credit: 402', async () => {
  const poor = await createPayer(service.sql, { usd: 13_999n })
  await refused(402, () => service.callAs(poor.key)(ethereum, version()))
  assert.equal(await service.balanceOf(poor), 13_999n)
  const { status } = await service.callAs((await createPayer(service.sql, { usd: 14_000n })).key)(ethereum, version())
  assert.equal(status, 200)
})

test('a network that is not there: 400, with those that are', async () => {
  for (const network of ['ethereum', 'ethereum-goerli', 'ETHEREUM-MAINNET', '__proto__', 'constructor', '%00']) {
    const { body } = await refused(400, () => call(network, version()))
    assert.equal(body.code, 'UNSUPPORTED_NETWORK', network)
    assert.match(body.error, /ethereum-mainnet, own-chain/)
  }
})

test('what is no call: 400', async () => {
  for (const body of [
    ...['', ' ', '{', '[{}', 'null', '"eth_call"', '1', '{}', '[]', '[null]', '[[{"id":1,"method":"eth_call"}]]'],
    ...['{"id":1,"method":1}', '{"id":1,"method":""}', '{"id":1,"method":"eth_call","params":"latest"}'],
    ...['{"id":{},"method":"eth_call"}', '{"id":[1],"method":"eth_call"}', '{"id":true,"method":"eth_call"}'],
    ...[
      '{"jsonrpc":"1.0","id":1,"method":"eth_call"}',
      '{"id":1,"method":"eth_call"} {}',
      '{"id":01,"method":"eth_call"}',
    ],
    ...[`[${JSON.stringify(version())},{"id":2}]`],
  ])
    await refused(400, () => call(ethereum, body))
})

test('a batch has 1 to 100 calls', async () => {
  const calls = Array.from({ length: 101 }, (_, id) => version(id))
  assert.equal(creditsIn(await costing(2_000, () => call(ethereum, calls.slice(1)))), 2_000)
  const { body } = await refused(400, () => call(ethereum, calls))
  assert.match(body.error, /100/)
})

describe('methods', () => {
  test('that nobody may call are refused, all of them named, and none of their batch is run', async () => {
    const wrong = ['eth_subscribe', 'eth_newFilter', 'eth_getFilterChanges', 'eth_sign', 'eth_accounts', 'eth_mining']
    for (const method of wrong) {
      const { body } = await refused(400, () => call(ethereum, { id: 1, method, params: [] }))
      assert.deepEqual([body.code, body.methods], ['UNSUPPORTED_METHOD', [method]])
    }
    const calls = [...wrong, 'eth_gasPrice', 'personal_unlockAccount', 'eth_sign'].map((method, id) => ({ id, method }))
    const { body } = await refused(400, () => call(ethereum, calls))
    assert.deepEqual([...body.methods].sort(), [...wrong, 'personal_unlockAccount'].sort())
    for (const method of body.methods) assert.ok(body.error.includes(method), method)
    assert.equal(node.times('eth_gasPrice'), 0)
  })

  test('of another family are refused', async () => {
    for (const [network, method] of [
      [ethereum, 'getBalance'],
      [ethereum, 'starknet_chainId'],
      ['solana-mainnet', 'eth_call'],
      ['solana-mainnet', 'accountSubscribe'],
      ['starknet-mainnet', 'eth_chainId'],
    ] as const) {
      const { body } = await refused(400, () => call(network, { id: 1, method, params: [] }))
      assert.deepEqual([body.code, body.methods], ['UNSUPPORTED_METHOD', [method]])
    }
  })

  test('with names that are not theirs are refused in words that are safe to show', async () => {
    for (const method of ['__proto__', 'eth_call\n', 'eth_call ', '<b>', 'x'.repeat(5_000)]) {
      const { body, text } = await refused(400, () => call(ethereum, { id: 1, method }))
      assert.equal(body.code, 'UNSUPPORTED_METHOD')
      assert.ok(text.length < 4_000, `${text.length} characters`)
    }
  })
})

describe('notifications', () => {
  const notification = { jsonrpc: '2.0', method: 'eth_gasPrice' }

  test('alone are taken: 204, nothing asked, nothing paid', async () => {
    for (const body of [notification, [notification, notification]]) {
      const answer = await costing(0, () => call(ethereum, body))
      assert.deepEqual([answer.status, answer.text], [204, ''])
    }
    assert.equal(node.times('eth_gasPrice'), 0)
  })

  test('among others are not answered and not paid', async () => {
    const answer = await costing(40, () => call(ethereum, [version('a'), notification, version(null)]))
    assert.deepEqual(
      answer.body.map(({ id }: { id: unknown }) => id),
      ['a', null],
    )
    assert.equal(node.times('eth_gasPrice'), 0)
  })
})

describe('an Idempotency-Key', () => {
  const balance = (address: string) => ({ id: 1, method: 'eth_getBalance', params: [address, 'latest'] })
  const withKey = (key: string, body: unknown, as = call) => as(ethereum, body, { 'idempotency-key': key })

  test('gives the same answer again, without a node and without a bill', async () => {
    const first = await costing(20, () => withKey('k-1_A', balance('0x1')))
    assert.deepEqual([first.status, first.headers['idempotent-replayed']], [200, undefined])
    const asked = askedByCallers()
    node.answer('eth_getBalance', '0x2')
    const again = await costing(0, () => withKey('k-1_A', balance('0x1')))
    assert.deepEqual([again.status, again.text], [200, first.text])
    assert.equal(again.headers['idempotent-replayed'], 'true')
    for (const name of ['x-svc-rpc-credits', 'x-svc-rpc-cost-usd', 'content-type'])
      assert.equal(again.headers[name], first.headers[name], name)
    assert.equal(askedByCallers(), asked)
  })

  test('is good for one body, to the byte, on one network', async () => {
    await withKey('k-2', balance('0x3'))
    for (const body of [balance('0x4'), `${JSON.stringify(balance('0x3'))} `]) {
      const answer = await refused(400, () => withKey('k-2', body))
      assert.equal(answer.body.code, 'IDEMPOTENCY_KEY_REUSED')
    }
    const elsewhere = await refused(400, () => call('own-chain', balance('0x3'), { 'idempotency-key': 'k-2' }))
    assert.equal(elsewhere.body.code, 'IDEMPOTENCY_KEY_REUSED')
  })

  test('is the own one of each caller', async () => {
    await withKey('k-3', balance('0x5'))
    const other = await createPayer(service.sql, { usd: 1_000_000n })
    const answer = await withKey('k-3', balance('0x6'), service.callAs(other.key))
    assert.deepEqual([answer.status, answer.headers['idempotent-replayed']], [200, undefined])
    assert.equal(await service.balanceOf(other), 1_000_000n - 14_000n)
  })

  test('has 1 to 255 letters, digits, hyphens and underscores', async () => {
    for (const key of ['a b', 'é', 'a.b', 'x'.repeat(256)]) await refused(400, () => withKey(key, version()))
    assert.equal((await withKey('x'.repeat(255), version())).status, 200)
  })

  test('does not keep a failure: the next try is a try', async () => {
    Object.assign(node.faults, { only: new Set(['eth_getBalance']), html: true })
    const failed = await costing(0, () => withKey('k-4', balance('0x7')))
    assert.equal(failed.status, 500)
    node.recover()
    const answer = await costing(20, () => withKey('k-4', balance('0x7')))
    assert.deepEqual([answer.status, answer.headers['idempotent-replayed']], [200, undefined], answer.text)
  })

  test('used by many at once runs once', async () => {
    node.faults.delayMs = 100
    const answers = await costing(20, () =>
      Promise.all(
        Array.from({ length: 8 }, () => withKey('k-5', { id: 1, method: 'web3_clientVersion', params: [5] })),
      ),
    )
    node.recover()
    assert.ok(answers.every(({ status }) => status === 200 || status === 409))
    assert.equal(answers.filter(({ status, headers }) => status === 200 && !headers['idempotent-replayed']).length, 1)
    assert.equal(node.calls.filter(({ params }) => Array.isArray(params) && params[0] === 5).length, 1)
  })
})
