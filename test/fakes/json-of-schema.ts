import fc from 'fast-check'

type Schema = {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  oneOf?: Schema[]
  allOf?: { then?: Schema }[]
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
}

const anything = fc.json({ maxDepth: 2 }).map((text): unknown => JSON.parse(text))

/** Any JSON that a schema of ours allows, and little that it does not. Fields that it does not name appear, too. */
export const jsonOfSchema = (schema: object): fc.Arbitrary<unknown> => {
  const { type, const: constant, enum: values, oneOf, ...rest } = schema as Schema
  if (constant !== undefined) return fc.constant(constant)
  if (values) return fc.constantFrom(...values)
  if (oneOf) return fc.oneof(...oneOf.map(jsonOfSchema))
  if (rest.allOf) {
    const alternatives = rest.allOf.flatMap(({ then }) => (then ? [jsonOfSchema(then)] : []))
    const unknownKind = fc.record({
      type: fc.constantFrom('item_reference', 'web_search_call', 'x_tool_result', 'new'),
    })
    return fc.oneof({ weight: 9, arbitrary: fc.oneof(...alternatives) }, { weight: 1, arbitrary: unknownKind })
  }
  if (type === undefined) return anything
  return fc.oneof(...[type].flat().map((one) => ofType(one, rest)))
}

const ofType = (type: string, schema: Schema): fc.Arbitrary<unknown> => {
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer(rangeOf(schema))
    case 'number':
      return fc.double({ ...rangeOf(schema), noNaN: true })
    case 'string':
      return fc.string({ minLength: schema.minLength ?? 0, maxLength: Math.min(schema.maxLength ?? 12, 12) })
    case 'array':
      return fc.array(schema.items ? jsonOfSchema(schema.items) : anything, {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 3, 3),
      })
    default:
      return ofObject(schema)
  }
}

const rangeOf = ({ minimum, exclusiveMinimum, maximum }: Schema) => ({
  min: minimum ?? (exclusiveMinimum === undefined ? -1000 : exclusiveMinimum + 1),
  max: maximum ?? 1000,
})

const ofObject = ({ properties = {}, patternProperties, required = [] }: Schema): fc.Arbitrary<unknown> => {
  const values = Object.values(patternProperties ?? {})[0]
  const others = fc.dictionary(fc.string({ maxLength: 5 }), values ? jsonOfSchema(values) : anything, { maxKeys: 2 })
  const named = fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, jsonOfSchema(property)])),
    { requiredKeys: required },
  )
  // Without the prototypes that fast-check likes to try: JSON has none.
  return fc.tuple(others, named).map(([first, second]): unknown => JSON.parse(JSON.stringify({ ...first, ...second })))
}
