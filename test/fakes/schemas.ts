import { Ajv, type ErrorObject } from 'ajv'
import type { FastifySchemaValidationError } from 'fastify/types/schema.js'
import { validationFailure } from '#http/validation.js'

/** Checks bodies as the service does, without a server: says what the caller would be told, or nothing. */
export const compileSchema = (schema: object) => {
  const validate = new Ajv({ allErrors: true, allowUnionTypes: true, discriminator: true, verbose: true }).compile(
    schema,
  )
  return (body: unknown): string | undefined =>
    validate(body) ? undefined : validationFailure(asFastify(validate.errors ?? [])).message
}

const asFastify = (errors: ErrorObject[]) => errors as FastifySchemaValidationError[]
