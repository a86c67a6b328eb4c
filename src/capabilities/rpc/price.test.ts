import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { NodeError } from '#engines/nodes/node.js'
import type { CheckedItem } from './body.js'
import { findMethod } from './methods.js'
import { networkDefaults } from './networks.js'
import type { Outcome } from './outcome.js'
import { actualCredits, worstCredits } from './price.js'

const item = (method: string, id: string | undefined = '1'): CheckedItem => {
  const methodOf = findMethod('evm', method) ?? assert.fail(method)
  return { id, method, params: undefined, place: 0, methodOf }
}

const result: Outcome = { result: '1', source: 'cache' }
const error: Outcome = { error: '{}', source: 'node' }
const failed: Outcome = { failed: new NodeError('timeout', '') }

test('results cost base times factor, errors 5, failures and notifications nothing', () => {
  const items = ['eth_call', 'trace_block', 'txpool_content', 'eth_call'].map((name) => item(name))
  assert.equal(worstCredits(items, 20), 20 + 40 + 80 + 20)
  assert.equal(actualCredits(items, [result, error, result, failed], 20), 20 + 5 + 80)
  assert.equal(actualCredits([{ ...item('eth_call'), id: undefined }, item('eth_call')], [error], 20), 5)
  assert.equal(worstCredits([{ ...item('eth_call'), id: undefined }], 20), 0)
})

test('an error never costs more than an answer', () => {
  assert.equal(actualCredits([item('eth_call'), item('trace_block')], [error, error], 2), 2 + 4)
})

test('nothing costs more than was held for it', () =>
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          name: fc.constantFrom('eth_call', 'trace_block', 'txpool_content'),
          isNotification: fc.boolean(),
          outcome: fc.constantFrom(result, error, failed),
        }),
      ),
      fc.integer({ min: 1, max: 100 }),
      (calls, base) => {
        const items = calls.map(({ name, isNotification }) => ({
          ...item(name),
          id: isNotification ? undefined : '1',
        }))
        const outcomes = calls.filter((call) => !call.isNotification).map(({ outcome }) => outcome)
        const actual = actualCredits(items, outcomes, base)
        assert.ok(actual >= 0 && actual <= worstCredits(items, base))
        if (outcomes.every((outcome) => outcome === result)) assert.equal(actual, worstCredits(items, base))
      },
    ),
  ))

test('the published base credits', () => {
  for (const name of ['ethereum-mainnet', 'base-sepolia', 'bsc-testnet', 'robinhood-mainnet', 'my-own'])
    assert.equal(networkDefaults(name, 'evm').creditsPerCall, 20)
  assert.equal(networkDefaults('starknet-mainnet', 'starknet').creditsPerCall, 20)
  assert.equal(networkDefaults('zksync-sepolia', 'evm').creditsPerCall, 30)
  assert.equal(networkDefaults('solana-devnet', 'solana').creditsPerCall, 30)
  assert.equal(networkDefaults('my-own', 'solana').creditsPerCall, 30)
})

test('every network has a block time, known chains their own', () => {
  assert.equal(networkDefaults('ethereum-mainnet', 'evm').blockTimeMs, 12_000)
  assert.equal(networkDefaults('my-own', 'evm').blockTimeMs, 2_000)
  assert.equal(networkDefaults('my-own', 'solana').blockTimeMs, 400)
})
