import assert from 'node:assert/strict'
import { test } from 'node:test'
import { heightShown } from './height-shown.js'
import type { Family } from './method.js'

const shown = (family: Family, method: string, params: unknown, result: unknown, indent?: number) =>
  heightShown(family, method, JSON.stringify(params), JSON.stringify(result, null, indent))

const height = (family: Family, method: string, params: unknown, result: unknown) =>
  shown(family, method, params, result)?.height

test('EVM answers show the block that they are from', () => {
  assert.equal(height('evm', 'eth_blockNumber', [], '0x10'), 16)
  const receipt = { blockHash: '0x1', blockNumber: '0x10', logs: [{ blockNumber: '0x10' }] }
  assert.equal(height('evm', 'eth_getTransactionReceipt', [], receipt), 16)
  assert.equal(shown('evm', 'eth_getTransactionReceipt', [], receipt, 1)?.height, 16)
  assert.equal(height('evm', 'eth_getTransactionByHash', [], { blockNumber: '0x10' }), 16)
  const block = { number: '0x10', transactions: [{ blockNumber: '0x10' }] }
  assert.equal(height('evm', 'eth_getBlockByNumber', ['latest', true], block), 16)
  assert.equal(height('evm', 'eth_getLogs', [{}], [{ blockNumber: '0x1' }, { blockNumber: '0x10' }]), 16)
})

test('what is pending, absent or not a block shows nothing', () => {
  assert.equal(height('evm', 'eth_getTransactionByHash', [], { blockNumber: null }), undefined)
  assert.equal(height('evm', 'eth_getTransactionReceipt', [], null), undefined)
  assert.equal(height('evm', 'eth_getBlockByNumber', ['pending', false], { number: '0x10' }), undefined)
  assert.equal(height('evm', 'eth_getLogs', [{}], []), undefined)
  assert.equal(height('evm', 'eth_call', [], '0x10'), undefined)
  assert.equal(height('evm', 'eth_blockNumber', [], '0xffffffffffffffff'), undefined)
})

test('Starknet answers show the block that they are from, unless it is not confirmed', () => {
  assert.equal(height('starknet', 'starknet_blockNumber', [], 7), 7)
  assert.equal(height('starknet', 'starknet_blockHashAndNumber', [], { block_hash: '0x1', block_number: 7 }), 7)
  const receipt = (finality_status: string) => ({ finality_status, block_number: 7 })
  assert.equal(height('starknet', 'starknet_getTransactionReceipt', ['0x1'], receipt('ACCEPTED_ON_L2')), 7)
  assert.equal(height('starknet', 'starknet_getTransactionReceipt', ['0x1'], receipt('PRE_CONFIRMED')), undefined)
  assert.equal(height('starknet', 'starknet_getBlockWithTxs', ['pre_confirmed'], { block_number: 7 }), undefined)
})

test('Solana answers show a slot of the commitment that was asked for', () => {
  assert.deepEqual(shown('solana', 'getSlot', [], 7), { height: 7, commitment: 'finalized' })
  assert.deepEqual(shown('solana', 'getSlot', [{ commitment: 'processed' }], 7), { height: 7, commitment: 'processed' })
  const withContext = { context: { apiVersion: '3.0.0', slot: 7 }, value: null }
  assert.deepEqual(shown('solana', 'getBalance', ['a', { commitment: 'confirmed' }], withContext), {
    height: 7,
    commitment: 'confirmed',
  })
  assert.deepEqual(shown('solana', 'getSignatureStatuses', [['a']], { context: { slot: 7 }, value: [] }), {
    height: 7,
    commitment: 'processed',
  })
  assert.deepEqual(shown('solana', 'getBlock', [7], {})?.height, 7)
  assert.deepEqual(shown('solana', 'getBlock', [7], null), undefined)
})

test('a slot that somebody wrote into a transaction shows nothing', () => {
  const result = { meta: { instruction: { slot: 9_000_000 } }, slot: 7, transaction: { slot: 9_000_000 } }
  assert.equal(height('solana', 'getTransaction', ['a'], result), 7)
  assert.equal(height('solana', 'getAccountInfo', ['a'], { value: { context: { slot: 9_000_000 } } }), undefined)
})
