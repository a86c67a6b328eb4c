import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rpc } from '#catalog/config/config-file.js'
import type { RpcNetwork } from '#catalog/config/config-schema.js'
import { createRoom } from '#plumbing/room.js'
import { neverStops } from '#plumbing/stop-signal.js'
import { startFakeRpcNode } from '../../test/fakes/rpc-node.js'
import { createChains } from './chains.js'

const room = createRoom(() => 1_000)
const rpcOf = (networks: Record<string, RpcNetwork>, more: Partial<Rpc> = {}): Rpc => ({
  networks,
  usdPerCredit: '0.0000007',
  requestsPerMinute: 1,
  creditsPerDay: 1,
  timeoutMs: 5_000,
  answerBytesMax: 1_000,
  largeAnswersBytesMax: 1_000,
  cacheBytesMax: 0,
  ...more,
})

test('the nodes of a network stay while its entry does, and others take their place when it changes', async (t) => {
  const [first, second] = [await startFakeRpcNode(t), await startFakeRpcNode(t)]
  const entry = (url: string): RpcNetwork => ({ family: 'evm', upstreams: [url] })
  let rpc: Rpc | undefined = rpcOf({ 'base-mainnet': entry(first.url) })
  const chains = createChains({ config: () => rpc, room, onTrouble: () => {} })
  t.after(chains.close)
  const ask = () =>
    chains
      .nodesOf('base-mainnet')
      ?.ask([{ method: 'eth_call', params: '[]', kind: 'read', isNullDoubtful: false }], neverStops)
  for (const fake of [first, second]) fake.answer('eth_call', '0x1')

  const nodes = chains.nodesOf('base-mainnet')
  assert.equal(chains.nodesOf('base-mainnet'), nodes)
  assert.equal(chains.nodesOf('other-network'), undefined)
  rpc = rpcOf({ 'base-mainnet': entry(first.url), 'other-network': entry(second.url) })
  assert.equal(chains.nodesOf('base-mainnet'), nodes, 'what another network is made of does not matter')
  await ask()

  rpc = rpcOf({ 'base-mainnet': { family: 'evm', upstreams: [{ url: second.url }] } })
  assert.notEqual(chains.nodesOf('base-mainnet'), nodes)
  assert.deepEqual(await ask(), [{ result: '"0x1"' }])
  assert.deepEqual([first.times('eth_call'), second.times('eth_call')], [1, 1])
  const then = chains.nodesOf('base-mainnet')
  rpc = rpcOf(rpc.networks, { timeoutMs: 1 })
  assert.notEqual(chains.nodesOf('base-mainnet'), then)

  rpc = undefined
  assert.equal(chains.nodesOf('base-mainnet'), undefined)
  assert.deepEqual(chains.status(), [])
})

test('calls that are on their way end as they began when their nodes are replaced or taken away', async (t) => {
  const fake = await startFakeRpcNode(t)
  fake.answer('eth_call', '0x1')
  const network: RpcNetwork = { family: 'evm', upstreams: [fake.url] }
  for (const later of [rpcOf({ 'base-mainnet': network }, { timeoutMs: 5_001 }), rpcOf({})]) {
    let rpc = rpcOf({ 'base-mainnet': network })
    const chains = createChains({ config: () => rpc, room, onTrouble: () => {} })
    t.after(chains.close)
    const former = chains.nodesOf('base-mainnet')
    fake.faults.hang = true
    fake.faults.only = new Set(['eth_call'])
    const asked = fake.times('eth_call')
    const answers = former?.ask([{ method: 'eth_call', params: '[]', kind: 'read', isNullDoubtful: false }], neverStops)
    await fake.asked('eth_call', asked + 1)
    rpc = later
    assert.notEqual(chains.nodesOf('base-mainnet'), former)
    fake.recover()
    assert.deepEqual(await answers, [{ result: '"0x1"' }])
  }
})
