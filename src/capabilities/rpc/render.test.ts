import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Failure } from '#contract/errors.js'
import { NodeError, type NodeTrouble } from '#engines/nodes/node.js'
import type { Item } from './body.js'
import type { Outcome } from './outcome.js'
import { failureOf, renderAnswer } from './render.js'

const item = (id: string | undefined, place = 0): Item => ({ id, method: 'eth_call', params: undefined, place })

const failed = (trouble: NodeTrouble, hash?: string): Outcome => ({ failed: new NodeError(trouble, 'http 503'), hash })

const render = (isBatch: boolean, items: Item[], outcomes: Outcome[]) => {
  const text = renderAnswer({ network: 'base-mainnet', isBatch, items, outcomes, answerBytesMax: 1_000 })
  return text === undefined ? undefined : Buffer.from(text, 'latin1').toString('utf8')
}

const thrown = (isBatch: boolean, items: Item[], outcomes: Outcome[]): Failure => {
  try {
    render(isBatch, items, outcomes)
  } catch (error) {
    assert.ok(error instanceof Failure, String(error))
    return error
  }
  return assert.fail('nothing was thrown')
}

test('one call, one object', () => {
  assert.equal(
    render(false, [item('"a"')], [{ result: '9007199254740993.10', source: 'node' }]),
    '{"jsonrpc":"2.0","id":"a","result":9007199254740993.10}',
  )
  assert.equal(
    render(false, [item('null')], [{ error: '{"code":3,"message":"execution reverted"}', source: 'node' }]),
    '{"jsonrpc":"2.0","id":null,"error":{"code":3,"message":"execution reverted"}}',
  )
})

test('answers stand in the order of their calls, under the ids as they came, and are the bytes that came', () =>
  fc.assert(
    fc.property(
      fc.array(fc.record({ id: fc.option(fc.string({ unit: 'grapheme' })), result: fc.jsonValue() }), { minLength: 1 }),
      (calls) => {
        const text = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('latin1')
        const items = calls.map(({ id }, place) => item(id === null ? undefined : text(id), place))
        const wanted = calls.filter(({ id }) => id !== null)
        const outcomes = wanted.map(({ result }): Outcome => ({ result: text(result), source: 'cache' }))
        assert.equal(
          render(true, items, outcomes),
          wanted.length === 0
            ? undefined
            : `[${wanted.map(({ id, result }) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${JSON.stringify(result)}}`).join()}]`,
        )
      },
    ),
  ))

test('a call that failed among others is an error in its place', () => {
  assert.deepEqual(
    JSON.parse(
      render(
        true,
        [item('1'), item(undefined, 1), item('2', 2)],
        [failed('unreachable'), { result: '"0x1"', source: 'merged' }],
      ) ?? '',
    ),
    [
      {
        jsonrpc: '2.0',
        id: 1,
        error: {
          code: -32603,
          message: 'No node of base-mainnet gave an answer: none can be reached; nothing is charged, retry',
          data: { reason: 'RPC_UPSTREAM_FAILED' },
        },
      },
      { jsonrpc: '2.0', id: 2, result: '0x1' },
    ],
  )
})

test('where everything failed there is no answer but the failure, and an unknown outcome goes first', () => {
  assert.equal(thrown(false, [item('1')], [failed('timeout')]).code, 'RPC_UPSTREAM_TIMEOUT')
  const failure = thrown(true, [item('1'), item('2', 1)], [failed('timeout'), failed('unknown', '0xabc')])
  assert.equal(failure.code, 'RPC_OUTCOME_UNKNOWN')
  assert.match(failure.message, /whether 0xabc was sent/)
})

test('each trouble has its failure, which does not tell what nodes said', () => {
  for (const [trouble, code] of [
    ['unreachable', 'RPC_UPSTREAM_FAILED'],
    ['overloaded', 'RPC_UPSTREAM_FAILED'],
    ['broken', 'RPC_UPSTREAM_FAILED'],
    ['timeout', 'RPC_UPSTREAM_TIMEOUT'],
    ['tooLarge', 'RPC_ANSWER_TOO_LARGE'],
    ['unknown', 'RPC_OUTCOME_UNKNOWN'],
  ] as const) {
    const failure = failureOf('base-mainnet', new NodeError(trouble, 'http 503 of node'), 1_000)
    assert.deepEqual([failure.status, failure.code], [500, code])
    assert.doesNotMatch(failure.message, /503/)
    assert.ok(failure.cause instanceof NodeError)
  }
})
