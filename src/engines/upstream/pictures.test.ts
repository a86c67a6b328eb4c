import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { encode, sharp } from '../pixels/sharp.js'
import { drawPng, look, withNote } from './fixtures/picture-server.js'
import { formatOf, fromBase64, mediaTypeOf, toPicture } from './pictures.js'

test('pictures are known by their first bytes, and everything else is not one', async () => {
  const picture = sharp(await drawPng(3, 2))
  for (const format of ['png', 'jpeg', 'webp'] as const) {
    const bytes = await encode(picture.clone(), format)
    assert.deepEqual([toPicture(bytes).format, mediaTypeOf(bytes)], [format, `image/${format}`])
  }
  for (const text of ['', 'GIF89a', '<svg/>', 'RIFF1234WAVE', '\x89PNG', 'RIFF', '\xff\xd8'])
    assert.equal(formatOf(Buffer.from(text, 'latin1')), undefined, JSON.stringify(text))
})

test('base64 may stand in a data URL', async () => {
  const png = await drawPng(3, 2)
  const text = png.toString('base64')
  for (const form of [text, `data:image/png;base64,${text}`]) assert.deepEqual(fromBase64(form).bytes, png)
  for (const form of [undefined, 5, '', 'data:', '!!!']) assert.throws(() => fromBase64(form), { trouble: 'broken' })
})

test('notes are taken out of a PNG and the pixels stay', async () => {
  const png = await drawPng(3, 2)
  const { bytes } = toPicture(withNote(withNote(png, 'one'), 'two'))
  assert.deepEqual(bytes, png)
  assert.deepEqual((await look(bytes)).size, [3, 2])
})

test('a PNG that is nonsense after its first bytes is gone through to its end', () => {
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (rest) => {
      const { bytes, format } = toPicture(Buffer.concat([signature, rest]))
      assert.equal(format, 'png')
      assert.ok(bytes.length <= 8 + rest.length)
    }),
  )
})
