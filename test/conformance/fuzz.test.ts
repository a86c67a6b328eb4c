import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { committedDescription } from '../openapi.js'
import { startService } from '../service.js'

const service = await startService({ after })

/** Every route that takes a body, from the interface description, so that a new one is fuzzed without being named here. */
const { paths, components } = committedDescription()
const routes = Object.entries(paths).flatMap(([path, operations]) =>
  Object.entries(operations)
    .filter(([, operation]) => operation.requestBody !== undefined)
    .map(([method, operation]) => ({ path, method: method.toUpperCase(), fields: fieldsOf(operation.requestBody) })),
)

function fieldsOf(body: unknown): string[] {
  const { schema } = (body as { content: Record<string, { schema: { $ref?: string; properties?: object } }> }).content[
    'application/json'
  ] ?? { schema: {} }
  const named = schema.$ref === undefined ? schema : components.schemas[schema.$ref.split('/').at(-1) ?? '']
  return Object.keys((named as { properties?: object } | undefined)?.properties ?? {})
}

const nasty = fc.oneof(
  fc.constantFrom('\u0000', '\ud800', '\u202e', '', ' ', "' or 1=1 --", '../../etc/passwd', '$(env)', '__proto__'),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.constant('x'.repeat(200_000)),
  fc.constantFrom(2 ** 53 + 2, -1, 1e308, 5e-324, 0.1 + 0.2, -0),
  fc.boolean(),
  fc.constant(null),
  fc.jsonValue({ maxDepth: 4 }),
)

const bodyText = (fields: string[]) =>
  fc.oneof(
    // Real field names with wrong values: the deepest way into a handler.
    fc.dictionary(fc.constantFrom(...fields), nasty).map((body) => JSON.stringify(body)),
    fc.json(),
    fc.string({ maxLength: 300 }),
    fc.constantFrom(...fields).map((name) => `{"${name}": 1e999, "${name}": 12345678901234567890, "${name}": "last"}`),
    fc.constantFrom(
      '['.repeat(50_000),
      `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
      '{"__proto__":{"x":1}}',
      '\uFEFF{}',
    ),
  )

const internals = /node_modules|\.js:\d|\.ts:\d|at \w+ \(|ECONN|select |insert |postgres|syntax error/i

for (const { path, method, fields } of routes)
  test(`${method} ${path} answers anything with a clear 4xx, never with 5xx`, async () => {
    await fc.assert(
      fc.asyncProperty(bodyText(fields), async (raw) => {
        const answer = await service.admin.send(method, path, { raw })
        assert.ok(answer.status < 500, `${answer.status} for ${raw.slice(0, 200)}: ${answer.text.slice(0, 200)}`)
        if (answer.status !== 200) {
          const { error } = answer.body
          assert.equal(typeof (typeof error === 'string' ? error : error.message), 'string')
          assert.doesNotMatch(answer.text, internals)
        }
      }),
      { numRuns: 250 },
    )
    assert.equal((await service.outside.get('/health')).status, 200, 'and it is still alive')
  })

test('query and path values of any kind never cause a 5xx', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 60 }), async (text) => {
      const value = encodeURIComponent(Buffer.from(text).toString())
      const answers = [
        await service.admin.get(`/api_keys/${value}`),
        await service.admin.get(`/api_keys?limit=${value}&page=${value}`),
        await service.admin.delete(`/api_keys?id=${value}`),
        await service.get(`/models?type=${value}`),
        await service.get(`/models/${value}`),
        await service.admin.get(`/billing/requests/${value}`),
        await service.admin.get(`/billing/usage-history?cursor=${value}`),
        await service.admin.get(`/billing/usage-history?currency=${value}&startTimestamp=${value}&pageSize=${value}`),
        await service.admin.get(`/billing/usage-analytics?lookback=${value}`),
        await service.admin.get(`/billing/usage-analytics?startDate=${value}&endDate=${value}`),
      ]
      for (const { status, text } of answers) {
        assert.ok(status < 500)
        if (status >= 400) assert.doesNotMatch(text, internals)
      }
    }),
    { numRuns: 150 },
  )
  for (const path of ['/models/%', '/models/%zz', '/api_keys/%c0%af'])
    assert.ok((await service.admin.get(path)).status < 500)
})
