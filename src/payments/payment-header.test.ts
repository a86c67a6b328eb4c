import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Failure } from '#contract/errors.js'
import { createScriptedChain, createScriptedRail } from '../../test/fakes/scripted-rail.js'
import { fingerprintOf } from './fingerprint.js'
import { readPaymentHeader } from './payment-header.js'

const rail = createScriptedRail(createScriptedChain())
const payload = { key: 'k', payer: '0xa', amount: '5000000' }
const encode = (value: unknown, encoding: BufferEncoding = 'base64') =>
  Buffer.from(JSON.stringify(value)).toString(encoding)
const read = (header: string) => readPaymentHeader(header, [rail])

const failureOf = (header: string): Failure => {
  try {
    fingerprintOf(read(header).payment)
  } catch (error) {
    assert.ok(error instanceof Failure, String(error))
    return error
  }
  throw new Error('it was read')
}

const reasonOf = (value: unknown) => (failureOf(encode(value)).body as { details: { reason: string } }).details.reason

test('three shapes carry the same payment, whatever they say about version and terms', () => {
  const shapes = [
    { x402Version: 2, accepted: { scheme: 'exact', network: 'eip155:8453', amount: '1', payTo: 'thief' }, payload },
    { x402Version: 2, accepted: { scheme: 'exact', network: 'base' }, payload, scheme: 'upto', network: 'elsewhere' },
    { x402Version: 1, scheme: 'exact', network: 'base', payload },
    { x402Version: 2, scheme: 'exact', network: 'base', payload },
    { scheme: 'exact', network: 'eip155:8453', payload, accepted: null, x402Version: '7' },
  ]
  for (const shape of shapes)
    for (const header of [encode(shape), encode(shape, 'base64url'), ` ${encode(shape).replace(/=+$/, '')} `]) {
      const { payment, rail: found } = read(header)
      assert.equal(found, rail)
      assert.deepEqual(payment, rail.read(payload))
    }
})

test('what cannot be used says why, and which networks are offered', () => {
  assert.equal(reasonOf({ scheme: 'upto', network: 'base', payload }), 'unsupported_scheme')
  assert.equal(reasonOf({ accepted: {}, scheme: 'exact', network: 'base', payload }), 'unsupported_scheme')
  assert.equal(reasonOf({ scheme: 'exact', network: 'Base', payload }), 'invalid_network')
  assert.equal(reasonOf({ scheme: 'exact', network: 'base', payload: [payload] }), 'invalid_payload')
  assert.equal(reasonOf({ scheme: 'exact', network: 'base' }), 'invalid_payload')
  assert.equal(reasonOf([payload]), 'invalid_payload')
  const { status, code, message } = failureOf(encode({ scheme: 'exact', network: 'solana', payload }))
  assert.deepEqual([status, code], [400, 'X402_INVALID_PAYMENT'])
  assert.match(message, /eip155:8453 \(base\)/)
})

test('headers that are too long, not base64, not UTF-8 or not JSON are refused', () => {
  assert.match(failureOf('A'.repeat(16_385)).message, /longer than 16384/)
  for (const header of [
    '',
    '%%%',
    'a b',
    'ab=c',
    Buffer.from([0xff, 0xfe]).toString('base64'),
    btoa('{"a":'),
    btoa('1'),
  ])
    assert.equal(failureOf(header).failure, 'paymentUnreadable')
})

test('what the database could not keep is refused as well', () => {
  for (const odd of ['\u0000', '\ud800', { deep: JSON.parse('['.repeat(1_000) + ']'.repeat(1_000)) }])
    assert.equal(reasonOf({ scheme: 'exact', network: 'base', payload: { ...payload, odd } }), 'invalid_payload')
})

test('no text and no JSON gives anything but a payment or a Failure', () => {
  const anything = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.base64String(),
    fc.json().map(btoaUtf8),
    fc
      .record(
        {
          x402Version: fc.jsonValue(),
          scheme: fc.constantFrom('exact', 'upto', 1),
          network: fc.constantFrom('base', 'eip155:8453', 'x', {}),
          accepted: fc.oneof(fc.constant({ scheme: 'exact', network: 'base' }), fc.jsonValue()),
          payload: fc.oneof(
            fc.jsonValue(),
            fc.record({ key: fc.jsonValue(), payer: fc.string(), amount: fc.jsonValue() }),
          ),
        },
        { requiredKeys: [] },
      )
      .map((value) => btoaUtf8(JSON.stringify(value))),
  )
  fc.assert(
    fc.property(anything, (header) => {
      try {
        assert.equal(fingerprintOf(read(header).payment).length, 32)
      } catch (error) {
        assert.ok(error instanceof Failure, String(error))
      }
    }),
    { numRuns: 2_000 },
  )
})

test('the order of fields does not make another payment, anything else does', () => {
  const fingerprint = (value: object) => fingerprintOf(rail.read(value)).toString('hex')
  const { key, payer, amount } = payload
  assert.equal(fingerprint({ amount, payer, key }), fingerprint(payload))
  const others = [
    { ...payload, salt: 'x' },
    { ...payload, key: 'other' },
    { ...payload, list: [1, 2] },
    { ...payload, list: [2, 1] },
  ]
  assert.equal(new Set([payload, ...others].map(fingerprint)).size, 5)
})

function btoaUtf8(text: string) {
  return Buffer.from(text).toString('base64')
}
