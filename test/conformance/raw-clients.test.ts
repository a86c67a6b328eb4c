import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { script } from '../fakes/upstream.js'
import { assertBooks } from '../money.js'
import { chunksOf, eventsOf, startTextService } from '../text-service.js'

/** What clients send that have no library here to send it: as it was seen on the wire. */
const service = await startTextService({ after })
const { house, caller, bill, unpaid } = service
const messages = [{ role: 'user', content: 'Hi' }]
const billed = async (answer: { headers: Record<string, unknown> }) => (await bill(answer.headers['x-request-id']))?.usd

test('LlamaIndex, which calls /completions unless it is told otherwise', async () => {
  const body = { model: 'acme', prompt: 'Once upon a time', temperature: 0.1, max_tokens: 256 }
  const whole = await caller.post('/completions', { ...body, stream: false })
  assert.deepEqual([whole.status, whole.body.choices[0].text], [200, 'Hello from upstream'])
  assert.equal(await billed(whole), 13_000n)
  const stream = await caller.post('/completions', { ...body, stream: true })
  const chunks = chunksOf(stream.text)
  assert.equal(chunks.map(({ choices }) => choices[0].text).join(''), 'Hello from upstream')
  assert.ok(stream.text.endsWith('data: [DONE]\n\n'))
})

test('Continue, which speaks as developer and always asks for usage', async () => {
  const { status, text, headers } = await caller.post('/chat/completions', {
    model: 'acme',
    messages: [{ role: 'developer', content: [{ type: 'text', text: 'Be brief.' }] }, ...messages],
    max_completion_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    parallel_tool_calls: false,
    user: 'me',
    store: false,
    metadata: { a: 'b' },
    an_unknown_field: { of: ['any', 'kind'] },
  })
  assert.equal(status, 200)
  const last = chunksOf(text).at(-1)
  assert.deepEqual([last.choices, last.usage.total_tokens], [[], 10])
  const turns = house.requests.at(-1)?.body.messages as { role: string }[]
  assert.equal(turns.length, 2)
  assert.ok(['developer', 'system'].includes(turns[0]?.role ?? ''))
  assert.equal(await billed({ headers }), 13_000n)
})

test('Cline, which lists the models and streams with usage', async () => {
  const { body } = await caller.get('/models')
  assert.equal(body.object, 'list')
  for (const { id, object, created, owned_by } of body.data)
    assert.deepEqual([typeof id, object, typeof created, typeof owned_by], ['string', 'model', 'number', 'string'])
  house.next(script.answer({ reasoning: ['Hm.'] }))
  const { text } = await caller.post('/chat/completions', {
    model: 'acme',
    messages: [{ role: 'system', content: 'You are Cline.' }, ...messages],
    stream: true,
    stream_options: { include_usage: true },
  })
  for (const chunk of chunksOf(text)) assert.ok(Array.isArray(chunk.choices))
})

test('Open WebUI, which needs the type of an event stream and lines that begin with data:', async () => {
  const { headers, text } = await caller.post('/chat/completions', { model: 'acme', messages, stream: true })
  assert.match(String(headers['content-type']), /^text\/event-stream/)
  assert.equal(headers['content-encoding'], undefined)
  for (const line of text.split('\n')) assert.match(line, /^$|^data: /)
})

test('Cursor, whose first call is a very small chat', async () => {
  const { status, body } = await caller.post('/chat/completions', {
    model: 'gpt-4o-mini',
    messages: [{ role: 'user', content: 'Test prompt using gpt-3.5-turbo' }],
    max_tokens: 1,
  })
  assert.equal(status, 200)
  assert.deepEqual([body.model, body.choices[0].finish_reason], ['tessera-tiny', 'length'])
})

const bodies: Record<string, object> = {
  '/chat/completions': { model: 'acme', messages },
  '/completions': { model: 'acme', prompt: 'Hi' },
  '/responses': { model: 'acme', input: 'Hi' },
  '/messages': { model: 'acme', messages, max_tokens: 10 },
  '/messages/count_tokens': { model: 'acme', messages },
  '/embeddings': { model: 'acme-embed', input: 'Hi' },
}
for (const [path, body] of Object.entries(bodies)) {
  test(`POST ${path} forgives a slash too many, and fields that it does not know`, async () => {
    for (const spelled of [`${path}/`, `/${path}`, `${path.replaceAll('/', '//')}//`])
      assert.equal((await caller.post(spelled, body)).status, 200, spelled)
    assert.equal((await caller.post(path, { ...body, an_unknown_field: [{}] })).status, 200)
  })

  test(`OPTIONS ${path} lets a page in a browser call it; other methods are 405, and nothing is charged`, async () => {
    const origin = 'https://page.example'
    const preflight = await service.send('OPTIONS', path, {
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,x-stainless-lang',
      },
    })
    assert.equal(preflight.status, 204)
    assert.equal(preflight.headers['access-control-allow-origin'], '*')
    assert.match(String(preflight.headers['access-control-allow-methods']), /POST/)
    assert.equal(preflight.headers['access-control-allow-headers'], 'authorization,content-type,x-stainless-lang')
    const answer = await caller.post(path, body, { headers: { origin } })
    assert.equal(answer.headers['access-control-allow-origin'], '*')
    assert.equal(answer.headers['access-control-expose-headers'], '*')
    await unpaid(async () => {
      assert.equal((await caller.get(path)).status, 405)
      assert.ok((await caller.send('HEAD', path)).status >= 400)
    })
  })

  test(`POST ${path} with a body that is not JSON, or of another type: 400 and 415, at no cost`, async () => {
    const asked = house.requests.length
    await unpaid(async () => {
      assert.equal((await caller.send('POST', path, { raw: '{"model":' })).status, 400)
      const text = { headers: { 'content-type': 'text/plain' }, raw: 'Hi' }
      assert.equal((await caller.send('POST', path, text)).status, 415)
    })
    assert.equal(house.requests.length, asked)
  })

  test(`POST ${path} for a model whose name is full of odd characters: 404, and no header breaks`, async () => {
    const { status } = await unpaid(() => caller.post(path, { ...body, model: 'ü\r\nset-cookie: a=b\u0000日本' }))
    assert.equal(status, 404)
  })
}

test('a stream of any dialect carries the headers of every answer', async () => {
  for (const path of ['/chat/completions', '/completions', '/responses', '/messages']) {
    const { headers, text } = await caller.post(path, { ...bodies[path], stream: true })
    assert.match(String(headers['x-request-id']), /^[0-9a-f]{32}$/)
    assert.equal(headers['x-svc-model-id'], 'acme')
    assert.equal(headers['access-control-allow-origin'], '*')
    assert.ok(text.length > 0)
    if (path.endsWith('completions')) assert.equal(eventsOf(text).at(-1), '[DONE]')
  }
})

test('the books balance', () => assertBooks(service.sql))
