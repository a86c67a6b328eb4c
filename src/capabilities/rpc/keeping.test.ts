import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { evmMethods } from './evm-methods.js'
import { type Kept, keptFor } from './keeping.js'
import type { Family } from './method.js'
import { findMethod } from './methods.js'
import { solanaMethods } from './solana-methods.js'
import { starknetMethods } from './starknet-methods.js'

const finalized = 1_000
const hash = `0x${'ab'.repeat(32)}`
const hex = (number: number) => `0x${number.toString(16)}`

/** `params` and `result` are values; undefined where there is none. */
const kept = (family: Family, name: string, params: unknown, result?: unknown, final: number | undefined = finalized) =>
  keptFor({
    family,
    method: findMethod(family, name) ?? assert.fail(name),
    params: params === undefined ? undefined : JSON.stringify(params),
    result: result === undefined ? undefined : JSON.stringify(result),
    finalized: final,
  })

const evm = (name: string, params: unknown, result: unknown = '0x1') => kept('evm', name, params, result)

test('the state of a block is true for ever once the block is final', () => {
  const blocks: [unknown, Kept][] = [
    [hex(0), 'forever'],
    [hex(finalized), 'forever'],
    ['0x03e8', 'forever'],
    [hex(finalized + 1), 'block'],
    ['latest', 'block'],
    ['safe', 'block'],
    ['finalized', 'block'],
    ['earliest', 'block'],
    ['pending', 'no'],
    [hash, 'forever'],
    [{ blockHash: hash }, 'forever'],
    [{ blockHash: hash, requireCanonical: false }, 'forever'],
    [{ blockHash: hash, requireCanonical: true }, 'block'],
    [{ blockNumber: hex(finalized) }, 'forever'],
    [{ blockNumber: hex(finalized + 1) }, 'block'],
    [{ blockNumber: hex(1), blockHash: hash }, 'no'],
    [{ blockNumber: 'latest' }, 'no'],
    [{ blockNumber: 1 }, 'no'],
    [{ blockHash: '0x1' }, 'no'],
    [{}, 'no'],
    [null, 'no'],
    [1, 'no'],
    ['1', 'no'],
    ['', 'no'],
    ['0x', 'no'],
    ['0X1', 'no'],
    ['LATEST', 'no'],
    ['0xffffffffffffff', 'no'],
    ['-0x1', 'no'],
    [[], 'no'],
  ]
  for (const [block, expected] of blocks) {
    assert.equal(evm('eth_call', [{ to: hash }, block]), expected, JSON.stringify(block))
    assert.equal(evm('eth_getStorageAt', ['0x1', '0x0', block]), expected)
    assert.equal(evm('eth_getBlockReceipts', [block]), expected)
  }
  for (const params of [undefined, [], ['0x1']]) assert.equal(evm('eth_getBalance', params), 'block')
  assert.equal(evm('eth_call', [{ to: hash }, hex(1), { '0x1': { balance: '0x1' } }]), 'forever', 'with overrides')
})

test('a trace that ran out of time is not the last word on its block', () => {
  const traces = (error: string) => [{ txHash: hash, error }]
  for (const [name, block] of [
    ['debug_traceBlockByHash', hash],
    ['debug_traceBlockByNumber', hex(1)],
  ] as const) {
    assert.equal(evm(name, [block], traces('execution timeout')), 'block')
    assert.equal(evm(name, [block], traces('execution reverted')), 'forever')
  }
})

test('without a finalized height nothing is final that is named by a number', () => {
  assert.equal(
    keptFor({
      family: 'evm',
      method: findMethod('evm', 'eth_getBalance') ?? assert.fail(),
      params: '["0x1","0x1"]',
      result: '"0x1"',
      finalized: undefined,
    }),
    'block',
  )
})

test('a word that is written with escapes is not understood, so it is not kept', () => {
  const method = findMethod('evm', 'eth_getBalance') ?? assert.fail()
  assert.equal(keptFor({ family: 'evm', method, params: '["0x1","\\u0070ending"]', result: '"0x1"', finalized }), 'no')
})

test('a range of blocks is true for ever once both ends are final', () => {
  const filters: [unknown, Kept][] = [
    [{ fromBlock: hex(1), toBlock: hex(finalized) }, 'forever'],
    [{ fromBlock: hex(1), toBlock: hex(finalized + 1) }, 'block'],
    [{ fromBlock: hex(1) }, 'block'],
    [{ toBlock: hex(1) }, 'block'],
    [{}, 'block'],
    [{ fromBlock: 'earliest', toBlock: hex(1) }, 'block'],
    [{ fromBlock: hex(1), toBlock: 'latest' }, 'block'],
    [{ fromBlock: hex(1), toBlock: 'pending' }, 'no'],
    [{ fromBlock: 'pending', toBlock: hex(1) }, 'no'],
    [{ fromBlock: null, toBlock: hex(1) }, 'no'],
    [{ blockHash: hash }, 'forever'],
    [{ blockHash: hash, fromBlock: hex(1) }, 'no'],
    [{ blockHash: 'latest' }, 'no'],
    [undefined, 'no'],
    ['latest', 'no'],
  ]
  for (const [filter, expected] of filters) {
    const params = filter === undefined ? [] : [filter]
    assert.equal(evm('eth_getLogs', params, [{ data: '0x' }]), expected, JSON.stringify(filter))
  }
})

test('finding nothing in a range is not kept for ever: the node may be behind', () => {
  assert.equal(evm('eth_getLogs', [{ fromBlock: hex(1), toBlock: hex(2) }], []), 'block')
  assert.equal(evm('eth_getLogs', [{ blockHash: hash }], []), 'forever', 'it knew the block')
  const filter = { from_block: { block_number: 1 }, to_block: { block_number: 2 } }
  assert.equal(kept('starknet', 'starknet_getEvents', { filter }, { events: [] }), 'block')
})

test('a transaction, a receipt and traces are true for ever once their block is final', () => {
  for (const name of ['eth_getTransactionReceipt', 'eth_getTransactionByHash', 'trace_get']) {
    assert.equal(evm(name, [hash], { blockNumber: hex(finalized) }), 'forever')
    assert.equal(evm(name, [hash], { blockNumber: hex(finalized + 1) }), 'block')
    assert.equal(evm(name, [hash], { blockNumber: null }), 'no')
    assert.equal(evm(name, [hash], { logs: [{ blockNumber: hex(1) }] }), 'no', 'only its own field counts')
    assert.equal(evm(name, [hash], null), 'no')
    assert.equal(evm(name, [hash], 'text'), 'no')
  }
  assert.equal(evm('trace_transaction', [hash], [{ blockNumber: finalized }, { blockNumber: finalized }]), 'forever')
  assert.equal(evm('trace_transaction', [hash], [{ blockNumber: finalized + 1 }]), 'block')
  assert.equal(evm('trace_transaction', [hash], []), 'no')
})

test('what is named by its hash is kept, unless a field of it is still to come', () => {
  assert.equal(evm('eth_getBlockByHash', [hash, false], { number: hex(finalized + 9) }), 'forever')
  assert.equal(evm('eth_getBlockByHash', [hash, false], { l1BatchNumber: null }), 'block')
  assert.equal(evm('eth_getBlockByHash', [hash, false], { l1BatchNumber: '0x1' }), 'forever')
})

test('Solana: for ever where the caller asked for what is finalized', () => {
  const settings: [unknown[], Kept][] = [
    [[1], 'forever'],
    [[1, 'json'], 'forever'],
    [[1, {}], 'forever'],
    [[1, { commitment: 'finalized' }], 'forever'],
    [[1, { commitment: 'confirmed' }], 'block'],
    [[1, { commitment: 'processed' }], 'block'],
    [[1, { commitment: 'max' }], 'no'],
    [[1, {}, {}], 'no'],
  ]
  for (const [params, expected] of settings)
    for (const name of ['getBlock', 'getTransaction']) {
      assert.equal(kept('solana', name, params, { slot: 1 }), expected)
      assert.equal(kept('solana', name, params, null), 'no')
    }
  assert.equal(kept('solana', 'getBlock', undefined, { slot: 1 }), 'no')
  assert.equal(kept('solana', 'getBlockTime', [finalized], 1), 'forever')
  assert.equal(kept('solana', 'getBlockTime', [finalized + 1], 1), 'block')
  assert.equal(kept('solana', 'getBlockTime', ['1'], 1), 'no')
  assert.equal(kept('solana', 'getSlot', [], 1), 'block')
  assert.equal(kept('solana', 'getGenesisHash', [], 'x'), 'forever')
  assert.equal(kept('solana', 'getSignatureStatuses', [[]], { value: [] }), 'no')
})

test('Starknet: by position and by name, and a block only once Ethereum has accepted it', () => {
  const blocks: [unknown, Kept][] = [
    [{ block_number: finalized }, 'forever'],
    [{ block_number: finalized + 1 }, 'block'],
    [{ block_hash: '0x1' }, 'forever'],
    [{ block_hash: '0x1', block_number: 1 }, 'no'],
    [{ block_number: '1' }, 'no'],
    ['latest', 'block'],
    ['l1_accepted', 'block'],
    ['pending', 'no'],
    ['pre_confirmed', 'no'],
    [undefined, 'no'],
  ]
  for (const [block, expected] of blocks) {
    assert.equal(kept('starknet', 'starknet_call', [{}, block], ['0x1']), block === undefined ? 'no' : expected)
    assert.equal(kept('starknet', 'starknet_call', { request: {}, block_id: block }, ['0x1']), expected)
  }
  const accepted = (level: 1 | 2) => ({ status: `ACCEPTED_ON_L${level}` })
  const block = (params: unknown, result: unknown) => kept('starknet', 'starknet_getBlockWithTxs', params, result)
  assert.equal(block([{ block_number: 1 }], accepted(1)), 'forever')
  assert.equal(block([{ block_hash: '0x1' }], accepted(2)), 'block')
  assert.equal(block({ block_id: 'l1_accepted' }, accepted(1)), 'block')
  assert.equal(block(['pre_confirmed'], accepted(1)), 'no')
  assert.equal(block([{ block_number: 1 }], {}), 'no')
  const receipt = (result: unknown) => kept('starknet', 'starknet_getTransactionReceipt', ['0x1'], result)
  assert.equal(receipt({ finality_status: 'ACCEPTED_ON_L1' }), 'forever')
  assert.equal(receipt({ finality_status: 'ACCEPTED_ON_L2' }), 'block')
  assert.equal(receipt({ finality_status: 'PRE_CONFIRMED' }), 'no')
  const filter = { from_block: { block_number: 1 }, to_block: { block_hash: '0x2' } }
  assert.equal(kept('starknet', 'starknet_getEvents', [filter], { events: [{}] }), 'forever')
})

const lists = { evm: evmMethods, solana: solanaMethods, starknet: starknetMethods }
const anyMethod = fc
  .constantFrom('evm' as const, 'solana' as const, 'starknet' as const)
  .chain((family) => fc.record({ family: fc.constant(family), method: fc.constantFrom(...lists[family]) }))

/** Parameters that look like those of callers. */
const word = fc.constantFrom<unknown>(
  'latest',
  'pending',
  'earliest',
  'finalized',
  hash,
  null,
  { blockHash: hash },
  { block_hash: '0x1' },
  { commitment: 'confirmed' },
)
const height = fc.nat({ max: 2 * finalized })
const someParam = fc.oneof(
  word,
  height.map(hex),
  height,
  height.map((block_number) => ({ block_number })),
  fc.record({ fromBlock: height.map(hex), toBlock: height.map(hex) }),
  fc.jsonValue({ maxDepth: 2 }),
)
const anyParams = fc.option(fc.array(someParam, { maxLength: 4 }), { nil: undefined })
const anyResult = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.record({ blockNumber: fc.oneof(height.map(hex), fc.constant(null)) }),
)

test('no result at all is never kept, nor is an answer to what changes something', () =>
  fc.assert(
    fc.property(anyMethod, anyParams, anyResult, ({ family, method }, params, result) => {
      const order = { family, method, params: params && JSON.stringify(params), finalized }
      assert.equal(keptFor({ ...order, result: 'null' }), 'no')
      if (method.kind !== 'read') assert.equal(keptFor({ ...order, result: JSON.stringify(result) }), 'no')
    }),
  ))

test('what is kept stays at least as long kept when the chain grows, and no question about pending blocks is', () =>
  fc.assert(
    fc.property(anyMethod, anyParams, anyResult, height, ({ family, method }, params, result, growth) => {
      const order = { family, method, params: params && JSON.stringify(params), result: JSON.stringify(result) }
      const now = keptFor({ ...order, finalized })
      const later = keptFor({ ...order, finalized: finalized + growth })
      assert.ok(now === later || (now === 'block' && later === 'forever'))
      const unknown = keptFor({ ...order, finalized: undefined })
      assert.ok(unknown === now || (unknown === 'block' && now === 'forever'))
      if (method.keeping === 'block' && params?.[method.blockPlace ?? 0] === 'pending') assert.equal(now, 'no')
    }),
    { numRuns: 2_000 },
  ))

test('on EVM networks for ever is only what is final by number, or named by hash', () =>
  fc.assert(
    fc.property(height, height, height, (from, to, final) => {
      const isFinal = Math.max(from, to) <= final
      const range = [{ fromBlock: hex(from), toBlock: hex(to) }]
      assert.equal(kept('evm', 'eth_getLogs', range, [{}], final), isFinal ? 'forever' : 'block')
      assert.equal(kept('evm', 'eth_getCode', ['0x1', hex(to)], '0x', final), to <= final ? 'forever' : 'block')
    }),
  ))
