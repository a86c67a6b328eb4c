import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodeBase64, readDataUrl } from './data-url.js'

test('base64 of any bytes is understood, in both alphabets, with and without padding and line breaks', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      const expected = Buffer.from(bytes)
      const text = expected.toString('base64')
      for (const form of [
        text,
        text.replace(/=+$/, ''),
        expected.toString('base64url'),
        text.replace(/(.{8})/g, '$1\r\n'),
      ])
        assert.deepEqual(decodeBase64(form), expected, form)
    }),
  )
})

test('what is not base64 is not taken for it', () => {
  for (const text of ['a', 'abc!', 'ab=cd', 'https://site.example/a.wav', 'äöü=', 'YWJj*'])
    assert.equal(decodeBase64(text), undefined, text)
})

test('a data URL gives its type and content, in base64 or percent-encoded', () => {
  assert.deepEqual(readDataUrl('data:Text/Plain;charset=utf-8;base64,aMOp'), {
    contentType: 'text/plain',
    bytes: Buffer.from('hé'),
    isBase64: true,
  })
  assert.deepEqual(readDataUrl('DATA:,h%C3%A9%ff%zz%'), {
    contentType: '',
    bytes: Buffer.from('68c3a9ff257a7a25', 'hex'),
    isBase64: false,
  })
  assert.deepEqual(readDataUrl('data:;base64,YQ%3D%3D')?.bytes, Buffer.from('a'))
  for (const url of ['data:text/plain', 'data:;base64,***', 'http://a,b']) assert.equal(readDataUrl(url), undefined)
})
