import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { type Script, script, startFakeUpstream } from '../fakes/upstream.js'
import { assertBooks, createPayer } from '../money.js'
import { chunksOf, eventsOf, openStream, prices, startTextService, until } from '../text-service.js'

/**
 * What callers see, what they pay and what an upstream sees when things go wrong. Every fault is told to the caller in the
 * way that is left: as a status while nothing was sent, as an event after that.
 */
const nobody = await startFakeUpstream({ after })
nobody.stop()
const spare = await startFakeUpstream({ after })
const logLines: string[] = []
const service = await startTextService(
  { after },
  {
    logLines,
    timeoutMs: 600_000,
    upstreams: `
  nobody: { kind: openai, baseUrl: "${nobody.baseUrl}" }
  spare: { kind: openai, baseUrl: "${spare.baseUrl}" }
  hasty: { kind: openai, baseUrl: "${spare.baseUrl}", timeoutMs: 60 }`,
    models: [
      ['acme-nobody', '{ upstream: nobody }'],
      ['acme-hasty', '{ upstream: hasty }'],
    ]
      .map(
        ([id, engine]) =>
          `  - { id: ${id}, type: text, engine: ${engine}, contextTokens: 4000, maxCompletionTokens: 100, pricing: ${prices} }`,
      )
      .concat(
        ['house', 'nobody'].map(
          (first) =>
            `  - { id: acme-with-spare-${first}, type: text, contextTokens: 4000, maxCompletionTokens: 100, pricing: ${prices},
      engines: [{ upstream: ${first}, weight: 1000 }, { upstream: spare, weight: 1 }] }`,
        ),
      )
      .join('\n'),
  },
)
const { house, bill, caller, rich } = service
const path = '/chat/completions'
const secret = 'a secret that must not be logged'
const ask = (more: object = {}) => ({ model: 'acme', messages: [{ role: 'user', content: secret }], ...more })
const url = `${service.origin}/api/v1${path}`
const idOf = (answer: { headers: Record<string, unknown> }) => String(answer.headers['x-request-id'])

/** A request that failed has a bill that says so, of nothing. */
const assertUnpaid = async (answer: { headers: Record<string, unknown> }) => {
  const made = await bill(idOf(answer))
  assert.deepEqual([made?.outcome, made?.usd], ['failed', 0n])
}

/** A breaker that opened must not hide the next fault. */
const heal = async () => {
  const answer = await caller.post(path, ask())
  assert.equal(answer.status, 200)
}

const early: Record<string, { fault: () => Script; status: number; code: string; streamOnly?: boolean }> = {
  'cuts the connection before it says anything': {
    fault: script.cutBeforeHeaders,
    status: 503,
    code: 'MODEL_OFFLINE',
  },
  'cuts the connection before the first token': {
    fault: script.cutBeforeFirstToken,
    status: 500,
    code: 'INFERENCE_FAILED',
    streamOnly: true,
  },
  'says 200 and then garbage': { fault: script.garbage, status: 500, code: 'INFERENCE_FAILED' },
  'answers with a web page': { fault: script.webPage, status: 500, code: 'INFERENCE_FAILED' },
  'does not speak HTTP': { fault: script.notHttp, status: 500, code: 'INFERENCE_FAILED' },
  'fails by itself': { fault: () => script.fail(500), status: 503, code: 'MODEL_OFFLINE' },
  'does not know our key': { fault: () => script.fail(401), status: 503, code: 'MODEL_OFFLINE' },
  'has too much to do': { fault: () => script.tooManyRequests(), status: 429, code: 'MODEL_OVERLOADED' },
}
for (const [name, { fault, status, code, streamOnly }] of Object.entries(early))
  for (const stream of streamOnly ? [true] : [false, true])
    test(`an upstream that ${name} (${stream ? 'stream' : 'whole'}): ${status}, and nothing is paid`, async () => {
      // Twice, because a lost connection is tried once more.
      house.next(fault())
      if (fault === script.cutBeforeHeaders) house.next(fault())
      const answer = await caller.post(path, ask({ stream }))
      assert.deepEqual([answer.status, answer.body.code], [status, code])
      assert.doesNotMatch(answer.text, /house-secret-key|127\.0\.0\.1|CUDA/)
      if (status === 429 || status === 503) assert.ok(Number(answer.headers['retry-after-ms']) > 0)
      if (status === 429) {
        assert.equal(answer.headers['retry-after'], '7')
        const inSeconds = Number(answer.headers['x-ratelimit-reset-requests']) - Date.now() / 1000
        assert.ok(inSeconds > 0 && inSeconds < 8, `${inSeconds} s`)
      }
      await assertUnpaid(answer)
      await heal()
    })

test('an upstream that nobody runs: 503 after a second try, and nothing is paid', async () => {
  const answer = await caller.post(path, ask({ model: 'acme-nobody' }))
  assert.deepEqual([answer.status, answer.headers['x-retry-count']], [503, '1'])
  await assertUnpaid(answer)
})

for (const stream of [false, true])
  test(`an upstream that stalls (${stream ? 'stream' : 'whole'}): 504, it is left alone, and nothing is paid`, async () => {
    const before = spare.requests.length
    spare.next(script.stall())
    const answer = await caller.post(path, ask({ model: 'acme-hasty', stream }))
    assert.deepEqual([answer.status, answer.body.code], [504, 'REQUEST_TIMEOUT'])
    assert.equal(await (await spare.request(before)).ended, 'left')
    await assertUnpaid(answer)
  })

test('an upstream that refuses says why, and the caller may read it', async () => {
  house.next(script.refuse(400, { error: { message: 'tool names must be lower case' } }))
  const answer = await caller.post(path, ask())
  assert.equal(answer.status, 400)
  assert.match(answer.body.error, /tool names must be lower case/)
  await assertUnpaid(answer)
})

test('before the first token another upstream takes over, and the answer says so', async () => {
  for (const fault of [script.fail(500), script.cutBeforeFirstToken(), script.garbage()]) {
    house.next(fault)
    const answer = await caller.post(path, ask({ model: 'acme-with-spare-house', stream: true }))
    assert.equal(answer.status, 200)
    if (answer.headers['x-retry-count'] === undefined) continue
    assert.deepEqual([answer.headers['x-svc-model-router'], answer.headers['x-retry-count']], ['spare', '1'])
    assert.equal((await bill(idOf(answer)))?.usd, 13_000n)
    await heal()
  }
})

const late: Record<string, () => Script> = {
  'is cut after the first token': script.cutAfterFirstToken,
  'ends without its last event': script.withoutDone,
  'reports an error': script.errorAfterFirstToken,
}
for (const [name, fault] of Object.entries(late))
  test(`a stream that ${name}: an error event, no [DONE], and nothing is paid`, async () => {
    house.next(fault())
    const answer = await caller.post(path, ask({ stream: true }))
    assert.equal(answer.status, 200)
    const events = eventsOf(answer.text)
    const last = JSON.parse(events.at(-1) ?? '{}')
    assert.equal(typeof last.error.message, 'string')
    assert.deepEqual(Object.keys(last.error).sort(), ['code', 'message', 'param', 'type'])
    assert.ok(!events.includes('[DONE]'))
    await assertUnpaid(answer)
    await heal()
  })

test('whatever ends the lines of a stream and wherever it is cut, the same text arrives', async () => {
  const told = async (fault: Script) => {
    house.next(fault)
    const { text } = await caller.post(path, ask({ stream: true }))
    assert.ok(text.endsWith('data: [DONE]\n\n'))
    return chunksOf(text)
      .map((chunk) => chunk.choices[0]?.delta.content ?? '')
      .join('')
  }
  const words = ['Grüße', ' 🙂', ' 日本']
  for (const lineEnd of ['\n', '\r', '\r\n'] as const)
    assert.equal(await told(script.answer({ words, lineEnd })), words.join(''))
  const chunk = (content: string) =>
    `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\r\n\r\n`
  const bytes = Buffer.from(`${words.map(chunk).join('')}data: [DONE]\r\n\r\n`)
  const pieces = Array.from({ length: bytes.length }, (_, index) => bytes.subarray(index, index + 1))
  assert.equal(await told(script.writes(...pieces)), words.join(''))
})

test('one event of five megabytes passes', async () => {
  house.next(script.largeEvent(5_000_000))
  const answer = await caller.post(path, ask({ stream: true }))
  assert.equal(
    chunksOf(answer.text).reduce((length, { choices }) => length + (choices[0]?.delta.content?.length ?? 0), 0),
    5_000_000,
  )
})

test('a caller who leaves in mid-stream pays the prompt and what was written, and the upstream is stopped', async () => {
  const payer = await createPayer(service.sql, { usd: 1_000_000_000n })
  const paced = script.paced()
  const before = house.requests.length
  house.next(paced)
  paced.release(3)
  const stream = await openStream(url, payer.key, ask())
  let text = ''
  for await (const bytes of stream.body) {
    text += String(bytes)
    if (text.includes('from')) break
  }
  assert.equal(await (await house.request(before)).ended, 'left')
  const made = await until(() => bill(idOf(stream)))
  // "Hello" and " from" were written; the prompt is reckoned from its length.
  assert.deepEqual([made.outcome, made.countedBy, made.completionTokens], ['aborted', 'estimate', 2])
  assert.equal(made.usd, BigInt(made.promptTokens) * 1_000n + 4_000n)
  assert.equal((await payer.balances()).usd, 1_000_000_000n - made.usd)
})

test('a caller who leaves before the first token pays the prompt, and the upstream is stopped', async () => {
  for (const stream of [false, true]) {
    const before = house.requests.length
    house.next(script.stall())
    const leaving = new AbortController()
    const answer = fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${rich.key}` },
      body: JSON.stringify(ask({ stream })),
      signal: leaving.signal,
    }).catch(() => undefined)
    const received = await house.request(before)
    leaving.abort()
    await answer
    assert.equal(await received.ended, 'left')
  }
  const bills = await until(async () => {
    const rows = await service.sql<{ completion_tokens: bigint; usd: bigint }>`
      select completion_tokens, usd from usage_record
      where outcome = 'aborted' and account_id = ${rich.accountId} and completion_tokens = 0`
    return rows.length === 2 ? rows : undefined
  })
  assert.ok(bills.every(({ usd }) => usd > 0n))
})

test('a caller who leaves before anybody was asked pays nothing', async () => {
  const payer = await createPayer(service.sql, { usd: 1_000_000_000n })
  const asked = house.requests.length
  await service.sql.transaction(async (sql) => {
    // The hold waits for this row, and meanwhile the caller leaves.
    await sql`select 1 from ledger_account where owner = ${payer.accountId} for update`
    const leaving = new AbortController()
    const answer = fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${payer.key}` },
      body: JSON.stringify(ask({ stream: true })),
      signal: leaving.signal,
    }).catch(() => undefined)
    await until(async () => {
      const waiting = await service.sql`
        select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      return waiting.length > 0 ? true : undefined
    })
    leaving.abort()
    await answer
    await until(async () => ((await running()) === 0 ? true : undefined))
  })
  const made = await until(
    () => service.sql.maybeOne<{ outcome: string; usd: bigint }>`
    select outcome, usd from usage_record where account_id = ${payer.accountId}`,
  )
  assert.deepEqual([made.outcome, made.usd, house.requests.length], ['failed', 0n, asked])
})

/** Requests that the service is still busy with, as it says itself. */
const running = async (): Promise<number> => {
  const { text } = await service.outside.get('/metrics')
  return Number(/^tessera_http_requests_running (\d+)/m.exec(text)?.[1] ?? 0) - 1
}

test('who reads slowly slows the upstream down, and memory does not grow', async () => {
  const before = house.requests.length
  // 80 MB, if they were all taken.
  house.next(script.flood(10_000))
  const socket = connect(service.port, '127.0.0.1')
  const body = JSON.stringify(ask({ stream: true }))
  socket.write(
    `POST /api/v1${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${rich.key}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  const received = await house.request(before)
  await once(socket, 'readable')
  // Nothing is read. What is written comes to rest, far below what there is.
  let written = -1
  while (written !== received.bytesWritten) {
    written = received.bytesWritten
    await wait(300)
  }
  assert.ok(written < 20_000_000, `${written} bytes were taken from the upstream`)
  socket.destroy()
  assert.equal(await received.ended, 'left')
})

test('nothing of all this left a hold behind, a prompt in the log, or the books wrong', async () => {
  await until(async () => ((await service.sql`select 1 from ledger_hold`).length === 0 ? true : undefined))
  await assertBooks(service.sql)
  assert.ok(logLines.length > 0)
  assert.ok(
    logLines.some((line) => line.includes('"status":499')),
    'callers who left are in the log',
  )
  for (const line of logLines) assert.ok(!line.includes(secret) && !line.includes('house-secret-key'))
})
