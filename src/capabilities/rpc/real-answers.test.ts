import assert from 'node:assert/strict'
import { test } from 'node:test'
import { privateKeyToAccount } from 'viem/accounts'
import { cutJson } from '#plumbing/json-cut.js'
import { startEvmNode } from '../../../test/chains/evm-node.js'
import { heightShown } from './height-shown.js'
import { keptFor } from './keeping.js'
import { findMethod } from './methods.js'

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const receiver = `0x${'22'.repeat(20)}` as const

test('the answers of a real chain are kept for as long as they are true, and show how far it is', async (t) => {
  const node = await startEvmNode(t)
  await node.fund(account.address, 10n ** 18n)
  await node.mine(2)
  const signed = await account.signTransaction({
    chainId: node.chainId,
    to: receiver,
    value: 1n,
    gas: 21_000n,
    maxFeePerGas: 10n ** 10n,
    maxPriorityFeePerGas: 0n,
    type: 'eip1559',
  })
  const hash = await node.request<string>('eth_sendRawTransaction', signed)
  const block = await node.request<{ number: string; hash: string }>('eth_getBlockByNumber', 'latest', false)
  const height = Number(block.number)

  const ask = async (method: string, ...params: unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(node.url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    const cut = cutJson(Buffer.from(await response.arrayBuffer()).toString('latin1'))
    const result = cut.kind === 'object' ? cut.members.get('result') : undefined
    assert.ok(result !== undefined, method)
    const keptAt = (finalized: number) =>
      keptFor({
        family: 'evm',
        method: findMethod('evm', method) ?? assert.fail(method),
        params: JSON.stringify(params),
        result,
        finalized,
      })
    return {
      /** While its block is not final, and then. */
      kept: [keptAt(height - 1), keptAt(height)],
      shown: heightShown('evm', method, JSON.stringify(params), result)?.height,
    }
  }

  for (const [method, ...params] of [
    ['eth_getTransactionReceipt', hash],
    ['eth_getTransactionByHash', hash],
    ['eth_getBlockByNumber', block.number, true],
  ] as [string, ...unknown[]][])
    assert.deepEqual(await ask(method, ...params), { kept: ['block', 'forever'], shown: height }, method)
  assert.deepEqual(await ask('eth_getBlockByHash', block.hash, true), { kept: ['forever', 'forever'], shown: height })
  assert.deepEqual(await ask('eth_getBlockByNumber', 'latest', true), { kept: ['block', 'block'], shown: height })
  assert.deepEqual(await ask('eth_getBalance', receiver, block.number), {
    kept: ['block', 'forever'],
    shown: undefined,
  })
  assert.deepEqual((await ask('eth_blockNumber')).shown, height)
  for (const method of ['eth_getTransactionReceipt', 'eth_getTransactionByHash'])
    assert.deepEqual(await ask(method, `0x${'33'.repeat(32)}`), { kept: ['no', 'no'], shown: undefined })

  await node.setAutomine(false)
  const waiting = await account.signTransaction({
    chainId: node.chainId,
    nonce: 1,
    to: receiver,
    value: 1n,
    gas: 21_000n,
    maxFeePerGas: 10n ** 10n,
    maxPriorityFeePerGas: 0n,
    type: 'eip1559',
  })
  const pending = await node.request<string>('eth_sendRawTransaction', waiting)
  assert.deepEqual(await ask('eth_getTransactionByHash', pending), { kept: ['no', 'no'], shown: undefined })
  assert.deepEqual(await ask('eth_getBlockByNumber', 'pending', true), { kept: ['no', 'no'], shown: undefined })
})
