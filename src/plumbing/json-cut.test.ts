import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cutJson, NotJson } from './json-cut.js'

const isJson = (text: string) => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const isCut = (text: string) => {
  try {
    cutJson(text)
    return true
  } catch (error) {
    assert.ok(error instanceof NotJson)
    return false
  }
}

test('every JSON text is cut into parts that read the same', () =>
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
      const cut = cutJson(JSON.stringify(value, null, indent))
      if (cut.kind === 'other') assert.deepEqual(JSON.parse(cut.text), JSON.parse(JSON.stringify(value)))
      else {
        const parts = cut.kind === 'array' ? cut.parts : [...cut.members.values()]
        const names = cut.kind === 'object' ? [...cut.members.keys()] : []
        const whole = JSON.parse(JSON.stringify(value)) as object
        assert.deepEqual(
          parts.map((part) => JSON.parse(part)),
          Object.values(whole).length
            ? names.length
              ? names.map((name) => whole[name as keyof object])
              : Object.values(whole)
            : [],
        )
        assert.deepEqual(new Set(names), new Set(cut.kind === 'object' ? Object.keys(whole) : []))
      }
    }),
  ))

test('what JSON.parse refuses is refused, and nothing else: JSON with a character changed, missing or added', () =>
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.nat(),
      fc.constantFrom(
        '',
        '"',
        '\\',
        ',',
        ':',
        '{',
        '}',
        '[',
        ']',
        '0',
        '-',
        '.',
        'e',
        'u',
        ' ',
        '\n',
        '\u0001',
        't',
        'é',
      ),
      fc.boolean(),
      (value, place, character, isReplaced) => {
        const text = JSON.stringify(value)
        const at = place % (text.length + 1)
        const broken = text.slice(0, at) + character + text.slice(at + (isReplaced ? 1 : 0))
        assert.equal(isCut(broken), isJson(broken), broken)
      },
    ),
    { numRuns: 3_000 },
  ))

test('texts that nearly are JSON are refused where they stop being it', () => {
  for (const text of [
    '',
    ' ',
    '{',
    '[1,]',
    '{"a":1,}',
    '{"a"}',
    "{'a':1}",
    '01',
    '1.',
    '.5',
    '+1',
    'NaN',
    'nul',
    '"\\x"',
    '"a\nb"',
    '[1 2]',
    '{"a":1 "b":2}',
    '[]]',
    '{}{}',
    '"\\u12g4"',
    '\u00a01',
  ])
    assert.equal(isCut(text), isJson(text), text)
  assert.throws(() => cutJson('{"a":1}x'), { position: 7 })
})

test('what is cut is what was written: long numbers, escapes, spaces within', () => {
  const cut = cutJson(' { "a" : 9007199254740993.10 , "\\u0062":[ 1 , {"z":1,"a":2} ],"a2":"\\u0041" } ')
  assert.deepEqual(cut.kind === 'object' && [...cut.members], [
    ['a', '9007199254740993.10'],
    ['b', '[ 1 , {"z":1,"a":2} ]'],
    ['a2', '"\\u0041"'],
  ])
})

test('depth is no danger', () => {
  const deep = '['.repeat(1_000_000) + ']'.repeat(1_000_000)
  assert.equal(cutJson(`[${deep}]`).kind, 'array')
  assert.equal(isCut('['.repeat(1_000_000)), false)
})

test('of an array with too many parts, no more is looked at than says so', () => {
  const cut = cutJson('[1, 2, 3, nonsense', { partsMax: 2 })
  assert.deepEqual(cut, { kind: 'array', parts: ['1', '2', '3'] })
  assert.deepEqual(cutJson('[1, 2]', { partsMax: 2 }), { kind: 'array', parts: ['1', '2'] })
  assert.throws(() => cutJson('[1, 2', { partsMax: 2 }), NotJson)
})

test('of an object only what is wanted is kept, the last one of a name, and all of it must be JSON', () => {
  const names = new Set(['id', 'params'])
  const cut = cutJson('{"id":1,"x":[2],"params":[],"i\\u0064":3,"y":"id"}', { names })
  assert.deepEqual(cut, { kind: 'object', members: new Map(Object.entries({ id: '3', params: '[]' })) })
  assert.throws(() => cutJson('{"id":1,"x":nonsense}', { names }), NotJson)
})

const piece = fc.constantFrom(
  ...[
    '-',
    '+',
    '.',
    '0',
    '00',
    '1',
    '42',
    'e',
    'E',
    '"',
    '\\',
    '\\"',
    '\\u',
    '\\u00',
    '\\uD83d',
    '\\n',
    '\\x',
    'fF',
    ' ',
  ],
  ...['a'.repeat(15), 'b'.repeat(16), 'c'.repeat(17), 'd'.repeat(100), '\n', '\u0000', '\u001f', '\u007f', '\u00ff'],
)

test('numbers and texts of every shape are judged as JSON.parse does', () =>
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), fc.constantFrom('[', '["', ''), (pieces, open) => {
      const inner = pieces.join('')
      for (const text of [`${open}${inner}${[...open].reverse().join('').replace('[', ']')}`, inner])
        assert.equal(isCut(text), isJson(text), JSON.stringify(text))
    }),
    { numRuns: 3_000 },
  ))
