import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { keccak256 } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { startEvmNode } from '../chains/evm-node.js'
import { startFakeRpcNode } from '../fakes/rpc-node.js'
import { createFolder, runTessera } from '../process.js'
import { rpcSection, startRpcService } from '../rpc-service.js'

const node = await startEvmNode({ after })
const service = await startRpcService({ after }, { networks: { 'base-mainnet': { upstreams: [node.url] } } })
const cwd = createFolder({ after })
const tessera = (...args: string[]) => runTessera(args, { cwd, env: { DATABASE_URL: service.database.url } })
const configure = (networks: Parameters<typeof rpcSection>[0]) =>
  writeFileSync(join(cwd, 'tessera.yaml'), `builtinModels: false\n${rpcSection(networks)}`)
configure({ 'base-mainnet': { upstreams: [node.url] } })

test('what was sent is listed: who, where, which and how it ended, and nothing of what was in it', async () => {
  assert.match((await tessera('rpc', 'transactions')).stdout, /No transaction was sent yet/)
  const account = privateKeyToAccount(generatePrivateKey())
  await node.fund(account.address, 10n ** 18n)
  const raw = await account.signTransaction({
    ...{ chainId: node.chainId, nonce: 0, to: account.address, value: 1n, gas: 21_000n, type: 'eip1559' },
    ...{ maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n },
  })
  const send = { jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransaction', params: [raw] }
  const { headers } = await service.call('base-mainnet', send)
  await service.call('base-mainnet', { ...send, params: ['0x02c0'] })

  const { stdout } = await tessera('rpc', 'transactions', '--json')
  const [refused, accepted, ...others] = JSON.parse(stdout)
  assert.equal(others.length, 0)
  const { at, ...sent } = accepted
  assert.ok(Date.parse(at) > 0)
  assert.deepEqual(sent, {
    requestId: headers['x-request-id'],
    accountId: service.payer.accountId,
    apiKeyId: service.payer.apiKeyId,
    network: 'base-mainnet',
    method: 'eth_sendRawTransaction',
    hash: keccak256(raw),
    outcome: 'accepted',
  })
  assert.equal(refused.outcome, 'refused')
  assert.ok(!stdout.includes(raw.slice(10, 40)))

  const listed = async (...options: string[]) =>
    JSON.parse((await tessera('rpc', 'transactions', '--json', ...options)).stdout).length
  assert.equal(await listed('--hash', keccak256(raw)), 1)
  assert.equal(await listed('--network', 'ethereum-mainnet'), 0)
  assert.equal(await listed('--account', service.payer.accountId, '--limit', '1'), 1)
  assert.match((await tessera('rpc', 'transactions')).stdout, /^at +requestId/)
  for (const wrong of [
    ['--limit', '0'],
    ['--account', 'me'],
  ])
    assert.equal((await tessera('rpc', 'transactions', ...wrong)).code, 1)
})

test('the doctor asks every node which chain it is on and how far it is, and prints no address', async (t) => {
  const behind = await startFakeRpcNode(t)
  behind.answer('eth_chainId', '0x2105')
  behind.chain.head = 5
  const ahead = await startFakeRpcNode(t)
  ahead.answer('eth_chainId', '0x2105')
  ahead.chain.head = 5_000
  configure({
    'base-mainnet': { upstreams: [ahead.url, behind.url, 'http://127.0.0.1:1/a-very-secret-path'] },
    'ethereum-mainnet': { upstreams: [node.url] },
    'my-chain': { upstreams: [{ url: node.url, headers: { 'x-key': 'secret-header' } }] },
  })
  const { stdout } = await tessera('doctor', '--json')
  const checks = (JSON.parse(stdout).checks as { check: string; ok: boolean; detail: string }[]).filter(({ check }) =>
    /answers through/.test(check),
  )
  assert.deepEqual(
    checks.map(({ check, ok, detail }) => [check.split(' ')[0], ok, detail]),
    [
      ['base-mainnet', true, 'block 5000'],
      ['base-mainnet', false, '4995 blocks behind'],
      ['base-mainnet', false, 'no connection (ECONNREFUSED)'],
      ['ethereum-mainnet', false, 'it is on "0x2105", another chain than "0x1"'],
      ['my-chain', true, `block ${Number(await node.request('eth_blockNumber'))}`],
    ],
  )
  assert.doesNotMatch(stdout, /secret/)
})
