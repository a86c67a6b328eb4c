import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { startEvmNode } from '../chains/evm-node.js'
import { base64 } from '../image-service.js'
import { committedDescription } from '../openapi.js'
import { plain, scenery } from '../pictures.js'
import { rpcSection } from '../rpc-service.js'
import { startService } from '../service.js'
import { startTextService } from '../text-service.js'

const service = await startService({ after })
// What is tried here often fails, and often.
const sections =
  'limits: { tiers: { paid: { M: { rpm: 100000 }, image: { rpm: 100000 } } }, errorBudget: { failed: 100000, unsupported: 100000 } }'
const node = await startEvmNode({ after })
const rpc = rpcSection({ 'base-mainnet': { upstreams: [node.url] } })
const text = await startTextService({ after }, { sections: `${sections}\n${rpc}` })

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
  return propertiesOf(schema)
}

type Schema = { $ref?: string; properties?: object; anyOf?: Schema[] }

/** Also of those that a schema names, and of its alternatives. */
function propertiesOf({ $ref, properties = {}, anyOf = [] }: Schema): string[] {
  const named = $ref === undefined ? undefined : (components.schemas[$ref.split('/').at(-1) ?? ''] as Schema)
  return [...Object.keys(properties), ...anyOf.flatMap(propertiesOf), ...(named ? propertiesOf(named) : [])]
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

/** Some values of a body, wherever they are, exchanged for others or taken out. */
const mutated = (body: object) => {
  const places = placesIn(body)
  return fc
    .uniqueArray(fc.tuple(fc.constantFrom(...places), fc.oneof(nasty, fc.constant(undefined))), {
      minLength: 1,
      maxLength: 2,
    })
    .map((changes) => {
      const copy = structuredClone(body)
      for (const [place, value] of changes) put(copy, place, value)
      return copy
    })
}

type Place = (string | number)[]

const placesIn = (value: unknown, at: Place = []): Place[] =>
  Object.entries(Object(value)).flatMap(([key, inner]) => {
    const here = [...at, Array.isArray(value) ? Number(key) : key]
    return typeof inner === 'object' ? [here, ...placesIn(inner, here)] : [here]
  })

/** An earlier change may have taken the place away. */
const put = (into: object, place: Place, value: unknown) => {
  const last = place.at(-1) ?? ''
  const holder = place.slice(0, -1).reduce<unknown>((inner, key) => Object(inner)[key], into)
  if (typeof holder === 'object' && holder !== null) Object.assign(holder, { [last]: value })
}

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
      { numRuns: 100 },
    )
    assert.equal((await service.outside.get('/health')).status, 200, 'and it is still alive')
  })

/** Bodies that work, so that one change to them gets past the validation and deep into the code behind it. */
const tools = [{ type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object' } } }]
const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }
const turns = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
  { role: 'assistant', content: null, tool_calls: [call] },
  { role: 'tool', tool_call_id: 'c', content: 'x' },
]
const disc = await plain(90, 90, '#d01818').png().toBuffer()
const subject = base64(
  await plain(300, 300, '#f0f0e8')
    .composite([{ input: disc }])
    .png()
    .toBuffer(),
)
const picture = base64(await scenery(256, 256).jpeg().toBuffer())
const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }
const working: Record<string, object> = {
  '/chat/completions': {
    model: 'acme',
    messages: turns,
    tools,
    tool_choice: 'auto',
    stop: ['x'],
    n: 1,
    max_tokens: 5,
    stream: false,
    stream_options: { include_usage: true },
    response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
    service_parameters: { strip_thinking_response: true },
  },
  '/completions': { model: 'acme', prompt: ['Hi'], max_tokens: 5, echo: true, stop: 'x', stream: false },
  '/responses': {
    model: 'acme',
    instructions: 'Be brief.',
    input: [
      { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
      { type: 'reasoning', id: 'r', summary: [{ type: 'summary_text', text: 'Hm' }], encrypted_content: 'abc' },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: 'x' }] },
    ],
    tools: [{ type: 'function', name: 'f', parameters: schema, strict: true }, { type: 'mcp' }],
    tool_choice: { type: 'function', name: 'f' },
    text: { format: { type: 'json_schema', name: 'a', schema } },
    stream: false,
  },
  '/messages': {
    model: 'acme',
    max_tokens: 5,
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    messages: [
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm', signature: 'abc' },
          { type: 'redacted_thinking', data: 'abc' },
          { type: 'tool_use', id: 'c', name: 'f', input: { a: 1 } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text', text: 'x' }] }] },
    ],
    tools: [
      { name: 'f', input_schema: schema },
      { type: 'bash_20250124', name: 'bash' },
    ],
    tool_choice: { type: 'auto' },
    thinking: { type: 'enabled', budget_tokens: 1024 },
    stream: false,
  },
  '/messages/count_tokens': { model: 'acme', system: 'Be brief.', messages: [{ role: 'user', content: 'Hi' }] },
  '/embeddings': { model: 'acme-embed', input: ['a', 'b'], encoding_format: 'float' },
  '/image/generate': {
    ...{ model: 'scene-composer', prompt: 'two cats', negative_prompt: 'dogs', width: 64, height: 64, format: 'jpeg' },
    ...{ variants: 2, seed: 5, steps: 3, cfg_scale: 5, style_preset: 'Minimalist', lora_strength: 5, safe_mode: false },
    ...{ style_references: [{ image: picture, strength: 0.5 }], embed_exif_metadata: true, enhance_prompt: false },
  },
  '/images/generations': { prompt: 'a cat', model: 'dall-e-3', n: 1, size: '256x256', response_format: 'url' },
  '/image/edit': {
    ...{ image: picture, prompt: 'brighter', model: 'picture-editor', aspect_ratio: '1:1', resolution: '1K' },
    ...{ output_format: 'jpeg', quality: 'low', safe_mode: false, enhance_prompt: false },
  },
  '/image/multi-edit': { images: [picture, picture], prompt: 'side by side', modelId: 'layers-edit', safe_mode: false },
  '/images/edits': { image: [picture], mask: picture, prompt: 'brighter', size: '256x256', output_format: 'jpeg' },
  '/crypto/rpc/base-mainnet': [
    { jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: [`0x${'1'.repeat(40)}`, 'latest'] },
    {
      jsonrpc: '2.0',
      id: 'logs',
      method: 'eth_getLogs',
      params: [{ fromBlock: '0x0', toBlock: 'latest', topics: [null] }],
    },
    { id: null, method: 'eth_sendRawTransaction', params: ['0x02c0'] },
  ],
  '/image/upscale': { image: picture, scale: 2, creativity: 0.01 },
  '/image/background-remove': { image: subject },
}
/** Pictures take a while each, and some of them longer than others. */
const runsFor = (path: string) => (/upscale|background-remove/.test(path) ? 6 : path.startsWith('/image') ? 12 : 75)

for (const [path, body] of Object.entries(working))
  test(`POST ${path} survives any change to a body that works; only what is answered is charged`, async () => {
    const { caller, rich, outside } = text
    assert.equal((await caller.post(path, body)).status, 200)
    await fc.assert(
      fc.asyncProperty(mutated(body), fc.boolean(), async (changed, stream) => {
        const before = await rich.balances()
        const answer = await caller.post(path, stream && 'stream' in body ? { ...changed, stream } : changed)
        assert.ok(answer.status < 500, `${answer.status} for ${JSON.stringify(changed).slice(0, 500)}: ${answer.text}`)
        if (answer.status === 200) return
        assert.doesNotMatch(answer.text, internals)
        assert.deepEqual(await rich.balances(), before)
      }),
      { numRuns: runsFor(path) },
    )
    assert.equal((await outside.get('/health')).status, 200, 'and it is still alive')
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
    { numRuns: 60 },
  )
  for (const path of ['/models/%', '/models/%zz', '/api_keys/%c0%af'])
    assert.ok((await service.admin.get(path)).status < 500)
})
