import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { neverStops } from '#plumbing/stop-signal.js'
import { EngineError } from '../engine-error.js'
import type { EditCall } from '../image.js'
import { createEditor } from './editor.js'
import { picture, quarters, see } from './fixtures/pictures.js'

const editor = createEditor()
after(() => editor.close())

const call = async (wish: Partial<EditCall> = {}): Promise<EditCall> => ({
  model: 'general',
  prompt: 'make it black and white',
  images: [await quarters(80, 60)],
  width: 80,
  height: 60,
  hasFixedShape: false,
  format: 'webp',
  seed: 1,
  signal: neverStops,
  ...wish,
})

test('edits in a thread, and the images stay with the caller', async () => {
  const asked = await call()
  const made = await editor.edit?.(asked)
  assert.equal(made?.format, 'webp')
  const { at, format } = await see(made?.bytes as Uint8Array)
  assert.deepEqual([format, at(10, 50)[0]], ['webp', at(10, 50)[2]])
  assert.ok((asked.images[0]?.bytes.length ?? 0) > 0)
})

test('refusals keep their words', async () => {
  await assert.rejects(editor.edit?.(await call({ prompt: 'add a dragon' })) as Promise<unknown>, (error: unknown) => {
    assert.ok(error instanceof EngineError)
    assert.equal(error.trouble, 'refused')
    assert.match(error.said ?? '', /"add a dragon" was not understood/)
    assert.doesNotMatch(error.message, /dragon/)
    return true
  })
})

test('who leaves is let go', async () => {
  const leaving = new AbortController()
  const large = await picture(900, 900, (x, y) => [x % 256, y % 256, (x * y) % 256, 255])
  const editing = editor.edit?.(
    await call({ images: [large], width: 900, height: 900, prompt: 'denoise, zoom blur', signal: leaving.signal }),
  )
  setTimeout(() => leaving.abort(new Error('left')), 20)
  await assert.rejects(editing as Promise<unknown>, /left/)
})
