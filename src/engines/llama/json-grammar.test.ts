import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { createJsonGrammar, InexpressibleSchema } from './json-grammar.js'
import { openNative } from './native.js'

const native = await openNative(1, () => {})
after(() => native.llama.dispose())

const compile = (schema: unknown) => {
  const grammar = createJsonGrammar()
  return native.llama.createGrammar({ grammar: grammar.write(grammar.addSchema(schema)) })
}

const anyName = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('"', '\\', '\n', '😀', '::=', ' '))
const size = fc.integer({ min: 0, max: 400 })
const { schema: anySchema } = fc.letrec((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.record({ type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'null') }),
    fc.record({ enum: fc.array(fc.jsonValue(), { minLength: 1, maxLength: 4 }) }),
    fc.record({ const: fc.jsonValue() }),
    fc.record({ type: fc.constant('string'), maxLength: size }),
    fc.record({
      type: fc.constantFrom('integer', 'number'),
      minimum: fc.integer(),
      maximum: fc.double({ noNaN: true }),
    }),
    fc.record({ type: fc.constant('array'), items: tie('schema'), maxItems: size }),
    fc.record({ type: fc.constant('array'), items: tie('schema'), minItems: fc.integer({ min: 0, max: 256 }) }),
    fc.record({ type: fc.constant('array'), prefixItems: fc.array(tie('schema'), { maxLength: 3 }) }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ properties: fc.dictionary(anyName, tie('schema')), required: fc.array(anyName, { maxLength: 2 }) }),
    fc.record({ type: fc.constant('object'), additionalProperties: fc.oneof(fc.boolean(), tie('schema')) }),
  ),
}))

test('the library can read every grammar that we write', async () => {
  await fc.assert(
    fc.asyncProperty(anySchema, async (schema) => {
      try {
        await compile(schema)
      } catch (error) {
        if (!(error instanceof InexpressibleSchema)) throw error
      }
    }),
    { numRuns: 150, seed: 1 },
  )
})

test('a tuple may be empty, and references may form a circle as long as something is written in between', async () => {
  await compile({ type: 'array', prefixItems: [] })
  await compile({ type: 'array', items: { $ref: '#' } })
  assert.throws(() => createJsonGrammar().addSchema({ anyOf: [{ $ref: '#' }] }), InexpressibleSchema)
})

test('lengths that contradict each other or are no lengths are refused: the library would unroll them for ever', () => {
  for (const [least, most] of [[5, 2], [-1], [0, -1], [0.5], ['5'], [0, '5'], [400, 500]])
    for (const schema of [
      { type: 'string', minLength: least, ...(most !== undefined && { maxLength: most }) },
      { type: 'array', minItems: least, ...(most !== undefined && { maxItems: most }) },
    ]) {
      assert.throws(() => createJsonGrammar().addSchema(schema), InexpressibleSchema)
      // Where nothing was promised, such lengths are left out.
      const grammar = createJsonGrammar()
      assert.doesNotMatch(grammar.write(grammar.addSchema(schema, { isLenient: true })), /rule\d+ ::= .*\{/)
    }
})

test('a schema that is given up half-way leaves a grammar that can be read', async () => {
  const grammar = createJsonGrammar()
  const schema = { properties: { a: { $ref: '#/$defs/b' } }, $defs: { b: { type: 'colour' } } }
  assert.throws(() => grammar.addSchema(schema, { isLenient: true }), InexpressibleSchema)
  await native.llama.createGrammar({ grammar: grammar.write(grammar.define('object')) })
})
