import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodeInPieces } from './decode-in-pieces.js'

test('base64 of any length is decoded, also over several pieces, and in either alphabet', async () => {
  for (const length of [1, 2, 3, 4, 196_607, 196_608, 196_609, 600_001]) {
    const bytes = randomBytes(length)
    for (const text of [bytes.toString('base64'), bytes.toString('base64url')]) {
      const decoded = await decodeInPieces(text)
      assert.ok(decoded?.equals(bytes))
      assert.ok(decoded?.buffer instanceof SharedArrayBuffer)
    }
  }
})

test('what is not plain base64 is left to others', async () => {
  const text = randomBytes(300_000).toString('base64')
  const broken = ['', '=', '==', 'a', `${text.slice(0, 300_000)}\n${text.slice(300_000)}`, `!${text.slice(1)}`]
  for (const one of broken) assert.equal(await decodeInPieces(one), undefined)
})

test('it agrees with the runtime about short texts', () =>
  fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 40 }), async (bytes) => {
      const text = Buffer.from(bytes).toString('base64')
      assert.deepEqual([...((await decodeInPieces(text)) ?? [])], [...bytes])
    }),
  ))
