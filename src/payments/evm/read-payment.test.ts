import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { getAddress } from 'viem'
import { Failure } from '#contract/errors.js'
import { readPayment } from './read-payment.js'

const payTo = getAddress(`0x${'2'.repeat(40)}`)
const expected = { network: 'eip155:8453', asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', payTo }
const read = (payload: unknown) => readPayment(payload, expected)

const good = {
  signature: `0x${'ab'.repeat(64)}1b`,
  authorization: {
    from: `0x${'aB'.repeat(20)}`,
    to: payTo,
    value: '5000000',
    validAfter: '0',
    validBefore: '1900000000',
    nonce: `0x${'0c'.repeat(32)}`,
  },
}
const withAuthorization = (changes: object) => ({ ...good, authorization: { ...good.authorization, ...changes } })

const reasonOf = (payload: unknown): unknown => {
  try {
    read(payload)
  } catch (error) {
    assert.ok(error instanceof Failure, String(error))
    assert.equal(error.status, 400)
    return (error.body as { details?: { reason?: unknown } }).details?.reason
  }
  return 'none'
}

test('a payment is read from what was signed', () => {
  const payment = read(good)
  assert.equal(payment.amount, 5_000_000n)
  assert.equal(payment.payer, `0x${'ab'.repeat(20)}`)
  assert.equal(payment.validUntilMs, 1_900_000_000_000)
  assert.equal(
    payment.paymentKey,
    `eip155:8453/${expected.asset.toLowerCase()}/0x${'ab'.repeat(20)}/0x${'0c'.repeat(32)}`,
  )
})

test('the same signed bytes are the same payment, however they are spelled', () => {
  const hex = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex'))
  const mixedCase = (text: string, isUpper: boolean[]) =>
    `0x${[...text].map((letter, index) => (isUpper[index] ? letter.toUpperCase() : letter)).join('')}`
  const cases = fc.array(fc.boolean(), { minLength: 130, maxLength: 130 })
  const number = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
  fc.assert(
    fc.property(hex, hex, cases, number, fc.constantFrom(0, 27), (from, nonce, isUpper, value, offset) => {
      const plain = {
        signature: `0x${nonce}${from}1c`,
        authorization: {
          ...good.authorization,
          from: `0x${from.slice(24)}`,
          nonce: `0x${nonce}`,
          value: String(value),
        },
      }
      const other = {
        signature: `${mixedCase(nonce + from, isUpper)}${(1 + offset).toString(16).padStart(2, '0')}`,
        authorization: {
          ...good.authorization,
          from: mixedCase(from.slice(24), isUpper),
          to: payTo.toLowerCase(),
          nonce: mixedCase(nonce, isUpper),
          value: fc.sample(fc.constantFrom(value, `00${value}`), 1)[0],
        },
        ignored: 'by us',
      }
      assert.deepEqual(read(other), read(plain))
    }),
  )
})

test('whatever else is sent is refused with a reason, and never crashes', () => {
  const anything = fc.anything({ withBigInt: true, withNullPrototype: true })
  fc.assert(fc.property(anything, (payload) => assert.notEqual(reasonOf(payload), undefined)))
  const field = fc.constantFrom(...Object.keys(good.authorization))
  fc.assert(
    fc.property(field, anything, (name, value) => {
      const reason = reasonOf(withAuthorization({ [name]: value }))
      const isNumber = typeof value === 'number' || typeof value === 'string'
      assert.notEqual(reason, undefined)
      if (!isNumber) assert.notEqual(reason, 'none')
    }),
  )
})

test('what could never be settled here is said to be so, in the words of x402', () => {
  const cases: [unknown, string][] = [
    [withAuthorization({ to: `0x${'3'.repeat(40)}` }), 'invalid_exact_evm_recipient_mismatch'],
    [withAuthorization({ from: payTo }), 'invalid_exact_evm_recipient_mismatch'],
    [withAuthorization({ value: '0' }), 'invalid_exact_evm_authorization_value'],
    [withAuthorization({ value: String(2n ** 63n) }), 'invalid_exact_evm_authorization_value'],
    [withAuthorization({ value: String(2n ** 256n) }), 'invalid_payload'],
    [withAuthorization({ value: '-1' }), 'invalid_payload'],
    [withAuthorization({ value: 1.5 }), 'invalid_payload'],
    [withAuthorization({ value: 2 ** 53 }), 'invalid_payload'],
    [withAuthorization({ value: '0x10' }), 'invalid_payload'],
    [withAuthorization({ nonce: '0x00' }), 'invalid_payload'],
    [{ ...good, signature: `0x${'00'.repeat(8_193)}` }, 'invalid_payload'],
    [{ ...good, signature: '0x' }, 'invalid_payload'],
    [{ ...good, permit2Authorization: {} }, 'unsupported_payload_type'],
    [{ signature: good.signature, transaction: 'AAAA' }, 'unsupported_payload_type'],
  ]
  for (const [payload, reason] of cases) assert.equal(reasonOf(payload), reason, JSON.stringify(payload).slice(0, 300))
  assert.equal(read(withAuthorization({ value: String(2n ** 63n - 1n) })).amount, 2n ** 63n - 1n)
  assert.equal(read(withAuthorization({ validBefore: String(2n ** 256n - 1n) })).validUntilMs, null)
})
