import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { createEventReader, type ServerSentEvent } from './event-stream.js'

/** The events in these bytes, read in pieces that end at `cuts`. */
const readAll = (bytes: Buffer, cuts: number[] = [], eventBytesMax?: number): ServerSentEvent[] => {
  const events: ServerSentEvent[] = []
  const reader = createEventReader({ onEvent: (event) => events.push(event), eventBytesMax })
  const borders = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  for (let index = 1; index < borders.length; index++) reader.push(bytes.subarray(borders[index - 1], borders[index]))
  return events
}
const readText = (text: string) => readAll(Buffer.from(text))
const dataOf = (text: string) => readText(text).map(({ data }) => data)

test('lines may end with CR, LF or CRLF, and an event is told as soon as its empty line began', () => {
  assert.deepEqual(dataOf('data: a\n\ndata: b\r\rdata: c\r\n\r\ndata: d\r\n\r'), ['a', 'b', 'c', 'd'])
})

test('a CRLF that is split between two reads ends one line, not two', () => {
  assert.deepEqual(readAll(Buffer.from('data: a\r\ndata: b\r\n\r\n'), [8, 17]), [{ event: undefined, data: 'a\nb' }])
})

test('a space after the colon is optional, and only one is removed', () => {
  assert.deepEqual(dataOf('data:a\n\ndata: a\n\ndata:  a\n\n'), ['a', 'a', ' a'])
})

test('several data lines are one event, with line feeds between them', () => {
  assert.deepEqual(dataOf('data: a\ndata\ndata:\ndata: b\n\n'), ['a\n\n\nb'])
})

test('data may be empty; without a data line there is no event', () => {
  assert.deepEqual(readText('data:\n\nevent: ping\n\n\n\ndata: a\n\n'), [
    { event: undefined, data: '' },
    { event: undefined, data: 'a' },
  ])
})

test('an event has the name of its own last event line', () => {
  assert.deepEqual(readText('event: x\nevent:message_start\ndata: a\n\ndata: b\n\nevent: c\nevent\ndata: c\n\n'), [
    { event: 'message_start', data: 'a' },
    { event: undefined, data: 'b' },
    { event: undefined, data: 'c' },
  ])
})

test('comments, ids, retries and unknown fields are passed over', () => {
  assert.deepEqual(dataOf(': ping\nid: 7\nretry: 10\nDATA: no\ndatax: no\n data: no\ndata: a\n: ping\n\n'), ['a'])
})

test('a byte order mark is removed at the very start only', () => {
  assert.deepEqual(dataOf('\ufeffdata: a\n\n\ufeffdata: b\n\ndata: \ufeffc\n\n'), ['a', '\ufeffc'])
})

test('an event that no empty line ended is dropped', () => {
  assert.deepEqual(dataOf('data: a\n\ndata: b\n'), ['a'])
})

test('an event beyond the bound throws: in one line, in one read, or in many lines', () => {
  const bound = /an event is larger than 100 bytes/
  assert.throws(() => readAll(Buffer.from(`data: ${'a'.repeat(120)}`), [50], 100), bound)
  assert.throws(() => readAll(Buffer.from(`data: ${'a'.repeat(120)}\n\n`), [], 100), bound)
  assert.throws(() => readAll(Buffer.from(`data: ${'a'.repeat(30)}\n`.repeat(4)), [], 100), bound)
  assert.equal(readAll(Buffer.from(`data: ${'a'.repeat(90)}\n\n`.repeat(4)), [95], 100).length, 4)
})

const line = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => `data: ${text}`),
  fc.constantFrom('data:x', 'data', 'data:', 'event: ping', 'event', ': comment', 'id: 1', 'retry: 5', '', '', ''),
)
const stream = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\r', '\r\n')), { maxLength: 20 })
  .map((lines) => lines.map(([text, end]) => text.replace(/[\r\n]/g, '') + end).join(''))
const cuts = fc.array(fc.nat(1000), { maxLength: 12 })

test('any split of the same bytes gives the same events, even when they are not UTF-8', () => {
  const bytes = fc.oneof(
    stream.map((text) => Buffer.from(text)),
    fc
      .array(fc.constantFrom(10, 13, 0xe2, 0x82, 0xac, 0xff, 58, ...Buffer.from('data: ')))
      .map((all) => Buffer.from(all)),
  )
  fc.assert(fc.property(bytes, cuts, (all, at) => assert.deepEqual(readAll(all, at), readAll(all))))
})

test('it reads what another implementation of the standard reads', () => {
  fc.assert(
    fc.property(stream, cuts, (text, at) => {
      const expected: ServerSentEvent[] = []
      const parser = createParser({ onEvent: ({ event, data }) => expected.push({ event, data }) })
      // It keeps a last CR for itself until something follows.
      parser.feed(`${text}: end`)
      assert.deepEqual(readAll(Buffer.from(text), at), expected)
    }),
  )
})
