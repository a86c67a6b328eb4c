import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createTestDatabase } from '../../../test/database.js'
import { startFakeRpcNode } from '../../../test/fakes/rpc-node.js'
import { startRpcService } from '../../../test/rpc-service.js'
import { createTestClock } from '../../../test/service.js'

const database = await createTestDatabase()
after(() => database.drop())

test('who used up their credits has none after a restart, until they come free', async () => {
  const node = await startFakeRpcNode({ after })
  node.answer('eth_getBalance', '0x1')
  const clock = createTestClock()
  const networks = { 'ethereum-mainnet': { upstreams: [node.url] } }
  const start = () => startRpcService({ after }, { networks, clock, database, creditsPerDay: 60 })
  let questions = 0
  const ask = ({ callAs }: Awaited<ReturnType<typeof start>>, key: string) =>
    callAs(key)('ethereum-mainnet', { id: 1, method: 'eth_getBalance', params: [`0x${++questions}`, 'latest'] })

  const first = await start()
  const { key } = first.payer
  for (let times = 0; times < 2; times++) assert.equal((await ask(first, key)).status, 200)
  await first.app.close()

  const second = await start()
  assert.equal((await ask(second, key)).status, 200)
  const asked = node.times('eth_getBalance')
  const refused = await ask(second, key)
  assert.deepEqual([refused.status, refused.headers['x-ratelimit-remaining']], [429, '0'])
  assert.equal(node.times('eth_getBalance'), asked, 'no node was asked')
  assert.equal((await ask(second, second.payer.key)).status, 200, 'others are not concerned')
  clock.advance(24 * 3_600_000)
  assert.equal((await ask(second, key)).status, 200)
})
