import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTroubles, isParameterRefused } from './trouble.js'

const secret = 'hush-hush-hush'
const { fromAnswer, fromEvent, fromConnection } = createTroubles([secret, 'gpu7.internal:8000'])
const answer = (status: number, body: unknown, headers = {}) => fromAnswer(status, headers, JSON.stringify(body))

test('the reason of a refusal is found where servers put it', () => {
  const places = [
    { error: { message: 'Bad seed' } },
    { error: 'Bad seed' },
    { message: 'Bad seed' },
    { detail: 'Bad seed' },
    { detail: [{ loc: ['body', 'seed'], msg: 'Bad seed' }] },
    { object: 'error', message: 'Bad seed', type: 'BadRequestError', code: 400 },
  ]
  for (const body of places) {
    const { trouble, said, message, mayRetry } = answer(400, body)
    assert.deepEqual([trouble, said, mayRetry], ['refused', 'Bad seed', false], JSON.stringify(body))
    assert.doesNotMatch(message, /Bad seed/, 'it may quote the prompt, so it is not for the log')
  }
})

test('a refusal without a reason is a refusal', () => {
  for (const body of ['', '<html>', '[]', 'null', '{"error":null}', '{"error":{"message":5}}'])
    assert.deepEqual([fromAnswer(400, {}, body).trouble, fromAnswer(400, {}, body).said], ['refused', undefined])
})

test('a reason is one printable line of at most 500 characters, without keys and addresses', () => {
  const said = (message: string) => answer(400, { error: { message } }).said
  assert.equal(
    said(`Key ${secret} at http://gpu7.internal:8000/v1 (gpu7.internal:8000)`),
    'Key [removed] at [removed] ([removed])',
  )
  assert.equal(said('Incorrect key sk-proj-abcdef123456, Bearer abc.def'), 'Incorrect key [removed], [removed]')
  assert.equal(said('one\r\n\u0000two\u200bthree'), 'one two three')
  assert.equal(said('x'.repeat(10_000))?.length, 500)
})

test('servers have their own words for a prompt that is too long', () => {
  const bodies = [
    { error: { code: 'context_length_exceeded', message: 'Too much' } },
    { object: 'error', message: "This model's maximum context length is 4096 tokens.", code: 400 },
    {
      error: {
        code: 400,
        message: 'the request exceeds the available context size',
        type: 'exceed_context_size_error',
      },
    },
    { type: 'error', error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000' } },
    { error: 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096', error_type: 'validation' },
    { message: "The input (9000 tokens) is longer than the model's context length (8192 tokens)." },
  ]
  for (const body of bodies)
    for (const status of [400, 422]) assert.equal(answer(status, body).trouble, 'tooLong', JSON.stringify(body))
  assert.equal(answer(400, { error: { message: 'temperature is too high' } }).trouble, 'refused')
})

test('who has too much to do may say when to come back', () => {
  const after = (headers: object) => answer(429, {}, headers).retryAfterMs
  assert.equal(after({ 'retry-after': '7' }), 7000)
  assert.equal(after({ 'retry-after': '7', 'retry-after-ms': '250' }), 250)
  assert.equal(after({ 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' }), 0)
  const far = after({ 'retry-after': 'Sun, 06 Nov 2094 08:49:37 GMT' })
  assert.ok(far !== undefined && far > 0)
  assert.equal(after({ 'retry-after': 'soon' }), undefined)
  assert.equal(after({}), undefined)
  assert.equal(answer(503, {}, { 'retry-after': '1' }).trouble, 'overloaded')
  assert.equal(answer(503, {}).trouble, 'unavailable')
})

test('an account of ours that is used up is not a matter of waiting', () => {
  assert.equal(answer(429, { error: { message: 'Pay', code: 'insufficient_quota' } }).trouble, 'unavailable')
})

test('operators read why a key or a model of theirs does not work, callers do not', () => {
  const wrongKey = answer(401, { error: { message: `Incorrect API key provided: ${secret}` } })
  assert.equal(wrongKey.message, 'the upstream answered 401: Incorrect API key provided: [removed]')
  const noModel = answer(404, { error: { message: 'The model `acme` does not exist.' } })
  assert.match(noModel.message, /The model `acme` does not exist/)
  for (const { trouble, said } of [wrongKey, noModel]) assert.deepEqual([trouble, said], ['unavailable', undefined])
})

test('an error inside a stream has the same words', () => {
  assert.equal(fromEvent({ error: { type: 'overloaded_error', message: 'Overloaded' } }).trouble, 'overloaded')
  assert.equal(fromEvent({ error: { code: 429, message: 'Slow' } }).trouble, 'overloaded')
  assert.equal(fromEvent({ error: { type: 'server_error', message: 'Died' } }).trouble, 'unavailable')
  assert.equal(fromEvent({ error: 'Died' }).trouble, 'unavailable')
  const refused = fromEvent({ error: { type: 'invalid_request_error', message: 'Bad image' } })
  assert.deepEqual([refused.trouble, refused.said], ['refused', 'Bad image'])
  assert.equal(fromEvent({ object: 'error', message: 'maximum context length', code: 400 }).trouble, 'tooLong')
})

test('what the connection reports is named by what had happened before', () => {
  const error = (code: string) => Object.assign(new Error('x'), { code })
  assert.equal(fromConnection(error('UND_ERR_CONNECT_TIMEOUT'), false).trouble, 'timeout')
  assert.equal(fromConnection(error('ECONNREFUSED'), false).trouble, 'unavailable')
  assert.equal(fromConnection(error('ECONNRESET'), false).trouble, 'unavailable')
  assert.equal(fromConnection(error('ECONNRESET'), true).trouble, 'broken')
  const unreadable = Object.assign(new Error('x'), { name: 'HTTPParserError' })
  assert.equal(fromConnection(unreadable, false).trouble, 'broken')
})

test('a field that an upstream does not take is found by its name, in what it says or beside it', () => {
  const { fromAnswer } = createTroubles([])
  const refusal = (body: object) => fromAnswer(400, {}, JSON.stringify(body))
  const isSeed = (body: object) => isParameterRefused(refusal(body), 'seed')
  assert.ok(isSeed({ error: { message: 'no', param: 'seed' } }))
  assert.ok(isSeed({ detail: [{ loc: ['body', 'seed'], msg: 'Extra inputs are not permitted' }] }))
  assert.ok(isSeed({ error: "Unknown parameter: 'seed'." }))
  assert.ok(isSeed({ message: 'unsupported field seed' }))
  assert.ok(!isSeed({ error: { message: "'seed' is fine", param: 'size' } }))
  assert.ok(!isSeed({ error: 'the seed of evil is not drawn here' }))
  assert.ok(!isParameterRefused(fromAnswer(500, {}, '{"error":{"param":"seed"}}'), 'seed'))
  assert.ok(!isParameterRefused(new Error('seed'), 'seed'))
})
