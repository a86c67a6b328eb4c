import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startFakeRpcNode } from '../fakes/rpc-node.js'
import { createPayer } from '../money.js'
import { startRpcService } from '../rpc-service.js'

const mebi = 1024 * 1024
const node = await startFakeRpcNode({ after })
const service = await startRpcService(
  { after },
  {
    networks: { 'ethereum-mainnet': { upstreams: [node.url] } },
    answerBytesMax: 12 * mebi,
    largeAnswersBytesMax: 120 * mebi,
    creditsPerDay: 10_000,
    cacheBytesMax: 0,
  },
)
node.rawResult('eth_getLogs', `"${'x'.repeat(10 * mebi)}"`)
node.answer('web3_clientVersion', 'small')
const logs = (block: number) => ({ id: 1, method: 'eth_getLogs', params: [{ fromBlock: block, toBlock: 'latest' }] })
const version = { id: 1, method: 'web3_clientVersion' }
const call = (body: unknown, headers: Record<string, string> = {}) => service.call('ethereum-mainnet', body, headers)

const bytesUnderWay = async () => {
  const { text } = await service.outside.get('/metrics')
  return Number(/^tessera_rpc_answer_bytes (\S+)$/m.exec(text)?.[1])
}
const untilNothingIsUnderWay = async () => {
  for (let looks = 0; looks < 1_000; looks++) {
    if ((await bytesUnderWay()) === 0) return
    await wait(10)
  }
  assert.fail('bytes stay counted')
}

const head = (length: number, more = '') =>
  `POST /api/v1/crypto/rpc/ethereum-mainnet HTTP/1.1\r\nHost: x\r\nAuthorization: ${service.authorization}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${more}\r\n`

/** Somebody who asks and does not read the answer. */
const askAndWait = (block: number, more = ''): Socket => {
  const text = JSON.stringify(logs(block))
  const socket = connect(Number(new URL(service.origin).port), '127.0.0.1').pause()
  socket.on('error', () => {})
  socket.write(head(text.length, more) + text)
  return socket
}

test('who does not read large answers is soon refused more of them; small ones are not, and others are not', async () => {
  const idle: Socket[] = []
  // More than any connection takes before it is read.
  while ((await bytesUnderWay()) < 50 * mebi) {
    idle.push(askAndWait(idle.length))
    await wait(20)
  }
  const refused = await service.costing(0, () => call(logs(1_000)))
  assert.deepEqual(
    [refused.status, refused.body.code, refused.headers['retry-after']],
    [503, 'SERVICE_UNAVAILABLE', '2'],
  )
  assert.match(refused.body.error, /large answers .* nothing is charged/)
  // Nor is it counted: together these would be more than the credits of a day.
  const costly = [logs(1_000), ...new Array(99).fill(version)]
  for (const key of ['a', 'b', 'c', 'd', 'e'])
    assert.equal((await call(costly, { 'idempotency-key': key })).status, 503)
  assert.equal((await call(version)).status, 200)
  assert.ok((await bytesUnderWay()) <= 60 * mebi, 'half of the room')
  const other = await createPayer(service.sql, { usd: 1_000_000_000n })
  assert.equal((await service.callAs(other.key)('ethereum-mainnet', logs(1_002))).status, 200)

  for (const socket of idle) socket.destroy()
  await untilNothingIsUnderWay()
  const answer = await call(logs(1_001))
  assert.deepEqual([answer.status, answer.body.result.length], [200, 10 * mebi])
})

test('large answers of a batch that come one by one are all there', async () => {
  const several = [logs(1), logs(2), logs(3), version].map((one, id) => ({ ...one, id }))
  node.faults.refuseBatches = 'status'
  const answer = await call(several)
  node.recover()
  assert.equal(answer.status, 200)
  assert.deepEqual(
    answer.body.map(({ result }: { result: string }) => result.length),
    [10 * mebi, 10 * mebi, 10 * mebi, 'small'.length],
  )
  await untilNothingIsUnderWay()
})

test('the largest batch that is allowed fits, alone', async () => {
  node.rawResult('eth_getBlockReceipts', `"${'x'.repeat(12 * mebi - 100)}"`)
  const calls = ['a', 'b', 'c', 'd'].map((letter) => ({
    id: letter.repeat(200),
    method: 'eth_getBlockReceipts',
    params: [letter],
  }))
  const { status, body } = await call(calls)
  assert.equal(status, 200)
  for (const { result } of body) assert.equal(result?.length, 12 * mebi - 100)
  await untilNothingIsUnderWay()
})

test('what is too large, broken off or no longer wanted is not counted for ever', async () => {
  node.rawResult('eth_getBlockReceipts', `"${'x'.repeat(13 * mebi)}"`)
  const large = { id: 1, method: 'eth_getBlockReceipts', params: ['latest'] }
  assert.equal((await call(large)).body.code, 'RPC_ANSWER_TOO_LARGE')
  Object.assign(node.faults, { truncate: true, only: new Set(['eth_getLogs']) })
  assert.equal((await call(logs(5))).body.code, 'RPC_UPSTREAM_FAILED')
  node.recover()
  Object.assign(node.faults, { hang: true, only: new Set(['eth_getLogs']) })
  const before = node.times('eth_getLogs')
  const socket = askAndWait(6)
  await node.asked('eth_getLogs', before + 1)
  socket.destroy()
  node.recover()
  await untilNothingIsUnderWay()
})

test('an answer that is given again takes room as the first one did', async () => {
  assert.equal((await call(logs(7), { 'idempotency-key': 'again' })).status, 200)
  await untilNothingIsUnderWay()
  const socket = askAndWait(7, 'Idempotency-Key: again\r\n')
  for (let looks = 0; looks < 500 && (await bytesUnderWay()) === 0; looks++) await wait(10)
  assert.ok((await bytesUnderWay()) > 10 * mebi)
  socket.destroy()
  await untilNothingIsUnderWay()
})

test('who asks for more behind a large answer may wait for it as long as anybody', async () => {
  const connected = once(service.app.server.server, 'connection')
  Object.assign(node.faults, { hang: true, only: new Set(['eth_gasPrice']) })
  const client = askAndWait(8)
  const text = JSON.stringify({ id: 1, method: 'eth_gasPrice' })
  client.write(head(text.length) + text)
  const [socket] = (await connected) as [Socket]
  let heard = 0
  for await (const part of client.iterator({ destroyOnReturn: false })) {
    heard += part.length
    if (heard > 10 * mebi) break
  }
  // Its end is noticed a moment after it was heard.
  for (let looks = 0; looks < 200 && socket.timeout !== 0; looks++) await wait(5)
  assert.equal(socket.timeout, 0)
  client.destroy()
  node.recover()
  await untilNothingIsUnderWay()
})
