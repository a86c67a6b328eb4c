import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { TSchema } from 'typebox'
import { OperatorError } from '#plumbing/operator-error.js'
import { priceProblem } from '../prices.js'
import type { Path, Problem } from './config-document.js'
import { formats } from './fields.js'

/** A config file that was refused, with everything that is wrong with it. */
export class ConfigError extends OperatorError {
  readonly file: string
  readonly problems: readonly Problem[]

  constructor(file: string, problems: readonly Problem[]) {
    const lines = problems.map(({ line, path, reason }) => `${file}:${line}: ${path && `${path}: `}${reason}`)
    super(
      lines.length === 1 ? `${lines[0]}` : `${file} has ${lines.length} problems:\n  ${lines.join('\n  ')}`,
      "Correct the file; 'npx tessera check' reads it without starting the service",
    )
    this.name = 'ConfigError'
    this.file = file
    this.problems = problems
  }
}

// Checks run once per file that is read, which never wins back what optimizing them costs.
const code = { optimize: false }
const ajv = new Ajv({ allErrors: true, verbose: true, useDefaults: true, strict: false, formats, code })
ajv.addKeyword({
  keyword: 'price',
  validate: (kind: 'price' | 'decimal', value: unknown) =>
    (kind === 'price' || typeof value !== 'object') && priceProblem(value) === undefined,
  errors: false,
})

/** `isUnknownKey` tells a name that should not be there from a value that does not fit. */
export type Complaint = { path: Path; reason: string; isUnknownKey?: boolean }
export type Check = (data: unknown) => Complaint[]

/** Checks data against a schema, fills in its defaults, and says in words what does not fit. */
export const createCheck = (schema: TSchema): Check => {
  // Compiled when first needed: all of them together take longer than the rest of a start.
  let validate: ValidateFunction | undefined
  return (data) => {
    validate ??= ajv.compile(schema)
    validate(data)
    // A bad name is reported twice by Ajv; the second report only says that there was a first.
    return (validate.errors ?? []).filter(({ keyword }) => keyword !== 'propertyNames').map(complaint)
  }
}

const complaint = (error: ErrorObject): Complaint => ({
  path: pathOf(error),
  reason: reasonFor(error),
  isUnknownKey: error.keyword === 'additionalProperties',
})

const pathOf = ({ instancePath, params, propertyName }: ErrorObject): Path => {
  const path = instancePath.split('/').slice(1).map(unescapePointer)
  const last = params.additionalProperty ?? params.missingProperty ?? propertyName
  return last === undefined ? path : [...path, last]
}

const unescapePointer = (part: string): string | number =>
  /^\d+$/.test(part) ? Number(part) : part.replaceAll('~1', '/').replaceAll('~0', '~')

const reasonFor = (error: ErrorObject): string => {
  const { keyword, params, parentSchema, data } = error
  switch (keyword) {
    case 'required':
      return 'is missing'
    case 'additionalProperties': {
      const nearest = nearestName(params.additionalProperty, Object.keys(parentSchema?.properties ?? {}))
      return nearest ? `unknown key, did you mean '${nearest}'?` : 'unknown key'
    }
    case 'enum':
      return `must be ${params.allowedValues.length > 1 ? 'one of ' : ''}${params.allowedValues.join(', ')}`
    case 'type':
      return `must be ${article(params.type)}, not ${kindOf(data)}`
    case 'pattern':
    case 'format':
      return `must be ${parentSchema?.expected ?? 'written differently'}`
    case 'price':
      return priceProblem(data) ?? 'must be a decimal string such as "1.50"'
    case 'minLength':
    case 'minItems':
      return 'must not be empty'
    case 'minProperties':
      return `needs one of ${Object.keys(parentSchema?.properties ?? {}).join(', ')}`
    case 'maxProperties':
      return `must have only one of ${Object.keys(parentSchema?.properties ?? {}).join(', ')}`
    case 'uniqueItems':
      return `names the same thing twice, in entries ${params.j + 1} and ${params.i + 1}`
    default:
      return error.message ?? 'is not valid'
  }
}

const article = (type: string): string => {
  if (type === 'object') return 'a map'
  if (type === 'array') return 'a list'
  if (type === 'integer') return 'a whole number'
  return type === 'boolean' ? 'true or false' : `a ${type}`
}

const kindOf = (value: unknown): string => {
  if (value === null) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'number') return Number.isInteger(value) ? 'a number' : 'a fraction'
  return typeof value === 'object' ? 'a map' : typeof value === 'boolean' ? `${value}` : `a ${typeof value}`
}

/** The known name that was probably meant: close in spelling, whatever the case and the underscores. */
export const nearestName = (written: string, known: readonly string[]): string | undefined => {
  const plain = (name: string) => name.toLowerCase().replaceAll(/[_-]/g, '')
  const ranked = known
    .map((name) => ({ name, distance: editDistance(plain(written), plain(name)) }))
    .sort((a, b) => a.distance - b.distance)
  const best = ranked[0]
  return best && best.distance <= Math.floor(written.length / 3) ? best.name : undefined
}

const editDistance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replace = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replace, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[b.length]!
}
