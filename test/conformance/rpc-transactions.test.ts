import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Hex, keccak256 } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { askedOf, type Pair, startPairs } from '../rpc-pairs.js'

const { service, takePair } = await startPairs({ after }, 9)
const { call, costing } = service

const sign = async () => {
  const account = privateKeyToAccount(generatePrivateKey())
  const raw = await account.signTransaction({
    type: 'eip1559',
    chainId: 1,
    nonce: 0,
    gas: 21_000n,
    maxFeePerGas: 1n,
    to: account.address,
  })
  return { raw, hash: keccak256(raw), body: { id: 1, method: 'eth_sendRawTransaction', params: [raw] } }
}
const sends = (pair: Pair) => askedOf(pair, 'eth_sendRawTransaction')
const looks = (pair: Pair) => askedOf(pair, 'eth_getTransactionByHash') + askedOf(pair, 'eth_getTransactionReceipt')
const effects = ({ nodes }: Pair) =>
  nodes.flatMap(({ handled }) => handled).filter(({ method }) => method === 'eth_sendRawTransaction').length

const noted = (hash: string) =>
  service.sql<Record<string, unknown>>`
    select replace(request_id::text, '-', '') "requestId", account_id "accountId", api_key_id "apiKeyId", network, method,
           outcome
    from rpc_transaction where hash = ${hash}`

const assertHidden = (raw: string) => {
  for (const line of service.logLines) assert.ok(!line.includes(raw.slice(2)), 'a signed transaction is in the log')
}

/** Nodes of one chain: each knows what any of them has taken. */
const connect = (pair: Pair) => {
  const pool = new Set<string>()
  for (const node of pair.nodes) {
    node.answer('eth_sendRawTransaction', ([raw]: [Hex]) => {
      pool.add(keccak256(raw))
      return keccak256(raw)
    })
    node.answer('eth_getTransactionByHash', ([hash]: [string]) => (pool.has(hash) ? { hash, blockNumber: null } : null))
    node.answer('eth_getTransactionReceipt', null)
  }
}

test('a transaction is sent once when all is well, however slow', async () => {
  const pair = takePair()
  connect(pair)
  for (const node of pair.nodes) node.faults.delayMs = 400
  const { hash, body } = await sign()
  const answer = await costing(20, () => call(pair.network, body))
  assert.deepEqual([answer.body.result, sends(pair)], [hash, 1])
})

for (const fault of ['cutConnection', 'truncate', 'truncateText', 'html'] as const)
  test(`a transaction that was taken before the node broke off (${fault}) is found, not sent again`, async () => {
    const pair = takePair()
    connect(pair)
    const only = new Set(['eth_sendRawTransaction'])
    for (const node of pair.nodes) Object.assign(node.faults, { only, takesEffect: true, [fault]: true })
    const { hash, body } = await sign()
    const answer = await costing(20, () => call(pair.network, body))
    assert.deepEqual([answer.status, answer.body.result, effects(pair)], [200, hash, 1], answer.text)
  })

test('a transaction that was not taken is sent again only after it was looked for', async () => {
  const pair = takePair()
  connect(pair)
  for (const node of pair.nodes)
    Object.assign(node.faults, { only: new Set(['eth_sendRawTransaction']), cutConnection: true, times: 1 })
  const { hash, body } = await sign()
  const answer = await call(pair.network, body)
  if (answer.status === 200) assert.equal(answer.body.result, hash)
  else assert.equal(answer.body.code, 'RPC_OUTCOME_UNKNOWN')
  assert.ok(looks(pair) >= sends(pair) - 1, `sent ${sends(pair)} times, looked for ${looks(pair)} times`)
})

test('a transaction of which nothing can be learned ends with its hash and a warning, and costs nothing', async () => {
  const pair = takePair()
  connect(pair)
  const { hash, raw, body } = await sign()
  for (const node of pair.nodes)
    Object.assign(node.faults, {
      only: new Set(['eth_sendRawTransaction', 'eth_getTransactionByHash', 'eth_getTransactionReceipt']),
      takesEffect: true,
      cutConnection: true,
    })
  const answer = await costing(0, () => call(pair.network, body))
  assert.deepEqual([answer.status, answer.body.code], [500, 'RPC_OUTCOME_UNKNOWN'], answer.text)
  assert.ok(answer.body.error.includes(hash), answer.body.error)
  assert.ok(looks(pair) >= sends(pair), `sent ${sends(pair)} times, looked for ${looks(pair)} times`)
  assert.deepEqual(
    (await noted(hash)).map(({ outcome }) => outcome),
    ['unknown'],
  )
  assertHidden(raw)
})

test('a transaction that a node refuses is not tried elsewhere', async () => {
  const pair = takePair()
  const error = '{"code":-32000,"message":"nonce too low: next nonce 5, tx nonce 0"}'
  for (const node of pair.nodes) node.rawError('eth_sendRawTransaction', error)
  const answer = await costing(5, async () => call(pair.network, (await sign()).body))
  assert.equal(answer.text, `{"jsonrpc":"2.0","id":1,"error":${error}}`)
  assert.equal(sends(pair), 1)
})

test('a transaction that was sent is written down: who, where, and its hash, but never what was in it', async () => {
  const pair = takePair()
  connect(pair)
  const { hash, raw, body } = await sign()
  const { headers } = await call(pair.network, body)
  const { accountId, apiKeyId } = service.payer
  const requestId = headers['x-request-id']
  const { network } = pair
  assert.deepEqual(await noted(hash), [
    { requestId, accountId, apiKeyId, network, method: 'eth_sendRawTransaction', outcome: 'accepted' },
  ])
  assertHidden(raw)
})
