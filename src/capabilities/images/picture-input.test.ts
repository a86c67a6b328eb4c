import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '#contract/errors.js'
import { FetchRefused } from '#plumbing/guarded-fetch/fetch-refused.js'
import type { FetchOptions } from '#plumbing/guarded-fetch/guarded-fetch.js'
import { neverStops } from '#plumbing/stop-signal.js'
import { createPictureInput, type PictureSource } from './picture-input.js'

/** Every picture says its size in its first bytes: enough to see what is done with it. */
const pictureOf = (width: number, height: number) => Buffer.from(`${width}x${height}`)
const pixels = {
  async inspect(bytes: Uint8Array) {
    const [width = 0, height = 0] = Buffer.from(bytes).toString().split('x').map(Number)
    return width > 0 && height > 0 ? { width, height } : undefined
  },
}

const openInput = (get: (url: string, how: FetchOptions) => Promise<Buffer> = async () => pictureOf(300, 300)) =>
  createPictureInput({
    guardedFetch: { get: async (url, how) => ({ url, contentType: 'image/png', bytes: await get(url, how) }) },
    pixels,
  })

const text = (content: string): PictureSource => ({ place: 'image', text: content })
const failsWith = (code: string, message: RegExp) => (error: unknown) =>
  error instanceof Failure && error.code === code && message.test(error.message)

test('files, base64, data URLs and URLs become pictures', async () => {
  const bytes = pictureOf(400, 200)
  const sources: PictureSource[] = [
    { place: 'image', file: bytes },
    text(bytes.toString('base64')),
    text(bytes.toString('base64url')),
    text(`data:image/png;base64,${bytes.toString('base64')}`),
  ]
  for (const source of sources)
    assert.deepEqual(await openInput()([source], neverStops), [{ bytes, width: 400, height: 200 }])
  const fetched = await openInput()([text('https://site.example/a.png')], neverStops)
  assert.deepEqual(fetched, [{ bytes: pictureOf(300, 300), width: 300, height: 300 }])
})

test('pixels are counted in all, from 65536 to 33177600', async () => {
  const told = (width: number, height: number) =>
    openInput()([{ place: 'images.1', file: pictureOf(width, height) }], neverStops)
  await told(256, 256)
  await told(65_536, 1)
  await told(5760, 5760)
  await assert.rejects(told(255, 257), failsWith('IMAGE_TOO_SMALL', /^images\.1 is a picture of 255 x 257/))
  await assert.rejects(told(33_177_601, 1), failsWith('IMAGE_TOO_LARGE', /33177600/))
})

test('a file must be under 25 MB, and what is fetched is bounded while it comes', async () => {
  const large = Buffer.alloc(25 * 1024 * 1024)
  await assert.rejects(openInput()([{ place: 'image', file: large }], neverStops), failsWith('FILE_TOO_LARGE', /25 MB/))
  let asked: FetchOptions | undefined
  const tooLarge = openInput(async (_url, how) => {
    asked = how
    throw new FetchRefused('size', 'is larger')
  })
  await assert.rejects(tooLarge([text('https://a.example/')], neverStops), failsWith('FILE_TOO_LARGE', /25 MB/))
  assert.equal(asked?.bytesMax, 25 * 1024 * 1024 - 1)
  assert.equal(asked?.redirectsMax, 3)
})

test('the first picture that fails ends the fetching of the others, and says its place', async () => {
  let stopped = false
  const input = openInput(async (url, { signal }) => {
    if (url.endsWith('bad')) throw new FetchRefused('address', 'does not lead to a public address')
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        stopped = true
        reject(signal.reason)
      })
    })
  })
  const sources = ['https://a.example/slow', 'https://a.example/bad'].map((address, index) => ({
    place: `images.${index}`,
    text: address,
  }))
  await assert.rejects(
    input(sources, neverStops),
    failsWith('MEDIA_UNAVAILABLE', /^The URL in images\.1 does not lead/),
  )
  assert.ok(stopped)
})

test('a caller who leaves is let go', async () => {
  const leaving = new AbortController()
  const input = openInput(async (_url, { signal }) => {
    leaving.abort(new Error('left'))
    throw signal.reason
  })
  await assert.rejects(input([text('https://a.example/')], leaving.signal), failsWith('CALLER_LEFT', /left/))
})
