import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseObject, readPiece } from './chunks.js'
import { createFamiliarChunks } from './familiar-chunk.js'

const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' }
const chunk = (content: string, more: object = {}, top: object = {}) =>
  JSON.stringify({ ...head, choices: [{ index: 0, delta: { content }, finish_reason: null, ...more }], ...top })

const parsed = (data: string) => readPiece(parseObject(data), data)

/** Reads a stream as the engine does, and says how each piece came about. */
const read = (...stream: string[]) => {
  const familiar = createFamiliarChunks()
  return stream.map((data) => {
    const known = familiar.recognise(data)
    if (known !== undefined) return { piece: known, isKnown: true }
    const piece = parsed(data)
    if (piece !== undefined) familiar.learn(data, piece)
    return { piece, isKnown: false }
  })
}

test('from the second one on, chunks that differ in their content are known without parsing', () => {
  const pieces = read(chunk('Hello'), chunk(' wor'), chunk('ld'), chunk(''))
  assert.deepEqual(
    pieces.map(({ isKnown }) => isKnown),
    [false, true, true, true],
  )
  assert.deepEqual(pieces.map(({ piece }) => piece?.chunk.choices[0]?.delta.content).join(''), 'Hello world')
})

test('what is not just other content is parsed', () => {
  for (const other of [
    chunk('a "quoted" word'),
    chunk('a line\n'),
    chunk('x', { finish_reason: 'stop' }),
    chunk('x', {}, { usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }),
    chunk('x', { index: 1 }),
    chunk('x', {}, { model: 'other' }),
    JSON.stringify({ ...head, choices: [] }),
  ])
    assert.equal(read(chunk('Hello'), other)[1]?.isKnown, false, other)
})

test('a chunk is read the same whether it is known or parsed, whatever is in it', () => {
  const letter = fc.constantFrom(
    'a',
    'é',
    '"',
    '\\',
    '\n',
    '}',
    ',"',
    '"content":"',
    '],"usage":{',
    '\u2028',
    '🙂',
    ' ',
  )
  const content = fc.array(letter, { maxLength: 8 }).map((letters) => letters.join(''))
  const data = fc.oneof(
    content.map((text) => chunk(text)),
    content.map((text) => chunk(text, { finish_reason: 'stop' })),
    content.map((text) => chunk('x', {}, { note: text })),
    // Bytes that no server should send, between the usual front and back.
    content.map((text) => chunk('HERE').replace('HERE', () => text)),
  )
  fc.assert(
    fc.property(fc.array(data, { minLength: 2, maxLength: 6 }), (stream) => {
      const readable = stream.filter((one) => {
        try {
          return parsed(one) !== undefined
        } catch {
          return false
        }
      })
      for (const [index, { piece }] of read(...readable).entries())
        assert.deepEqual(piece, parsed(readable[index] as string))
      // What cannot be parsed must not be known either.
      for (const one of stream.filter((each) => !readable.includes(each))) {
        const familiar = createFamiliarChunks()
        const first = chunk('Hello')
        familiar.learn(first, parsed(first) ?? assert.fail())
        assert.equal(familiar.recognise(one), undefined)
      }
    }),
    { numRuns: 500 },
  )
})
