import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import type { FastifySchemaValidationError } from 'fastify/types/schema.js'
import { fail } from '#contract/errors.js'
import { isForm } from './uploads/read-form.js'

// `example`, `deprecated` and `enumOf` only inform readers of the OpenAPI document.
// `verbose` brings the schema that was broken, whose description says more than a pattern does.
const options: Options = {
  allErrors: true,
  allowUnionTypes: true,
  useDefaults: true,
  verbose: true,
  // Of several alternatives only the one that the request names is checked, so only its mistakes are told.
  discriminator: true,
  keywords: ['example', 'enumOf'],
}

/**
 * JSON bodies are taken as they are: with Fastify's default, `[1, 2]` would become `["1", "2"]` and pass as strings.
 * Values of queries, paths and forms are text by nature and are turned into what the schema asks for.
 */
export const createValidators = (sharedSchemas: object[]) => {
  const bodies = new Ajv({ ...options, coerceTypes: false, schemas: sharedSchemas })
  const texts = new Ajv({ ...options, coerceTypes: true, schemas: sharedSchemas })
  // In a form a list of one looks like a single value.
  const forms = new Ajv({ ...options, coerceTypes: 'array', schemas: sharedSchemas })
  const waiting: (() => void)[] = []

  /** Compiling the large schemas of text takes half a second, so a start does not wait for it. */
  const compileLater = (schema: object): Validator => {
    let compiled: ValidateFunction | undefined
    let compiledForForms: ValidateFunction | undefined
    const compile = () => {
      compiled ??= bodies.compile(schema)
      return compiled
    }
    const compileForForms = () => {
      compiledForForms ??= forms.compile(schema)
      return compiledForForms
    }
    waiting.push(compile)
    const validator: Validator = (body) => {
      const validate = isForm(body) ? compileForForms() : compile()
      const isValid = validate(body) as boolean
      validator.errors = validate.errors ?? null
      return isValid
    }
    return validator
  }

  return {
    compiler: ({ schema, httpPart }: { schema: unknown; httpPart?: string }) =>
      httpPart === 'body' ? compileLater(schema as object) : texts.compile(schema as object),
    /** Compiles what nobody has needed yet, one schema at a time, so that no request waits for long. */
    warmUp: () => compileInTurn(waiting),
  }
}

type Validator = { (body: unknown): boolean; errors?: ErrorObject[] | null }

const compileInTurn = (waiting: (() => void)[]) => {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(compileInTurn, waiting)
}

type Issue = { code: string; path: (string | number)[]; message: string } & Record<string, unknown>

const issuesMax = 20

/** Turns validation errors into an answer: a sentence, a tree of messages and a flat list. */
export const validationFailure = (errors: FastifySchemaValidationError[], part = 'body') => {
  // A wrong union member brings an error for the union too; the members already say it better.
  const telling = errors.filter(({ keyword }) => keyword !== 'if' && keyword !== 'oneOf')
  const issues = telling.slice(0, issuesMax).map((error) => toIssue(error as ErrorObject, part))
  const first = issues[0]?.message ?? 'the request is not valid'
  const more = telling.length > 1 ? ` (and ${telling.length - 1} more)` : ''
  return fail('invalidRequest', `Invalid request: ${first}${more}`).with({ details: toTree(issues), issues })
}

const toIssue = (error: ErrorObject, part: string): Issue => {
  const { keyword, params, instancePath, parentSchema, message = 'is not valid' } = error
  const path: (string | number)[] = instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step))
  if (keyword === 'required') path.push(params.missingProperty)
  const name = path.length > 0 ? path.join('.') : part
  const issue = (code: string, rule: string, facts: Record<string, unknown> = {}): Issue => ({
    code,
    ...facts,
    path,
    message: `${name} ${rule}`,
  })

  switch (keyword) {
    case 'required':
      return issue('invalid_type', 'is required', { expected: 'defined', received: 'undefined' })
    case 'type':
      return issue('invalid_type', `must be ${[params.type].flat().join(' or ')}`, { expected: params.type })
    case 'enum':
      return issue('invalid_enum_value', `must be one of ${params.allowedValues.join(', ')}`, {
        options: params.allowedValues,
      })
    case 'const':
      return issue('invalid_literal', `must be ${JSON.stringify(params.allowedValue)}`, {
        expected: params.allowedValue,
      })
    case 'maxLength':
      return issue('too_big', `must be at most ${params.limit} characters`, { type: 'string', maximum: params.limit })
    case 'minLength':
      return issue('too_small', `must be at least ${params.limit} characters`, {
        type: 'string',
        minimum: params.limit,
      })
    case 'maxItems':
      return issue('too_big', `must have at most ${params.limit} items`, { type: 'array', maximum: params.limit })
    case 'minItems':
      return issue('too_small', `must have at least ${params.limit} items`, { type: 'array', minimum: params.limit })
    case 'maximum':
      return issue('too_big', `must be at most ${params.limit}`, { type: 'number', maximum: params.limit })
    case 'minimum':
      return issue('too_small', `must be at least ${params.limit}`, { type: 'number', minimum: params.limit })
    case 'exclusiveMaximum':
      return issue('too_big', `must be below ${params.limit}`, {
        type: 'number',
        maximum: params.limit,
        inclusive: false,
      })
    case 'exclusiveMinimum':
      return issue('too_small', `must be above ${params.limit}`, {
        type: 'number',
        minimum: params.limit,
        inclusive: false,
      })
    case 'pattern':
      return issue('invalid_string', `does not have the required form${inWords(parentSchema?.description)}`, {
        validation: 'regex',
        pattern: params.pattern,
      })
    case 'discriminator':
      return issue('invalid_union_discriminator', `${params.tag} must be one of ${tagsOf(parentSchema, params.tag)}`)
    case 'additionalProperties':
      return issue('unrecognized_keys', `has the unknown field '${params.additionalProperty}'`, {
        keys: [params.additionalProperty],
      })
    default:
      return issue('custom', message, { rule: keyword })
  }
}

/** The values that tell the alternatives of a schema apart. */
const tagsOf = (schema: unknown, tag: string): string =>
  ((schema as { oneOf?: Alternative[] } | undefined)?.oneOf ?? [])
    .map(({ properties }) => properties[tag]?.const)
    .join(', ')

type Alternative = { properties: Record<string, { const?: string }> }

type Tree = { _errors: string[]; [field: string]: Tree | string[] }

/** Without a prototype, because a field may be called `__proto__`. */
const newTree = (): Tree => Object.assign(Object.create(null), { _errors: [] })

const toTree = (issues: Issue[]): Tree => {
  const root = newTree()
  for (const { path, message } of issues) {
    let node = root
    for (const step of path) {
      node[step] ??= newTree()
      node = node[step] as Tree
    }
    node._errors.push(message)
  }
  return root
}

const inWords = (description: unknown) => (typeof description === 'string' ? `: ${description}` : '')
