import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '#contract/errors.js'
import type { TextCapabilities } from '#contract/model-parts.js'
import type { ChatMessage, ContentPart } from '#contract/text-parts.js'
import { FetchRefused } from '#plumbing/guarded-fetch/fetch-refused.js'
import type { Fetched, FetchOptions, GuardedFetch } from '#plumbing/guarded-fetch/guarded-fetch.js'
import { jpeg, png } from '../../../../test/sample-images.js'
import { createTextExtraction } from '../../documents/extract-text.js'
import { createMediaPreparation } from './prepare-media.js'

const never = new AbortController().signal
const sees = (more: Partial<TextCapabilities> = {}) =>
  ({ supportsVision: true, supportsMultipleImages: false, ...more }) as TextCapabilities
const many = sees({ supportsMultipleImages: true, maxImages: 3 })

const dataUrl = (bytes: Buffer, type = 'image/png') => `data:${type};base64,${bytes.toString('base64')}`
const image = (url: string): ContentPart => ({ type: 'image_url', image_url: { url } })
const video = (url: string): ContentPart => ({ type: 'video_url', video_url: { url } })
const audio = (data: string): ContentPart => ({ type: 'input_audio', input_audio: { data, format: 'wav' } })
const file = (file_data: string, filename?: string): ContentPart => ({
  type: 'file',
  file: { file_data, ...(filename !== undefined && { filename }) },
})
const text = (words: string): ContentPart => ({ type: 'text', text: words })
const user = (...content: ContentPart[]): ChatMessage => ({ role: 'user', content })
const contentOf = (message: ChatMessage | undefined) => message?.content as ContentPart[]

type Web = (url: string, how: FetchOptions) => Promise<Omit<Fetched, 'url'>>

/** A preparation whose web is a function. */
const prepareWith = (web: Web = async () => assert.fail('nothing may be fetched')) => {
  const guardedFetch: GuardedFetch = { get: async (url, how) => ({ url, ...(await web(url, how)) }) }
  const prepare = createMediaPreparation({ guardedFetch, extractText: createTextExtraction() })
  return (messages: ChatMessage[], capabilities = many, signal = never) => prepare(messages, capabilities, signal)
}

const failsWith = (code: string, said: RegExp) => (error: unknown) =>
  error instanceof Failure && error.status === 400 && error.code === code && said.test(error.message)

test('messages without media come back as they are, the same array', async () => {
  const messages: ChatMessage[] = [{ role: 'system', content: 'x' }, user(text('hello')), { role: 'assistant' }]
  assert.equal(await prepareWith()(messages), messages)
})

test('a file becomes text under its name, from a data URL in base64 or percent-encoded', async () => {
  const [message] = await prepareWith()([
    user(text('look'), file(dataUrl(Buffer.from('a,b'), 'text/csv'), 'a.csv'), {
      ...file('data:text/plain,h%C3%A9'),
      cache_control: { type: 'ephemeral' },
    } as ContentPart),
  ])
  assert.deepEqual(contentOf(message), [
    text('look'),
    text('File: a.csv\n\na,b'),
    { type: 'text', text: 'hé', cache_control: { type: 'ephemeral' } },
  ])
})

test('a file behind a URL is fetched and named after it', async () => {
  const prepare = prepareWith(async () => ({ contentType: 'application/octet-stream', bytes: Buffer.from('x = 1') }))
  const [message] = await prepare([user(file('https://site.example/code/main.py?raw=1'))])
  assert.deepEqual(contentOf(message), [text('File: main.py\n\nx = 1')])
})

test('an image behind a URL is fetched and sent along under its real type', async () => {
  const prepare = prepareWith(async () => ({ contentType: 'application/octet-stream', bytes: jpeg(100, 64) }))
  const [message] = await prepare([user({ ...image('https://site.example/a'), type: 'image_url' } as ContentPart)])
  assert.deepEqual(contentOf(message), [image(dataUrl(jpeg(100, 64), 'image/jpeg'))])
})

test('an image that came along stays as it is, unless its type is not the truth', async () => {
  const honest = image(dataUrl(png(64, 64)))
  const [message] = await prepareWith()([user(honest, image(dataUrl(jpeg(64, 64), 'image/png')))])
  assert.deepEqual(contentOf(message), [honest, image(dataUrl(jpeg(64, 64), 'image/jpeg'))])
})

test('images that are small, broken or not images are refused by their place', async () => {
  const refusal = (url: string) => prepareWith()([user(text('a')), user(text('b'), image(url))])
  const place = /^messages\.1\.content\.1 /
  await assert.rejects(refusal(dataUrl(png(63, 200))), failsWith('IMAGE_TOO_SMALL', place))
  await assert.rejects(refusal(dataUrl(png(64, 64).subarray(0, -5))), failsWith('CORRUPTED_IMAGE', place))
  await assert.rejects(refusal(dataUrl(Buffer.from('hello'))), failsWith('CORRUPTED_IMAGE', place))
  await assert.rejects(
    refusal('data:image/png;base64,***'),
    failsWith('INVALID_REQUEST', /messages\.1\.content\.1 must/),
  )
  await assert.rejects(
    refusal('ftp://site.example/a.png'),
    failsWith('INVALID_REQUEST', /messages\.1\.content\.1 must/),
  )
})

test('a model that takes one look is shown only the images of the last message that has any', async () => {
  const [first, second] = [image(dataUrl(png(64, 64))), image(dataUrl(png(65, 65)))]
  const never = image('https://site.example/never-fetched.png')
  const prepared = await prepareWith()(
    [
      user(text('old'), never),
      user(never),
      { role: 'assistant', content: 'nice' },
      user(first, second),
      user(text('new')),
    ],
    sees(),
  )
  assert.deepEqual(prepared.map(contentOf), [
    [text('old')],
    [text('[image omitted]')],
    'nice',
    [first, second],
    [text('new')],
  ])
})

test('a model that takes several images is shown all, and not more than it takes', async () => {
  const one = image(dataUrl(png(64, 64)))
  assert.deepEqual(await prepareWith()([user(one), user(one, one)]), [user(one), user(one, one)])
  const four = [user(one, one), user(one, image('https://site.example/never-fetched.png'))]
  await assert.rejects(prepareWith()(four), failsWith('INVALID_REQUEST', /at most 3 images/))
})

test('audio is base64 that holds something', async () => {
  const fine = user(audio(Buffer.from('RIFF').toString('base64')))
  assert.deepEqual(await prepareWith()([fine]), [fine])
  for (const data of ['https://site.example/a.wav', '====', '!'])
    await assert.rejects(
      prepareWith()([user(audio(data))]),
      failsWith('INVALID_REQUEST', /messages\.0\.content\.0 must/),
    )
})

test('a video must be there itself and say that it is one', async () => {
  let asked: FetchOptions | undefined
  const prepare = prepareWith(async (_url, how) => {
    asked = how
    return { contentType: 'video/mp4', bytes: Buffer.from('film') }
  })
  const [message] = await prepare([user(video('https://site.example/v'), video('data:video/webm;base64,AAAA'))])
  assert.deepEqual(contentOf(message), [
    video(dataUrl(Buffer.from('film'), 'video/mp4')),
    video('data:video/webm;base64,AAAA'),
  ])
  assert.equal(asked?.redirectsMax, 0)
  assert.ok(asked?.contentType?.test('video/mp4') && !asked.contentType.test('text/html'))
  await assert.rejects(prepare([user(video('data:text/html,<p>'))]), failsWith('INVALID_REQUEST', /video content type/))
})

test('at most three videos, or as many as the model takes', async () => {
  const film = video('data:video/mp4;base64,AAAA')
  await prepareWith()([user(film, film), user(film)])
  await assert.rejects(prepareWith()([user(film, film, film, film)]), failsWith('INVALID_REQUEST', /at most 3 videos/))
  const two = sees({ maxVideos: 2 })
  await assert.rejects(prepareWith()([user(film, film, film)], two), failsWith('INVALID_REQUEST', /at most 2 videos/))
})

test('what cannot be fetched is told with its place, and ends the other fetches', async () => {
  const stopped: string[] = []
  const prepare = prepareWith((url, { signal }) => {
    if (url.endsWith('bad')) return Promise.reject(new FetchRefused('address', 'does not lead to a public address'))
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        stopped.push(url)
        reject(signal.reason)
      })
    })
  })
  const request = [user(image('https://a.example/slow'), file('https://a.example/bad'))]
  await assert.rejects(
    prepare(request),
    failsWith('MEDIA_UNAVAILABLE', /^The URL in messages\.0\.content\.1 does not lead to a public address$/),
  )
  assert.deepEqual(stopped, ['https://a.example/slow'])
  const large = prepareWith(() => Promise.reject(new FetchRefused('size', 'is larger')))
  await assert.rejects(large(request), failsWith('FILE_TOO_LARGE', /^messages\.0\.content\.0 is larger than 25 MB/))
})

test('at most four things are fetched at a time', async () => {
  let running = 0
  let most = 0
  const prepare = prepareWith(async () => {
    most = Math.max(most, ++running)
    await new Promise(setImmediate)
    running--
    return { contentType: 'text/plain', bytes: Buffer.from('x') }
  })
  await prepare([user(...Array.from({ length: 12 }, (_, index) => file(`https://a.example/${index}`)))])
  assert.equal(most, 4)
})

test('all media of a request together are bounded', async () => {
  const prepare = prepareWith(async () => ({ contentType: 'text/plain', bytes: Buffer.alloc(24 * 1024 * 1024, 'x') }))
  const request = [user(...['a', 'b', 'c'].map((name) => file(`https://a.example/${name}`)))]
  await assert.rejects(prepare(request), failsWith('INVALID_REQUEST', /at most 64 MB/))
})

test('a caller who leaves ends it with their own reason', async () => {
  const leaving = new AbortController()
  const prepare = prepareWith((_url, { signal }) => {
    leaving.abort(new Error('left'))
    return Promise.reject(signal.reason)
  })
  await assert.rejects(prepare([user(file('https://a.example/x'))], many, leaving.signal), /left/)
})
