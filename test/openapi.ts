import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv, type ValidateFunction } from 'ajv'
import { installFolder } from '../src/config.js'

type Operation = { responses: Record<string, { content?: Record<string, { schema: object }> }>; requestBody?: unknown }
export type Description = {
  info: unknown
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, object> }
}

export const committedDescription = (): Description =>
  JSON.parse(readFileSync(join(installFolder, 'openapi.json'), 'utf8')) as Description

/**
 * Holds every answer a test receives against the committed openapi.json: a status or a body that it does not describe
 * fails the test that met it.
 */
export const createAnswerCheck = (description = committedDescription()) => {
  const base = description.servers[0]?.url ?? ''
  // Every test file compiles its own checks: what optimizing costs, they never win back.
  const code = { optimize: false }
  const ajv = new Ajv({ formats: { byte: true, binary: true }, strict: false, allErrors: false, code })
  ajv.addSchema({ $id: 'openapi', components: description.components })
  const compiled = new Map<object, ValidateFunction>()
  const patterns = Object.keys(description.paths)
    // Exact paths before those with parameters, as the router does.
    .sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
    // The last parameter may hold slashes, as model ids do.
    .map((path) => ({
      path,
      pattern: new RegExp(`^${path.replace(/\{[^}]+\}$/, '.+').replace(/\{[^}]+\}/g, '[^/]+')}$`),
    }))

  return (method: string, url: string, status: number, body: unknown, type = 'application/json') => {
    const path =
      url
        .split('?', 1)[0]
        ?.replace(/\/{2,}/g, '/')
        .replace(/(.)\/$/, '$1') ?? ''
    if (!path.startsWith(base) || method === 'OPTIONS' || method === 'HEAD' || status === 405) return
    // Routes that only tests have; see paid-routes.ts.
    if (path.startsWith(`${base}/test/`)) return
    const known = patterns.find(({ pattern }) => pattern.test(path.slice(base.length)))
    if (!known) return assert.equal(status, 404, `${method} ${path} is not in openapi.json`)
    const operation = description.paths[known.path]?.[method.toLowerCase()]
    assert.ok(operation, `${method} ${known.path} is not in openapi.json`)
    const response = operation.responses[status]
    assert.ok(response, `openapi.json does not name the status ${status} of ${method} ${known.path}`)
    if (status === 204) return assert.equal(body, '', `204 of ${method} ${known.path} has no body`)
    const schema = response.content?.[type]?.schema
    assert.ok(schema, `openapi.json has no body for ${status} of ${method} ${known.path}`)
    let validate = compiled.get(schema)
    if (!validate) {
      validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')))
      compiled.set(schema, validate)
    }
    assert.ok(
      validate(body),
      `${method} ${known.path} ${status} deviates from openapi.json: ${ajv.errorsText(validate.errors)}`,
    )
  }
}
