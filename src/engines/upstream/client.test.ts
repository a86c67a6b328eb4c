import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServerSentEvent } from '#plumbing/event-stream.js'
import { type Script, script, startFakeUpstream } from '../../../test/fakes/upstream.js'
import { EngineError, type EngineTrouble } from '../engine-error.js'
import { createUpstreamClient } from './client.js'

type Test = { after(work: () => void): void }
const never = new AbortController().signal
const isLast = ({ data }: ServerSentEvent) => data === '[DONE]'
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

const createSubject = async (test: Test, needs: Partial<Parameters<typeof createUpstreamClient>[0]> = {}) => {
  const upstream = await startFakeUpstream(test)
  const client = createUpstreamClient({ baseUrl: upstream.baseUrl, ...needs })
  test.after(() => void client.close())
  const events = (signal = never) =>
    client.postForEvents('/chat/completions', '{"stream":true}', { signal, isLast })[Symbol.asyncIterator]()
  return {
    upstream,
    client,
    events,
    json: (signal = never) => client.postForJson('/chat/completions', '{}', { signal }),
    /** How many events came until the end, or what was thrown. */
    async stream(signal = never): Promise<number> {
      let count = 0
      for await (const batch of { [Symbol.asyncIterator]: () => events(signal) }) count += batch.length
      return count
    },
  }
}
type Subject = Awaited<ReturnType<typeof createSubject>>

const troubleOf = async (work: Promise<unknown>): Promise<EngineError> => {
  const error = await work.then(
    () => assert.fail('nothing was thrown'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof EngineError, String(error))
  return error
}

test('a request carries JSON, the key as a bearer token, the headers of the upstream and of the call', async (test) => {
  const { client, upstream } = await createSubject(test, { apiKey: 'sk-own-key', headers: { 'x-team': 'blue' } })
  await client.postForJson('/chat/completions', '{"model":"m"}', { signal: never, headers: { 'x-call': '1' } })
  const { method, path, headers, body } = await upstream.request()
  assert.deepEqual([method, path, body], ['POST', '/v1/chat/completions', { model: 'm' }])
  assert.equal(headers['content-type'], 'application/json')
  assert.equal(headers.authorization, 'Bearer sk-own-key')
  assert.deepEqual([headers['x-team'], headers['x-call']], ['blue', '1'])
})

test('a base URL may hold a name and password, a closing slash and a query', async (test) => {
  const { upstream } = await createSubject(test)
  const baseUrl = `${upstream.baseUrl.replace('//', '//me:p%40ss@')}/?api-version=2`
  const client = createUpstreamClient({ baseUrl })
  test.after(() => void client.close())
  await client.postForJson('/chat/completions', '{}', { signal: never })
  const { path, headers } = await upstream.request()
  assert.equal(path, '/v1/chat/completions?api-version=2')
  assert.equal(headers.authorization, `Basic ${Buffer.from('me:p@ss').toString('base64')}`)
})

test('connections are used again, after whole answers and after streams', async (test) => {
  const { upstream, json, stream } = await createSubject(test)
  // Undici lets one turn pass before it trusts a connection again, and the end of a stream follows its last event.
  const settled = async (index: number) => {
    await (await upstream.request(index)).ended
    for (let turn = 0; turn < 10; turn++) await nextTurn()
  }
  await json()
  await settled(0)
  assert.equal(await stream(), 6)
  await settled(1)
  await json()
  assert.equal(upstream.connections(), 1)
})

const faults: [name: string, script: Script, whole: EngineTrouble | undefined, streamed: EngineTrouble][] = [
  ['cuts before the headers', script.cutBeforeHeaders(), 'unavailable', 'unavailable'],
  ['cuts before the first token', script.cutBeforeFirstToken(), undefined, 'broken'],
  ['cuts after the first token', script.cutAfterFirstToken(), undefined, 'broken'],
  ['cuts a whole answer', script.cutWholeAnswer(), 'broken', 'broken'],
  ['ends without its last event', script.withoutDone(), undefined, 'broken'],
  ['sends garbage with 200', script.garbage(), 'broken', 'broken'],
  ['sends a web page with 200', script.webPage(), 'broken', 'broken'],
  ['does not speak HTTP', script.notHttp(), 'broken', 'broken'],
  ['answers 429', script.tooManyRequests(), 'overloaded', 'overloaded'],
  ['answers 529', script.fail(529), 'overloaded', 'overloaded'],
  ['answers 503', script.fail(503), 'unavailable', 'unavailable'],
  ['answers 500', script.fail(500), 'unavailable', 'unavailable'],
  ['answers 302', script.refuse(302, {}, { location: 'http://example.com' }), 'unavailable', 'unavailable'],
  ['answers 401', script.refuse(401, {}), 'unavailable', 'unavailable'],
  ['answers 404', script.refuse(404, {}), 'unavailable', 'unavailable'],
  ['answers 422', script.refuse(422, { detail: [{ msg: 'Field required' }] }), 'refused', 'refused'],
  ['answers that it is too long', script.contextLengthExceeded(), 'tooLong', 'tooLong'],
]
for (const [name, fault, whole, streamed] of faults)
  test(`an upstream that ${name} is ${streamed}`, async (test) => {
    const { upstream, json, stream } = await createSubject(test)
    upstream.next(fault)
    assert.equal((await troubleOf(stream())).trouble, streamed)
    if (whole === undefined) return
    upstream.next(fault)
    assert.equal((await troubleOf(json())).trouble, whole)
  })

test('an upstream that nobody can connect to is unavailable', async (test) => {
  const { upstream, json, stream } = await createSubject(test)
  upstream.stop()
  assert.equal((await troubleOf(json())).trouble, 'unavailable')
  assert.equal((await troubleOf(stream())).trouble, 'unavailable')
  const nowhere = createUpstreamClient({ baseUrl: 'http://nowhere.invalid/v1' })
  test.after(() => void nowhere.close())
  assert.equal((await troubleOf(nowhere.postForJson('/x', '{}', { signal: never }))).trouble, 'unavailable')
})

test('events that came before a fault are given before it is thrown', async (test) => {
  const { upstream, events } = await createSubject(test)
  upstream.next(script.cutAfterFirstToken())
  const iterator = events()
  assert.equal((await iterator.next()).value?.length, 2)
  assert.equal((await troubleOf(iterator.next())).trouble, 'broken')
  assert.deepEqual(await iterator.next(), { done: true, value: undefined })
})

const silences: [name: string, script: Script, timeouts: object, isStream: boolean][] = [
  ['headers', script.stall(), { firstByteMs: 20 }, true],
  ['a first byte', script.stallAfterHeaders(), { firstByteMs: 20 }, true],
  ['more events', script.stallAfterFirstToken(), { betweenMs: 20 }, true],
  ['the end of a stream', script.stallAfterFirstToken(), { totalMs: 50 }, true],
  ['a whole answer', script.stall(), { totalMs: 20 }, false],
]
for (const [name, fault, timeouts, isStream] of silences)
  test(`waiting for ${name} ends with a timeout, and the connection is closed`, async (test) => {
    const { upstream, json, stream } = await createSubject(test, { timeouts })
    upstream.next(fault)
    assert.equal((await troubleOf(isStream ? stream() : json())).trouble, 'timeout')
    assert.equal(await (await upstream.request()).ended, 'left')
  })

const leave: [name: string, script: Script, start: (subject: Subject, signal: AbortSignal) => Promise<unknown>][] = [
  ['before the headers of a stream', script.stall(), ({ stream }, signal) => stream(signal)],
  ['before the headers of a whole answer', script.stall(), ({ json }, signal) => json(signal)],
  ['in the middle of a stream', script.stallAfterFirstToken(), ({ stream }, signal) => stream(signal)],
]
for (const [name, fault, start] of leave)
  test(`the signal ${name} throws its own reason and closes the connection`, async (test) => {
    const subject = await createSubject(test)
    subject.upstream.next(fault)
    const leaving = new AbortController()
    const thrown = assert.rejects(start(subject, leaving.signal), { name: 'AbortError' })
    const request = await subject.upstream.request()
    leaving.abort()
    await thrown
    assert.equal(await request.ended, 'left')
  })

test('a signal that has fired already sends nothing', async (test) => {
  const { upstream, json, stream } = await createSubject(test)
  const reason = new Error('gone')
  await assert.rejects(json(AbortSignal.abort(reason)), reason)
  await assert.rejects(stream(AbortSignal.abort(reason)), reason)
  assert.equal(upstream.requests.length, 0)
})

test('leaving the loop closes the connection', async (test) => {
  const { upstream, events } = await createSubject(test)
  upstream.next(script.stallAfterFirstToken())
  for await (const _ of { [Symbol.asyncIterator]: () => events() }) break
  assert.equal(await (await upstream.request()).ended, 'left')
})

test('nothing is sent before the first event is wanted', async (test) => {
  const { upstream, events, stream } = await createSubject(test)
  await events().return?.()
  await stream()
  assert.equal(upstream.requests.length, 1)
})

test('each event can be taken as soon as it was sent', async (test) => {
  const { upstream, events } = await createSubject(test)
  const paced = script.paced({ words: ['a'] })
  upstream.next(paced)
  const iterator = events()
  for (let taken = 0; taken < 4; taken++) {
    paced.release()
    assert.equal((await iterator.next()).value?.length, 1)
  }
  assert.deepEqual(await iterator.next(), { done: true, value: undefined })
})

test('a reader that stops is not read ahead of: the upstream is held back', async (test) => {
  const { upstream, events } = await createSubject(test)
  const total = 8000
  upstream.next(script.flood(total))
  const iterator = events()
  let count = (await iterator.next()).value?.length ?? 0
  const request = await upstream.request()

  // Writing comes to rest when the buffers of both sockets are full, long before all 64 MB are written.
  let before = -1
  for (let calm = 0; calm < 300; calm++) {
    if (request.bytesWritten !== before) calm = 0
    before = request.bytesWritten
    await nextTurn()
  }
  assert.ok(request.bytesWritten < 30_000_000, `${request.bytesWritten} bytes were written`)

  let largest = 0
  for (let item = await iterator.next(); !item.done; item = await iterator.next()) {
    count += item.value.length
    largest = Math.max(largest, item.value.length)
  }
  assert.equal(count, total + 1)
  assert.ok(largest < 40, `${largest} events of 8 KB were kept at once`)
  assert.equal(await request.ended, 'complete')
})

test('a reader that takes its time is not mistaken for a silent upstream', async (test) => {
  const { upstream, events, stream } = await createSubject(test, { timeouts: { betweenMs: 1000 } })
  upstream.next(script.flood(500), script.stallAfterFirstToken())
  const iterator = events()
  let count = (await iterator.next()).value?.length ?? 0
  // When a stream that began later has been silent for too long, the first one was left alone for longer.
  assert.equal((await troubleOf(stream())).trouble, 'timeout')
  for (let item = await iterator.next(); !item.done; item = await iterator.next()) count += item.value.length
  assert.equal(count, 501)
})

test('the last event completes a stream, and a connection that is not ended after it is closed', async (test) => {
  const { upstream, stream } = await createSubject(test)
  upstream.next(async ({ head, write }) => {
    head(200, { 'content-type': 'text/event-stream' })
    await write('data: 1\n\ndata: [DONE]\n\n')
  })
  assert.equal(await stream(), 2)
  assert.equal(await (await upstream.request()).ended, 'left')
})

test('closing lets running calls finish and takes no more', async (test) => {
  const { upstream, client, events, json } = await createSubject(test)
  const paced = script.paced()
  upstream.next(paced)
  const iterator = events()
  paced.release()
  let count = (await iterator.next()).value?.length ?? 0
  const closed = client.close()
  assert.equal((await troubleOf(json())).trouble, 'unavailable')
  paced.releaseAll()
  for (let item = await iterator.next(); !item.done; item = await iterator.next()) count += item.value.length
  assert.equal(count, 6)
  await closed
})

test('one event of 5 MB is read; one beyond 8 MiB is broken', async (test) => {
  const { upstream, stream } = await createSubject(test)
  upstream.next(script.largeEvent(5_000_000), script.largeEvent(40_000_000))
  assert.equal(await stream(), 4)
  assert.equal((await troubleOf(stream())).trouble, 'broken')
  assert.equal(await (await upstream.request(1)).ended, 'left')
})

test('an error page is read up to 64 KiB only', async (test) => {
  const { upstream, json } = await createSubject(test)
  upstream.next(async ({ head, write }) => {
    head(500, { 'content-type': 'text/html' })
    while (await write('x'.repeat(10_000)));
  })
  assert.equal((await troubleOf(json())).trouble, 'unavailable')
  assert.equal(await (await upstream.request()).ended, 'left')
})
