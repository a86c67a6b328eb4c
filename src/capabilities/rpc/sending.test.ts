import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NodeError } from '#engines/nodes/node.js'
import { createStop } from '#plumbing/stop-signal.js'
import { balance, type Call, createSubject, result, settle, textsOf } from '../../../test/rpc-calls.js'

test('a transaction is noted before it is sent, with its hash, and then how it ended', async () => {
  const { request, asks, last, sends } = createSubject()
  const sent = request([['eth_sendRawTransaction', ['0x02']], balance])
  assert.equal(asks.length, 0)
  assert.deepEqual(sends, ['eth_sendRawTransaction hash of ["0x02"]'])
  await settle()
  assert.deepEqual(
    last().calls.map(({ kind }) => kind),
    ['send', 'read'],
  )
  last().answer([result('"0xhash"'), result('"1"')])
  assert.deepEqual(textsOf(await sent), ['"0xhash"', '"1"'])
  assert.deepEqual(sends.slice(1), ['accepted "0xhash"'])
})

test('after something was sent, nothing is given that was asked for before', async () => {
  const { request, asks, last } = createSubject()
  const kept = request([balance])
  last().answer([result('"1"')])
  await kept
  const sent = request([['eth_sendRawTransaction', ['0x02']]])
  await settle()
  last().answer([result('"0xhash"')])
  await sent
  void request([balance])
  assert.equal(asks.length, 3)
})

test('the same transaction from two callers is sent for both, and nobody waits for what it travels with', async () => {
  const { request, asks } = createSubject()
  for (let count = 0; count < 2; count++) void request([['eth_sendRawTransaction', ['0x02']], balance])
  await settle()
  assert.deepEqual(
    asks.map(({ calls }) => calls.length),
    [2, 2],
  )
})

for (const [what, answer, end] of [
  ['refused by a node', { error: '{"code":-32000}' }, 'refused'],
  ['broken off', new NodeError('unknown', 'cut'), 'unknown'],
  ['not sent', new NodeError('unreachable', 'refused'), 'refused'],
  ['too much', new NodeError('overloaded', '429'), 'refused'],
  ['silent', new NodeError('timeout', 'silent'), 'unknown'],
] as const)
  test(`a transaction that was ${what} is noted as ${end}`, async () => {
    const { request, last, sends } = createSubject()
    const sent = request([['eth_sendRawTransaction', ['0x02']]])
    await settle()
    last().answer([answer])
    const [outcome] = await sent
    assert.deepEqual(sends.slice(1), [`${end} undefined`])
    if (answer instanceof NodeError) assert.deepEqual(outcome, { failed: answer, hash: 'hash of ["0x02"]' })
  })

test('what cannot be noted is not sent', async () => {
  const { request, asks, sends } = createSubject()
  let count = 0
  const onSend = async () => {
    if (++count === 2) throw new Error('no database')
    return async (end: string) => {
      sends.push(end)
    }
  }
  const two: Call[] = [
    ['eth_sendRawTransaction', ['0x02']],
    ['eth_sendRawTransaction', ['0x03']],
  ]
  await assert.rejects(request(two, { onSend }), /no database/)
  assert.equal(asks.length, 0)
  assert.deepEqual(sends, ['refused'])
})

test('an end that cannot be noted does not cost the answer', async () => {
  const { request, last } = createSubject()
  const onSend = async () => async () => {
    throw new Error('no database')
  }
  const sent = request([['eth_sendRawTransaction', ['0x02']]], { onSend })
  await settle()
  last().answer([result('"0xhash"')])
  assert.deepEqual(textsOf(await sent), ['"0xhash"'])
})

test('a transaction goes on when its caller leaves, and its end is noted', async () => {
  const { request, last, sends } = createSubject()
  const { signal, stop } = createStop()
  const sent = request([['eth_sendRawTransaction', ['0x02']]], { signal })
  await settle()
  stop()
  await assert.rejects(sent, { name: 'AbortError' })
  assert.equal(last().signal.aborted, false)
  last().answer([result('"0xhash"')])
  await settle()
  assert.deepEqual(sends.slice(1), ['accepted "0xhash"'])
})

test('a caller who leaves before the transaction is sent has not sent it', async () => {
  const { request, asks, sends } = createSubject()
  const { signal, stop } = createStop()
  const sent = request([['eth_sendRawTransaction', ['0x02']]], { signal })
  stop()
  await assert.rejects(sent, { name: 'AbortError' })
  await settle()
  assert.equal(asks.length, 0)
  assert.deepEqual(sends.slice(1), ['refused undefined'])
})

test('what nobody knows is asked each time, once for each caller', async () => {
  const { request, asks, sends } = createSubject()
  void request([['zks_newThing'], ['zks_newThing']])
  void request([['zks_newThing']])
  await settle()
  assert.deepEqual(
    asks.map(({ calls }) => calls.length),
    [2, 1],
  )
  assert.equal(sends.length, 3)
})
