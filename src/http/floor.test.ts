import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { request } from 'undici'
import { adminKey, startService } from '../../test/service.js'

const service = await startService({ after })

test('carries the common headers, also when it is an error', async () => {
  const answers = [
    await service.get('/models'),
    await service.get('/nowhere'),
    await service.get('/api_keys'),
    await service.send('PUT', '/models'),
    await service.outside.get('/health'),
    await service.admin.post('/api_keys', undefined, { raw: '{' }),
  ]
  for (const { headers } of answers) {
    assert.match(String(headers['x-request-id']), /^[0-9a-f]{32}$/)
    assert.equal(headers['cf-ray'], `${String(headers['x-request-id']).slice(0, 16)}-TSR`)
    assert.match(String(headers['x-svc-version']), /^\d{8}\.\d{6}$/)
    assert.match(String(headers['x-svc-timestamp']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.ok(headers.date)
    assert.ok(headers['content-type'])
    assert.equal(headers['access-control-allow-origin'], '*')
  }
  const ids = answers.map(({ headers }) => headers['x-request-id'])
  assert.equal(new Set(ids).size, ids.length, 'ids are unique')
})

test('names the host on errors only', async () => {
  assert.ok((await service.get('/nowhere')).headers['x-svc-host-name'])
  assert.equal((await service.get('/models')).headers['x-svc-host-name'], undefined)
})

test('echoes the client headers when they are sent, and not otherwise', async () => {
  const sent = {
    'x-svc-middleface-version': '4.2.0',
    'x-svc-mobile-version': 'ios-17',
    'x-svc-request-timestamp-ms': '1763200000000',
  }
  const echoed = (await service.get('/models', { headers: sent })).headers
  for (const [name, value] of Object.entries(sent)) assert.equal(echoed[name], value)
  const plain = (await service.get('/models')).headers
  for (const name of Object.keys(sent)) assert.equal(plain[name], undefined)
})

test('ignores a request id chosen by the caller', async () => {
  const chosen = 'a'.repeat(32)
  assert.notEqual(
    (await service.get('/models', { headers: { 'x-request-id': chosen } })).headers['x-request-id'],
    chosen,
  )
})

test('is compressed as the client asks, and only then', async () => {
  const plain = await service.get('/models?type=all')
  assert.equal(plain.headers['content-encoding'], undefined)
  const fetchAs = async (path: string, encoding: string) => {
    const answer = await request(`${service.origin}${path}`, { headers: { 'accept-encoding': encoding } })
    return { encoding: answer.headers['content-encoding'], bytes: Buffer.from(await answer.body.arrayBuffer()) }
  }
  for (const path of ['/api/v1/models?type=all', '/metrics']) {
    const gzip = await fetchAs(path, 'gzip')
    assert.equal(gzip.encoding, 'gzip')
    assert.ok(gunzipSync(gzip.bytes).length > gzip.bytes.length)
    const br = await fetchAs(path, 'gzip, br')
    assert.equal(br.encoding, 'br')
    assert.ok(brotliDecompressSync(br.bytes).length > br.bytes.length)
    assert.equal((await fetchAs(path, 'identity')).encoding, undefined)
  }
  assert.equal(gunzipSync((await fetchAs('/api/v1/models?type=all', 'gzip')).bytes).toString(), plain.text)
})

test('HEAD answers like GET, without the body', async () => {
  const get = await service.get('/models')
  const head = await service.send('HEAD', '/models')
  assert.equal(head.status, 200)
  assert.equal(head.text, '')
  assert.equal(head.headers['content-length'], get.headers['content-length'])
})

test('a browser may call from any page', async () => {
  const preflight = await service.send('OPTIONS', '/api_keys', {
    headers: {
      origin: 'https://example.com',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization, content-type',
    },
  })
  assert.equal(preflight.status, 204)
  assert.equal(preflight.headers['access-control-allow-origin'], '*')
  assert.match(String(preflight.headers['access-control-allow-methods']), /POST/)
  assert.equal(preflight.headers['access-control-allow-headers'], 'authorization, content-type')
})

test('a trailing slash and double slashes are forgiven', async () => {
  for (const path of ['/models/', '//models', '/models//traits/'])
    assert.equal((await service.get(path)).status, 200, path)
  assert.equal((await service.outside.get('//api//v1/models/')).status, 200)
})

test('an unknown route is 404, a wrong method 405 with Allow', async () => {
  const missing = await service.get('/nowhere?key=secret')
  assert.equal(missing.status, 404)
  assert.deepEqual(Object.keys(missing.body), ['error', 'code'])
  assert.doesNotMatch(missing.text, /secret/)
  const wrong = await service.send('POST', '/models')
  assert.equal(wrong.status, 405)
  assert.equal(wrong.headers.allow, 'GET, HEAD, OPTIONS')
  assert.equal((await service.send('PUT', '/api_keys')).headers.allow, 'DELETE, GET, HEAD, OPTIONS, PATCH, POST')
})

test('a body of another content type is 415', async () => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml']) {
    const { status, body } = await service.admin.post('/api_keys', undefined, {
      raw: 'a=b',
      headers: { 'content-type': type },
    })
    assert.equal(status, 415)
    assert.equal(body.code, 'INVALID_CONTENT_TYPE')
  }
})

test('JSON may name its charset, or be of a kind of its own', async () => {
  for (const type of [
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/problem+json',
  ]) {
    const { status, body } = await service.admin.post('/api_keys', undefined, {
      raw: '{}',
      headers: { 'content-type': type },
    })
    assert.deepEqual([status, body.code], [400, 'INVALID_REQUEST'], type)
  }
})

test('malformed JSON is 400 and says where', async () => {
  const { status, body } = await service.admin.post('/api_keys', undefined, { raw: '{\n  "a": 1,\n  b: 2\n}' })
  assert.equal(status, 400)
  assert.equal(
    body.error,
    'The request body is not valid JSON: line 3, column 3: expected a field name in double quotes',
  )
  const notUtf8 = await service.admin.post('/api_keys', undefined, { raw: Buffer.from([0x22, 0xff, 0x22]) })
  assert.equal(notUtf8.status, 400)
  assert.match(notUtf8.body.error, /UTF-8/)
})

test('a body that is too large is 413', async () => {
  const { status, body } = await service.admin.post('/api_keys', { description: 'x'.repeat(1_100_000) })
  assert.equal(status, 413)
  assert.deepEqual(body, { error: 'The request body is larger than 1048576 bytes', code: 'PAYLOAD_TOO_LARGE' })
})

test('a wrong field is 400 and names field and rule, in words, as a tree and as a list', async () => {
  const { status, body } = await service.admin.post('/api_keys', {
    apiKeyType: 'ROOT',
    description: 'x'.repeat(65),
    consumptionLimit: { usd: -1 },
  })
  assert.equal(status, 400)
  assert.match(body.error, /^Invalid request: .+ \(and 2 more\)$/)
  assert.equal(body.code, 'INVALID_REQUEST')
  const issueOf = (path: string) => body.issues.find((issue: { path: string[] }) => issue.path.join('.') === path)
  assert.equal(issueOf('apiKeyType').message, 'apiKeyType must be one of INFERENCE, ADMIN')
  assert.deepEqual(
    [issueOf('description').code, issueOf('description').maximum, issueOf('description').message],
    ['too_big', 64, 'description must be at most 64 characters'],
  )
  assert.equal(issueOf('consumptionLimit.usd').message, 'consumptionLimit.usd must be at least 0')
  assert.deepEqual(body.details.consumptionLimit.usd._errors, ['consumptionLimit.usd must be at least 0'])
  const nothing = await service.admin.post('/api_keys')
  assert.equal(nothing.status, 400)
})

test('JSON values are not turned into other types', async () => {
  const { status, body } = await service.admin.post('/api_keys', { apiKeyType: 'INFERENCE', description: 5 })
  assert.equal(status, 400)
  assert.equal(body.issues[0].message, 'description must be string')
})

test('bytes that are not HTTP get the same kind of answer', async () => {
  const answer = await new Promise<string>((resolve) => {
    let text = ''
    const socket = connect(service.port, '127.0.0.1', () => socket.write('HELLO THERE\r\n\r\n'))
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('close', () => resolve(text))
  })
  const [head, body] = answer.split('\r\n\r\n')
  assert.match(String(head), /^HTTP\/1\.1 400/)
  assert.match(String(head), /x-request-id: [0-9a-f]{32}/)
  assert.equal(JSON.parse(String(body)).code, 'INVALID_REQUEST')
})

test('health, readiness and metrics need no key', async () => {
  assert.deepEqual((await service.outside.get('/health')).body, { status: 'ok' })
  const ready = await service.outside.get('/ready')
  assert.deepEqual([ready.status, ready.body.status], [200, 'ready'])
  const metrics = await service.outside.get('/metrics')
  assert.match(metrics.text, /tessera_http_request_duration_seconds_count\{method="GET",route="\/api\/v1\/models"/)
  assert.match(metrics.text, /process_cpu_seconds_total/)
})

test('the reference page loads nothing from elsewhere', async () => {
  const page = await service.outside.get('/docs')
  assert.equal(page.status, 200)
  const scripts = [...page.text.matchAll(/src="([^"]+)"/g)].map(([, path]) => String(path))
  assert.equal(scripts.length, 2)
  for (const path of scripts) {
    assert.match(path, /^\/docs\//)
    assert.equal((await service.outside.get(path)).status, 200)
  }
  assert.match(String(page.headers['content-security-policy']), /default-src 'self'/)
  assert.equal((await service.outside.get('/openapi.json')).body.info.title, 'Tessera')
  assert.equal((await service.outside.get('/')).headers.location, '/docs')
})

test('an unexpected error is 500 with the request id and nothing internal', async (test) => {
  const lines: string[] = []
  const broken = await startService(test, { logLines: lines })
  await broken.sql`alter table api_key rename column last6 to last_six`
  const { status, body, headers } = await broken.admin.get('/api_keys')
  assert.equal(status, 500)
  assert.deepEqual(body, {
    error: `Something went wrong on our side; if it persists, report request ${headers['x-request-id']}`,
    code: 'UNKNOWN_ERROR',
  })
  const logged = lines.find((line) => line.includes(String(headers['x-request-id'])) && line.includes('"level":50'))
  assert.ok(logged, 'the log has the story')
  assert.ok(
    lines.every((line) => !line.includes(adminKey)),
    'and no credentials',
  )
})

test('an answer from the express lane is no different from the first, and bad keys are still refused there', async () => {
  const path = '/models?type=embedding'
  const first = await service.get(path)
  const second = await service.get(path, { headers: { 'x-svc-mobile-version': '7' } })
  assert.equal(second.text, first.text)
  const { 'x-svc-mobile-version': echoed, ...headers } = second.headers
  assert.equal(echoed, '7')
  assert.deepEqual(Object.keys(headers).sort(), Object.keys(first.headers).sort())
  assert.equal((await service.admin.get(path)).status, 200)
  assert.equal((await service.as('wrong').get(path)).status, 401)
  assert.equal((await service.send('POST', path)).status, 405)
  const metrics = (await service.outside.get('/metrics')).text
  assert.match(metrics, /duration_seconds_count\{method="GET",route="\/api\/v1\/models",status="200"\}/)
})
