import { numberBetween } from './number-grammar.js'

/** Says which part of a schema no grammar can promise; for the caller. */
export class InexpressibleSchema extends Error {}

type Schema = Record<string, unknown>

const primitives = {
  ws: '(" " | "\\n" [ \\t]{0,20})?',
  char: '[^"\\\\\\x7F\\x00-\\x1F] | "\\\\" (["\\\\/bfnrt] | "u" [0-9a-fA-F]{4})',
  string: '"\\"" char* "\\""',
  number: '"-"? ("0" | [1-9] [0-9]{0,15}) ("." [0-9]{1,15})? ([eE] [-+]? [0-9]{1,2})?',
  integer: '"-"? ("0" | [1-9] [0-9]{0,15})',
  boolean: '"true" | "false"',
  null: '"null"',
  member: 'string ":" ws value',
  object: '"{" ws (member ("," ws member)* ws)? "}"',
  array: '"[" ws (value ("," ws value)* ws)? "]"',
  value: 'object | array | string | number | boolean | null',
}

const formats: Record<string, string> = {
  date: '[0-9]{4} "-" ("0" [1-9] | "1" [0-2]) "-" ("0" [1-9] | [12] [0-9] | "3" [01])',
  time: '([01] [0-9] | "2" [0-3]) ":" [0-5] [0-9] ":" [0-5] [0-9] ("Z" | [+-] [01] [0-9] ":" [0-5] [0-9])',
  uuid: '[0-9a-f]{8} "-" [0-9a-f]{4} "-" [0-9a-f]{4} "-" [0-9a-f]{4} "-" [0-9a-f]{12}',
}
formats['date-time'] = `${formats.date} "T" ${formats.time}`

/** A promise about values that a grammar of ours cannot keep. */
const beyondGrammar = [
  'not', 'if', 'then', 'else', 'pattern', 'multipleOf', 'uniqueItems', 'contains', 'minContains', 'maxContains',
  'patternProperties', 'propertyNames', 'minProperties', 'maxProperties', 'dependentRequired', 'dependentSchemas',
  'unevaluatedProperties', 'unevaluatedItems', '$dynamicRef',
] // biome-ignore format: a list of words

/** Repetitions are unrolled, so long ones are cut: a shorter text keeps the promise as well. */
const repeatMax = 256
const rulesMax = 4000
const depthMax = 100

export const literal = (text: string): string =>
  `"${text.replace(/["\\]/g, '\\$&').replace(/\n/g, '\\n').replace(/\r/g, '\\r').replace(/\t/g, '\\t')}"`

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Collects the rules of one grammar (GBNF). What it lets through may be narrower than a schema, never wider: properties
 * come in the order in which they are declared, and undeclared ones only where a schema declares none.
 */
export const createJsonGrammar = () => {
  const rules = new Map<string, string>(Object.entries(primitives))

  const define = (body: string, name = `rule${rules.size}`): string => {
    if (rules.size >= rulesMax) throw new InexpressibleSchema('the schema is too large')
    rules.set(name, body)
    return name
  }

  /** The name of a rule for a schema. Lenient: what cannot be promised is left out instead of refused. */
  const addSchema = (root: unknown, { isLenient = false } = {}): string => {
    const references = new Map<string, string>()
    let depth = 0

    const resolve = (reference: string): unknown => {
      if (!reference.startsWith('#')) throw new InexpressibleSchema(`the reference "${reference}"`)
      const path = reference.slice(1).split('/').slice(1)
      let found: unknown = root
      for (const step of path) {
        const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
        found = isSchema(found) && Object.hasOwn(found, key) ? found[key] : undefined
      }
      if (found === undefined) throw new InexpressibleSchema(`the reference "${reference}", which leads nowhere`)
      return found
    }

    /** `open` holds the references that were entered without writing anything yet; meeting one again never ends. */
    const visit = (schema: unknown, open: ReadonlySet<string>): string => {
      if (++depth > depthMax) throw new InexpressibleSchema('a schema of this depth')
      const name = visitAny(schema, open)
      depth--
      return name
    }

    const visitAny = (schema: unknown, open: ReadonlySet<string>): string => {
      if (schema === true || schema === undefined) return 'value'
      if (!isSchema(schema)) throw new InexpressibleSchema('a schema that is not an object')
      const beyond = beyondGrammar.find((word) => Object.hasOwn(schema, word) && schema[word] !== false)
      if (beyond !== undefined && !isLenient) throw new InexpressibleSchema(`the keyword "${beyond}"`)

      if (typeof schema.$ref === 'string') return visitReference(schema.$ref, open)
      if (Object.hasOwn(schema, 'const')) return define(literal(JSON.stringify(schema.const)))
      if (Array.isArray(schema.enum)) return choose(schema.enum.map((item) => literal(JSON.stringify(item))))
      const alternatives = schema.anyOf ?? schema.oneOf
      if (Array.isArray(alternatives)) {
        const { anyOf: _any, oneOf: _one, ...rest } = schema
        return choose(alternatives.map((each) => visit(isSchema(each) ? merge(rest, each) : each, open)))
      }
      if (Array.isArray(schema.allOf)) {
        const { allOf, ...rest } = schema
        const parts = (allOf as unknown[]).map((part) =>
          isSchema(part) && typeof part.$ref === 'string' ? resolve(part.$ref) : part,
        )
        return visit(parts.filter(isSchema).reduce(merge, rest), open)
      }
      if (Array.isArray(schema.type)) return choose(schema.type.map((type) => visit({ ...schema, type }, open)))
      return visitType(schema)
    }

    const visitReference = (reference: string, open: ReadonlySet<string>): string => {
      if (open.has(reference)) throw new InexpressibleSchema(`the reference "${reference}", which leads to itself`)
      const known = references.get(reference)
      if (known !== undefined) return known
      // Known by its name before it is written, for it may refer to itself. Anything, until then and if it never is.
      const name = define('value')
      references.set(reference, name)
      rules.set(name, visit(resolve(reference), new Set([...open, reference])))
      return name
    }

    const visitType = (schema: Schema): string => {
      const type = schema.type ?? guessType(schema)
      if (type === 'object') return visitObject(schema)
      if (type === 'array') return visitArray(schema)
      if (type === 'string') return visitString(schema)
      if (type === 'number' || type === 'integer') return visitNumber(schema, type === 'integer')
      if (type === 'boolean' || type === 'null') return type
      if (type === undefined) return 'value'
      throw new InexpressibleSchema(`the type ${JSON.stringify(type)}`)
    }

    const visitObject = ({ properties, required, additionalProperties }: Schema): string => {
      const declared = isSchema(properties) ? Object.entries(properties) : []
      const needed = new Set(Array.isArray(required) ? required : [])
      const known = new Set(declared.map(([name]) => name))
      const members: [string, unknown][] = [
        ...declared,
        ...[...needed].filter((name) => !known.has(name)).map((name): [string, unknown] => [String(name), true]),
      ]
      if (members.length === 0) {
        if (additionalProperties === false) return define('"{" ws "}"')
        const member = define(`string ":" ws ${visit(additionalProperties, new Set())}`)
        return define(`"{" ws (${member} ("," ws ${member})* ws)? "}"`)
      }
      // Walked from the end: what may follow when nothing was written yet, and what when something was.
      let first = '""'
      let later = '""'
      for (const [name, schema] of members.reverse()) {
        const member = define(`${literal(JSON.stringify(name))} ":" ws ${visit(schema, new Set())}`)
        const [firstAfter, laterAfter] = [first, later]
        first = define(`${member} ${laterAfter}${needed.has(name) ? '' : ` | ${firstAfter}`}`)
        later = define(`"," ws ${member} ${laterAfter}${needed.has(name) ? '' : ` | ${laterAfter}`}`)
      }
      return define(`"{" ws ${first} ws "}"`)
    }

    const visitArray = ({ items, prefixItems, minItems, maxItems }: Schema): string => {
      if (Array.isArray(prefixItems)) {
        const places = prefixItems.map((item) => visit(item, new Set()))
        return define(`"[" ws ${places.join(' "," ws ')} ws "]"`)
      }
      const item = visit(items, new Set())
      const { least, most } = lengths(minItems, maxItems, 'Items')
      if (most === 0) return define('"[" ws "]"')
      const isAny = least <= 1 && most === undefined
      const more = `("," ws ${item})${isAny ? '*' : `{${Math.max(least - 1, 0)},${most === undefined ? '' : most - 1}}`}`
      const filled = `${item} ${more} ws`
      return define(`"[" ws ${least > 0 ? filled : `(${filled})?`} "]"`)
    }

    const visitString = ({ format, minLength, maxLength }: Schema): string => {
      const known = typeof format === 'string' ? formats[format] : undefined
      if (known !== undefined) return define(`"\\"" ${known} "\\""`)
      const { least, most } = lengths(minLength, maxLength, 'Length')
      if (least === 0 && most === undefined) return 'string'
      return define(`"\\"" char{${least},${most ?? ''}} "\\""`)
    }

    /** Only what the library can unroll; it takes a range that is upside down for one without an end. */
    const lengths = (least: unknown = 0, most: unknown, of: 'Items' | 'Length'): { least: number; most?: number } => {
      const isPossible =
        isCount(least) && least <= repeatMax && (most === undefined || (isCount(most) && most >= least))
      if (isPossible) return most === undefined ? { least } : { least, most: Math.min(most, repeatMax) }
      if (isLenient) return { least: 0 }
      throw new InexpressibleSchema(`"min${of}" and "max${of}" with these values`)
    }

    const visitNumber = (schema: Schema, isWhole: boolean): string => {
      const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
      const bounds = [minimum, maximum, exclusiveMinimum, exclusiveMaximum]
      if (bounds.every((bound) => typeof bound !== 'number')) return isWhole ? 'integer' : 'number'
      const above = typeof exclusiveMinimum === 'number' ? Math.floor(exclusiveMinimum) + 1 : undefined
      const below = typeof exclusiveMaximum === 'number' ? Math.ceil(exclusiveMaximum) - 1 : undefined
      const low = [minimum, above].filter((bound) => typeof bound === 'number')
      const high = [maximum, below].filter((bound) => typeof bound === 'number')
      const body = numberBetween(
        low.length > 0 ? Math.max(...low) : undefined,
        high.length > 0 ? Math.min(...high) : undefined,
        isWhole,
      )
      if (body !== undefined) return define(body)
      if (isLenient) return isWhole ? 'integer' : 'number'
      throw new InexpressibleSchema('a range without a whole number in it')
    }

    return visit(root, new Set())
  }

  const choose = (alternatives: string[]): string => {
    if (alternatives.length === 0) throw new InexpressibleSchema('a choice of nothing')
    return define(alternatives.join(' | '))
  }

  return {
    addSchema,
    define,
    /** The whole grammar, for what `root` lets through. */
    write: (root: string): string =>
      [`root ::= ${root}`, ...[...rules].map(([name, body]) => `${name} ::= ${body}`)].join('\n'),
  }
}

const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0

const guessType = (schema: Schema): string | undefined => {
  if (isSchema(schema.properties) || schema.required !== undefined || schema.additionalProperties !== undefined)
    return 'object'
  if (schema.items !== undefined || schema.prefixItems !== undefined) return 'array'
  return undefined
}

const merge = (a: Schema, b: Schema): Schema => ({
  ...a,
  ...b,
  ...(isSchema(a.properties) && isSchema(b.properties) && { properties: { ...a.properties, ...b.properties } }),
  ...(Array.isArray(a.required) && Array.isArray(b.required) && { required: [...a.required, ...b.required] }),
})
