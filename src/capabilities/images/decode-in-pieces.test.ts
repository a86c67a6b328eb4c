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

test('base64 in lines is decoded, wherever the lines end', async () => {
  const bytes = randomBytes(700_001)
  const text = bytes.toString('base64')
  for (const width of [1, 60, 76, 64 * 1024])
    for (const end of ['\n', '\r\n', ' \n']) {
      const lines = text.slice(0, width === 1 ? 400 : undefined).match(new RegExp(`.{1,${width}}`, 'g')) ?? []
      const decoded = await decodeInPieces(lines.join(end) + end)
      assert.ok(decoded?.equals(bytes.subarray(0, width === 1 ? 300 : undefined)), `${width} ${JSON.stringify(end)}`)
    }
})

test('what is not base64 is nothing', async () => {
  const text = randomBytes(300_000).toString('base64')
  const broken = ['', '=', '==', 'a', '  ', `!${text.slice(1)}`, `${text.slice(0, 200_000)}=${text.slice(200_001)}`]
  for (const one of broken) assert.equal(await decodeInPieces(one), undefined)
})

test('it agrees with the runtime about short texts', () =>
  fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 40 }), async (bytes) => {
      const text = Buffer.from(bytes).toString('base64')
      assert.deepEqual([...((await decodeInPieces(text)) ?? [])], [...bytes])
    }),
  ))
