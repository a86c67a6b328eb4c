import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isAlreadyThere, judgeError, readError } from './judge-error.js'

const evm = (message: string, code = -32000, data?: unknown) => judgeError('evm', { code, message, data })
const solana = (message: string, code: number) => judgeError('solana', { code, message, data: undefined })

test('what nodes say when they have too many calls', () => {
  for (const message of [
    'rate limit exceeded',
    'daily request count exceeded, request rate limited',
    'Your app has exceeded its compute units per second capacity. If you have retries enabled, you can ignore this',
    'Too many requests, reason: call rate limit exhausted, retry in 10s',
    'project ID request rate exceeded',
    'limit exceeded',
    'monthly capacity limit exceeded',
  ])
    assert.equal(evm(message), 'busy', message)
  assert.equal(evm('anything', 429), 'busy')
  assert.equal(solana('Too many requests for a specific RPC call', 429), 'busy')
})

test('what nodes say when another one may know more', () => {
  for (const message of [
    'header not found',
    'missing trie node 0f1e2d (path ) state 0x12 is not available',
    'required historical state unavailable (reexec=128)',
    'historical state 1a2b is not available',
    'distance to target block exceeds maximum proof window',
    'No state available for block 0x12',
    'Internal error',
    'execution timeout',
    'request timed out',
    'query returned more than 10000 results',
    'eth_getLogs is limited to a 10,000 block range',
  ])
    assert.equal(evm(message), 'local', message)
  for (const message of [
    'Unknown block',
    'unknown block',
    'block not found',
    'block 0x12 not found',
    'requested block is not available',
  ])
    assert.equal(evm(message), 'behind', message)
  assert.equal(evm('the method trace_block does not exist/is not available', -32601), 'lacking')
  assert.equal(evm('Method not supported: trace_block', -32004), 'lacking')
  assert.equal(judgeError('starknet', { code: 24, message: 'Block not found', data: undefined }), 'behind')
  for (const code of [-32004, -32007, -32014, -32016])
    assert.equal(solana('Block not available for slot 12', code), 'behind')
  assert.equal(solana('Node is behind by 42 slots', -32005), 'behind')
})

test('what no other node would say differently', () => {
  for (const [message, code, data] of [
    ['execution reverted', 3, '0x'],
    ['execution reverted: Too many requests', -32000, undefined],
    ['VM Exception while processing transaction: reverted with reason string "header not found"', -32603, undefined],
    ['limit exceeded', -32015, '0x08c379a0'],
    ['insufficient funds for gas * price + value', -32000, undefined],
    ['nonce too low: next nonce 5, tx nonce 4', -32000, undefined],
    ['gas required exceeds allowance (50000000)', -32000, undefined],
    ['out of gas', -32000, undefined],
    ['invalid opcode: INVALID', -32000, undefined],
    ['missing value for required argument 0', -32602, undefined],
    ['intrinsic gas too low', -32000, undefined],
    ['max fee per gas less than block base fee', -32000, undefined],
    ['exceeds block gas limit', -32000, undefined],
    ['replacement transaction underpriced', -32000, undefined],
  ] as const)
    assert.equal(evm(message, code, data), 'proper', message)
  assert.equal(solana('Transaction simulation failed: custom program error: rate limit exceeded', -32002), 'proper')
  assert.equal(solana('Transaction signature verification failure', -32003), 'proper')
})

test('how nodes say that they have a transaction already, and what only sounds like it', () => {
  const evmSays = (message: string) => isAlreadyThere('evm', { code: -32000, message, data: undefined })
  for (const message of [
    'already known',
    'ALREADY_EXISTS: already known',
    'AlreadyKnown',
    'AlreadyKnown, Hash: 0x12 already known',
    'Known transaction',
    'known transaction: 0xdc9a',
    'known transaction. transaction with hash 0x12 is already in the system',
    'INTERNAL_ERROR: existing tx with same hash',
    'Transaction with the same hash was already imported.',
    'transaction already imported',
    'tx already in mempool',
    'already in mempool',
    'Transaction already exists',
  ])
    assert.equal(evmSays(message), 'has', message)
  for (const message of [
    'nonce too low',
    'nonce too low: next nonce 2, tx nonce 1',
    'INTERNAL_ERROR: nonce too low',
    'OldNonce',
    'Transaction nonce is too low. Try incrementing the nonce.',
    'Nonce too low. Expected nonce to be 1 but got 0. Note that transactions cannot be queued when automining.',
    'a transaction with the same nonce already in the pool',
  ])
    assert.equal(evmSays(message), 'perhaps', message)
  for (const message of [
    'replacement transaction underpriced',
    'could not replace existing tx',
    'insufficient funds',
    'nonce too high',
    'execution reverted: already known',
  ])
    assert.equal(evmSays(message), 'no', message)

  const solanaSays = (message: string, data?: unknown) => isAlreadyThere('solana', { code: -32002, message, data })
  assert.equal(solanaSays('Transaction simulation failed: This transaction has already been processed'), 'has')
  assert.equal(solanaSays('Transaction simulation failed', { err: 'AlreadyProcessed' }), 'has')
  assert.equal(solanaSays('Blockhash not found'), 'no')
})

test('whatever a node says, it is judged', () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string()), fc.constantFrom('evm', 'solana', 'starknet'), (text, family) => {
      const error = readError(text)
      judgeError(family, error)
      isAlreadyThere(family, error)
    }),
  )
})
