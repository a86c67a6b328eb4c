import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { request } from 'undici'
import { Failure } from '#contract/errors.js'
import { isForm, readForm } from './read-form.js'
import { createUploadRoom, Uploads } from './uploads.js'

/** Reads whatever comes as a form and says what it made of it. */
const server = createServer(async (incoming, response) => {
  const uploads = new Uploads()
  try {
    const body = await readForm(incoming, { bytesMax: 40_000_000, uploads })
    const shown = JSON.stringify(body, (_name, value) => {
      const kept = typeof value === 'string' ? uploads.find(value) : undefined
      return kept === undefined ? value : `<${kept.length} bytes>`
    })
    response.end(JSON.stringify({ body: JSON.parse(shown), isForm: isForm(body) }))
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    response.writeHead(error.status).end(JSON.stringify({ error: error.message, code: error.code }))
  }
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
after(() => server.close())
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const send = async (form: FormData) => {
  const answer = await fetch(url, { method: 'POST', body: form })
  return (await answer.json()) as { body?: Record<string, unknown>; error?: string; code?: string; isForm?: boolean }
}
const formOf = (parts: [string, string | Blob][]) => {
  const form = new FormData()
  for (const [name, value] of parts) form.append(name, value)
  return form
}
const file = (bytes: number) => new Blob([new Uint8Array(bytes)])

test('texts and files are found under their names, also those that come twice or in brackets', async () => {
  const { body, isForm: isMarked } = await send(
    formOf([
      ['prompt', 'ä "b"\r\nc'],
      ['images', file(3)],
      ['images', file(4)],
      ['image[]', file(5)],
    ]),
  )
  assert.deepEqual(body, { prompt: 'ä "b"\r\nc', images: ['<3 bytes>', '<4 bytes>'], image: ['<5 bytes>'] })
  assert.equal(isMarked, true)
})

test('a file that is too large is refused while it comes, and so is a form that is', async () => {
  const large = await send(formOf([['image', file(26 * 1024 * 1024)]]))
  assert.deepEqual([large.code, large.error], ['FILE_TOO_LARGE', 'image is larger than 25 MB'])
  const form = await send(formOf(Array.from({ length: 3 }, () => ['images', file(15_000_000)])))
  assert.equal(form.code, 'PAYLOAD_TOO_LARGE')
})

test('an empty file, a file for a text, and too many parts are refused by name', async () => {
  assert.match((await send(formOf([['image', file(0)]]))).error ?? '', /image must not be empty/)
  assert.match((await send(formOf([['prompt', file(9)]]))).error ?? '', /prompt must be text, not a file/)
  assert.match((await send(formOf(Array.from({ length: 40 }, () => ['image', file(1)])))).error ?? '', /32 files/)
  assert.match((await send(formOf(Array.from({ length: 80 }, () => ['a', 'b'])))).error ?? '', /64 fields/)
})

test('names of any kind are only names', async () => {
  const { body } = await send(
    formOf([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]),
  )
  assert.equal(JSON.stringify(body), '{"__proto__":"x","constructor":"y"}')
})

test('bytes that are no form are refused, never more', async () => {
  const types = ['multipart/form-data', 'multipart/form-data; boundary=x', 'multipart/form-data; boundary=']
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...types),
      fc.oneof(
        fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes)),
        fc
          .constantFrom('--x', '--x\r\n', '--x\r\n\r\n', '--x\r\ncontent-disposition: form-data\r\n\r\n1\r\n--x--')
          .map((text) => Buffer.from(text)),
      ),
      async (type, body) => {
        const answer = await request(url, { method: 'POST', headers: { 'content-type': type }, body })
        assert.ok(answer.statusCode === 200 || answer.statusCode === 400)
        await answer.body.dump()
      },
    ),
    { numRuns: 40 },
  )
})

test('the room for uploads is shared, and free again when they are answered', () => {
  const room = createUploadRoom(100)
  const leave = room.enter(40, 'one')
  assert.throws(() => room.enter(20, 'one'), /retry shortly/, 'half of it is the most that one can have')
  room.enter(50, 'other')
  assert.throws(() => room.enter(20, 'third'), /retry shortly/)
  leave()
  leave()
  room.enter(50, 'one')
  assert.throws(() => room.enter(1, 'third'), /retry shortly/)
})
