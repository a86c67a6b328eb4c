import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseJson } from '../json-body.js'
import { putBack, takeOutLongTexts } from './json-with-files.js'
import { Uploads } from './uploads.js'

const long = 'QUJD'.repeat(20_000)

const read = (body: unknown) => {
  const uploads = new Uploads()
  const rest = takeOutLongTexts(Buffer.from(JSON.stringify(body)), uploads)
  return { rest, uploads, body: putBack(parseJson(rest), uploads) as Record<string, string> }
}

test('a picture is taken out of the body and found by its mark', () => {
  const { rest, uploads, body } = read({ prompt: 'a "quoted" word \\', image: long, after: [1, 'x'] })
  assert.ok(rest.length < 200)
  assert.equal(uploads.find(body.image ?? ''), long)
  assert.deepEqual(body, { prompt: 'a "quoted" word \\', image: body.image, after: [1, 'x'] })
})

test('a long text that is no picture stays a long text', () => {
  const { body } = read({ prompt: long, image: 'short' })
  assert.equal(body.prompt, long)
  assert.equal(body.image, 'short')
})

test('a body that is nested as deep as it goes is read', () => {
  const deep = `{"image":"${long}","a":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_001)}`
  const uploads = new Uploads()
  const body = putBack(parseJson(takeOutLongTexts(Buffer.from(deep), uploads)), uploads) as { image: string }
  assert.equal(uploads.find(body.image), long)
})

test('several pictures keep their order', () => {
  const { uploads, body } = read({ images: [`${long}A`, `${long}B`] })
  assert.deepEqual(
    (body.images as unknown as string[]).map((mark) => uploads.find(mark)),
    [`${long}A`, `${long}B`],
  )
})

test('any body is read as JSON reads it, marks apart', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(long, `${long}"\\`, `é${long}`, '\\"', '\\\\"', '\u0000upload-0'),
  )
  const bodies = fc.dictionary(fc.string(), fc.oneof(texts, fc.array(texts), fc.dictionary(fc.string(), texts)))
  fc.assert(
    fc.property(bodies, (given) => {
      const { uploads, body } = read(given)
      const whole = (value: unknown): unknown => {
        if (typeof value === 'string') return uploads.find(value) ?? value
        if (Array.isArray(value)) return value.map(whole)
        if (typeof value !== 'object' || value === null) return value
        return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, whole(inner)]))
      }
      const plain = JSON.parse(JSON.stringify(given))
      // A caller who writes a mark himself may get what he sent elsewhere in the same body, and nothing else.
      if (JSON.stringify(given).includes('upload-0')) return
      assert.deepEqual(whole(body), plain)
    }),
    { numRuns: 100 },
  )
})

test('a body that is cut off in a long text is refused with the place', () => {
  const uploads = new Uploads()
  const cut = Buffer.from(`{"prompt":"x","image":"${long}`)
  assert.throws(() => parseJson(takeOutLongTexts(cut, uploads)), /not valid JSON/)
})
