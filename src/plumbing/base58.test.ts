import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getBase58Codec } from '@solana/kit'
import fc from 'fast-check'
import { decodeBase58, decodeLongBase58, encodeBase58 } from './base58.js'

const codec = getBase58Codec()

test('bytes come back from their base58 text, zeros in front included', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ minLength: 32, maxLength: 32 }),
    fc.uint8Array({ minLength: 64, maxLength: 64 }),
    fc.nat(32).map((zeros) => new Uint8Array(32).fill(255, zeros)),
  )
  fc.assert(
    fc.property(bytes, (bytes) => {
      const text = codec.decode(bytes)
      assert.deepEqual(decodeBase58(text, bytes.length), bytes)
      assert.equal(decodeBase58(text, bytes.length + 1), undefined)
      assert.equal(decodeBase58(text, bytes.length - 1), undefined)
      assert.equal(decodeBase58(`1${text}`, bytes.length), undefined, 'a second spelling')
    }),
  )
})

test('what is no base58, or stands for too many bytes, is nothing', () => {
  for (const text of [
    '',
    '0'.repeat(43),
    'O'.repeat(43),
    'l'.repeat(43),
    'z'.repeat(44),
    'é'.repeat(43),
    '1'.repeat(9e6),
  ])
    assert.equal(decodeBase58(text, 32), undefined, text.slice(0, 50))
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
      const bytes = decodeBase58(text, 32)
      assert.ok(bytes === undefined || codec.decode(bytes) === text)
    }),
  )
})

test('texts of any length are read and written as others do', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(5), (tail, zeros) => {
      const bytes = Buffer.concat([new Uint8Array(zeros), tail])
      const text = codec.decode(bytes)
      assert.equal(encodeBase58(bytes), text)
      assert.deepEqual(decodeLongBase58(text, 305), new Uint8Array(bytes))
      if (bytes.length > 0) assert.equal(decodeLongBase58(text, bytes.length - 1), undefined)
    }),
  )
  for (const text of ['0', 'O1', '1'.repeat(9e6), 'é']) assert.equal(decodeLongBase58(text, 1232), undefined)
})
