import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { explainJsonError } from './json-position.js'

const examples: [string, string][] = [
  ['', 'line 1, column 1: the text ends here, expected a value'],
  ['{', 'line 1, column 2: the text ends here, expected a field name in double quotes'],
  ['{"a":1,}', 'line 1, column 8: expected a field name in double quotes'],
  ['[1,2', "line 1, column 5: the text ends here, expected ',' or ']'"],
  ['{"a" 1}', "line 1, column 6: expected ':'"],
  ['{"a":01}', "line 1, column 7: expected ',' or '}'"],
  ["{'a':1}", 'line 1, column 2: expected a field name in double quotes'],
  ['{"a":"\n"}', 'line 1, column 7: control characters must be escaped in strings'],
  ['"\\x"', 'line 1, column 2: this escape is not allowed in JSON'],
  ['{"a":1}\n{"b":2}', 'line 2, column 1: expected the end of the text'],
  ['{"a":"never closed', 'line 1, column 6: this string is never closed'],
  ['[NaN]', 'line 1, column 2: expected a value'],
]

for (const [text, expected] of examples)
  test(`${JSON.stringify(text)} is explained`, () => assert.equal(explainJsonError(text), expected))

test('whatever is broken, it comes to an end and points into the text', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.constantFrom('!', '}', ']', ',', '"', '\\', '\u0001'), (json, at, junk) => {
      const position = at % (json.length + 1)
      const broken = json.slice(0, position) + junk + json.slice(position)
      let isBroken = false
      try {
        JSON.parse(broken)
      } catch {
        isBroken = true
      }
      if (!isBroken) return
      const column = Number(/column (\d+)/.exec(explainJsonError(broken))?.[1])
      assert.ok(column >= 1 && column <= broken.length + 1)
    }),
    { numRuns: 2_000 },
  )
})

test('a very long or very deep text does not overflow the stack', () => {
  assert.match(explainJsonError(`["${'x'.repeat(5_000_000)}" 1]`), /expected ',' or ']'/)
  assert.match(explainJsonError('['.repeat(500_000)), /the text ends here/)
})
