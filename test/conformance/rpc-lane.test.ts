import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Answer } from '../client.js'
import { startFakeRpcNode } from '../fakes/rpc-node.js'
import { startRpcService } from '../rpc-service.js'

/** Plain calls take a short way past the framework. Nobody can tell by the answer which way it came. */
const node = await startFakeRpcNode({ after })
const networks = { 'ethereum-mainnet': { upstreams: [node.url] }, 'base-mainnet': { upstreams: [node.url] } }
const service = await startRpcService({ after }, { networks })
node.answer('web3_clientVersion', '0x1')
const version = { jsonrpc: '2.0', id: 1, method: 'web3_clientVersion' }

/** The same with a query is not plain. An empty one would not do: clients leave it out. */
const bothWays = async (
  body: unknown,
  { network = 'ethereum-mainnet', headers = {} }: { network?: string; headers?: Record<string, string> } = {},
): Promise<[Answer, Answer]> => [
  await service.call(network, body, headers),
  await service.call(`${network}?usual`, body, headers),
]

/** But for what is another one every time. */
const comparable = ({ status, headers, text }: Answer) => {
  const own = ['x-request-id', 'cf-ray', 'date', 'x-svc-timestamp', 'x-svc-balance-usd', 'connection', 'keep-alive']
  const kept = Object.entries(headers).filter(([name]) => !own.includes(name))
  return { status, text, headers: Object.fromEntries(kept) }
}

const asked: [string, unknown, Parameters<typeof bothWays>[1]?][] = [
  ['a call', version],
  ['a batch', [version, { ...version, id: 'b' }]],
  ['calls without an id', [{ method: 'web3_clientVersion' }]],
  ['a key for retries that cannot be one', version, { headers: { 'idempotency-key': 'a b' } }],
  ['headers that are sent back', version, { headers: { 'x-svc-mobile-version': '1.2' } }],
  ['a method that is not offered', { ...version, method: 'admin_peers' }],
  ['a network that is not there', version, { network: 'no-such-net' }],
  ['another address beside those of networks', version, { network: 'networks' }],
  ['a body that is packed', gzipSync(JSON.stringify(version)), { headers: { 'content-encoding': 'gzip' } }],
  ['a body that is packed as nobody does', version, { headers: { 'content-encoding': 'x' } }],
  ['no JSON', '{"id":1,'],
  ['nothing', ''],
  ['a body that is no call', '"text"'],
  ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]).toString('latin1')],
  ['a type with a charset', version, { headers: { 'content-type': 'application/json; charset=utf-8' } }],
  ['a type that is not JSON', 'x', { headers: { 'content-type': 'text/plain' } }],
  ['a key that is wrong', version, { headers: { authorization: 'Bearer wrong' } }],
  ['no key', version, { headers: { authorization: '' } }],
  ['an answer that is worth packing', Array.from({ length: 60 }, (_, id) => ({ ...version, id }))],
]

for (const [name, body, options] of asked)
  test(`${name}: the same answer on both ways`, async () => {
    const [short, usual] = await bothWays(body, options)
    assert.deepEqual(comparable(short), comparable(usual))
    for (const { headers } of [short, usual]) assert.match(String(headers['x-request-id']), /^[0-9a-f]{32}$/)
  })

test('a failure has the id of its request in the answer and in the log, once', async () => {
  const { status, headers } = await service.call('no-such-net', version)
  assert.equal(status, 400)
  const id = String(headers['x-request-id'])
  const linesOf = () => service.logLines.filter((line) => line.includes(id))
  while (linesOf().length === 0) await wait(5)
  const [line, ...more] = linesOf().map((text) => JSON.parse(text))
  assert.deepEqual([line.status, line.keyId, more.length], [400, service.payer.apiKeyId, 0])
})

const path = '/api/v1/crypto/rpc/ethereum-mainnet'
const head = (length: number) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${service.authorization}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`

/** Sends pieces with pauses between them, hears so many answers and hangs up. */
const speak = async (pieces: string[], answers: number): Promise<string> => {
  const socket = connect(Number(new URL(service.origin).port), '127.0.0.1')
  let heard = ''
  socket.setEncoding('latin1').on('data', (text) => {
    heard += text
  })
  for (const piece of pieces) {
    // What has left us arrives, also when we hang up at once.
    await new Promise((resolve) => socket.write(piece, resolve))
    await wait(20)
  }
  while (heard.split('HTTP/1.1 ').length <= answers) await wait(5)
  socket.destroy()
  return heard
}

/** The statuses of so many requests that were not answered; lines that tell of an error are undefined. */
const linesSince = async (before: number, count: number): Promise<(number | undefined)[]> => {
  const statuses = () => service.logLines.slice(before).map((line) => JSON.parse(line).status)
  // Those of an earlier test may come late.
  const unanswered = () => statuses().filter((status) => status !== 200)
  while (unanswered().length < count) await wait(5)
  // Whatever else would be logged comes in the same turn.
  await wait(20)
  return unanswered()
}

test('a body in pieces, and requests one behind the other on a connection, are answered in order', async () => {
  const texts = ['"one"', '"two"', '"three"'].map((id) => JSON.stringify(version).replace('1', id))
  const whole = texts.map((text) => `${head(text.length)}${text}`).join('')
  const heard = await speak([whole.slice(0, 30), whole.slice(30, 350), whole.slice(350)], 3)
  assert.deepEqual(heard.match(/"id":"\w+"/g), ['"id":"one"', '"id":"two"', '"id":"three"'])
  assert.equal(heard.match(/HTTP\/1\.1 200 OK/g)?.length, 3)
})

test('who leaves in the middle of the body is in the log, and has paid nothing', async () => {
  const before = service.logLines.length
  for (const address of [path, `${path}?`])
    await service.costing(0, () => speak([`${head(100).replace(path, address)}{"id":`], 0))
  assert.deepEqual(await linesSince(before, 2), [499, 499])
})

test('who leaves before their credit is set aside pays nothing, and no node is asked', async () => {
  node.answer('net_version', '1')
  const text = JSON.stringify({ ...version, method: 'net_version' })
  for (const address of [path, `${path}?`])
    await service.costing(0, () =>
      service.sql.transaction(async (sql) => {
        await sql`select from ledger_account where owner = ${service.payer.accountId} for update`
        const before = service.logLines.length
        await speak([`${head(text.length).replace(path, address)}${text}`], 0)
        assert.deepEqual(await linesSince(before, 1), [499])
      }),
    )
  assert.equal(node.times('net_version'), 0)
})

test('who leaves while a node is asked is no trouble of ours', async () => {
  Object.assign(node.faults, { hang: true, only: new Set(['eth_gasPrice']) })
  let times = 0
  const before = service.logLines.length
  const text = JSON.stringify({ ...version, method: 'eth_gasPrice' })
  for (const address of [path, `${path}?`])
    await service.costing(0, async () => {
      const socket = connect(Number(new URL(service.origin).port), '127.0.0.1')
      socket.write(`${head(text.length).replace(path, address)}${text}`)
      await node.asked('eth_gasPrice', ++times)
      socket.destroy()
    })
  node.recover()
  assert.deepEqual(await linesSince(before, 2), [499, 499])
})

test('who leaves with many requests on a connection has one line for each, and none of them counts as running', async () => {
  const warnings: Error[] = []
  const warned = (warning: Error) => warnings.push(warning)
  process.on('warning', warned)
  Object.assign(node.faults, { hang: true, only: new Set(['eth_gasPrice']) })
  let times = node.times('eth_gasPrice')
  const before = service.logLines.length
  for (const address of [path, `${path}?`]) {
    const socket = connect(Number(new URL(service.origin).port), '127.0.0.1')
    for (let param = 0; param < 12; param++) {
      const text = JSON.stringify({ ...version, method: 'eth_gasPrice', params: [address, param] })
      socket.write(`${head(text.length).replace(path, address)}${text}`)
    }
    times += 12
    await node.asked('eth_gasPrice', times)
    socket.destroy()
  }
  node.recover()
  assert.deepEqual(await linesSince(before, 24), new Array(24).fill(499))
  const { text } = await service.outside.get('/metrics')
  assert.match(text, /^tessera_http_requests_running 1$/m, 'only the one that asks for it')
  process.off('warning', warned)
  assert.deepEqual(warnings, [])
})
