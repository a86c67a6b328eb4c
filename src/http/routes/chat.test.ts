import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { script } from '../../../test/fakes/upstream.js'
import { assertBooks, createPayer } from '../../../test/money.js'
import { chunksOf, openStream, startTextService } from '../../../test/text-service.js'

const service = await startTextService(
  { after },
  {
    models: `
  - { id: acme-old, type: text, engine: { upstream: house }, contextTokens: 100, pricing: { input: "1", output: "1" },
      deprecation: { date: 2099-01-31, replacement: acme } }
  - { id: acme-gone, type: text, engine: { upstream: house }, contextTokens: 100, pricing: { input: "1", output: "1" },
      deprecation: { date: 2020-01-31, replacement: acme } }
  - { id: acme-off, type: text, engine: { upstream: house }, contextTokens: 100, pricing: { input: "1", output: "1" }, offline: true }
  - { id: acme-free-prompt, type: text, engine: { upstream: house }, contextTokens: 100000, maxCompletionTokens: 1000, pricing: { input: "0", output: "2" } }
`,
  },
)
const { house, caller, bill, rich } = service
const path = '/chat/completions'
const ask = (more: object = {}) => ({ model: 'acme', messages: [{ role: 'user', content: 'Hi' }], ...more })
const idOf = (answer: { headers: Record<string, unknown> }) => String(answer.headers['x-request-id'])
const refusalOf = async (more: object) => {
  const seen = house.requests.length
  const answer = await caller.post(path, ask(more))
  assert.equal(house.requests.length, seen, 'the engine was asked for a request that was refused')
  assert.equal(await bill(idOf(answer)), undefined, 'a refused request has no bill')
  return answer
}

test('an answer has our id and model, what it used and what it cost; and that is what was charged', async () => {
  house.next(
    script.answer({ usage: { prompt_tokens: 20, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 12 } } }),
  )
  const answer = await caller.post(path, ask())
  assert.equal(answer.status, 200)
  const { body } = answer
  assert.equal(body.id, `chatcmpl-${idOf(answer)}`)
  assert.equal(body.model, 'acme')
  assert.deepEqual(body.choices[0].message, {
    role: 'assistant',
    content: 'Hello from upstream',
    reasoning_content: null,
    tool_calls: [],
  })
  assert.equal(body.choices[0].finish_reason, 'stop')
  assert.deepEqual(body.usage, {
    prompt_tokens: 20,
    completion_tokens: 3,
    total_tokens: 23,
    prompt_tokens_details: { cached_tokens: 12, cache_creation_input_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0 },
  })
  // 8 fresh at 1,000 nanos, 12 cached at 100, 3 written at 2,000.
  assert.deepEqual(body.cost, { usd: 0.0000152, diem: 0 })
  assert.deepEqual(await bill(idOf(answer)), {
    outcome: 'completed',
    countedBy: 'upstream',
    promptTokens: 20,
    completionTokens: 3,
    usd: 15_200n,
  })
  assert.equal(body.service_parameters.include_service_system_prompt, true)
  assert.equal(answer.headers['x-svc-model-id'], 'acme')
  assert.equal(answer.headers['x-svc-model-name'], 'Acme Chat')
  assert.equal(answer.headers['x-svc-model-router'], 'house')
  assert.ok(Number(answer.headers['x-svc-balance-usd']) > 0)
})

test('the backend gets its own name of the model, a limit, and nothing that is ours', async () => {
  await caller.post(
    path,
    ask({ max_tokens: 50, user: 'me', temperature: 0.5, service_parameters: {}, guided_regex: 'a' }),
  )
  const { body, headers } = house.requests.at(-1) ?? assert.fail()
  assert.deepEqual(body, {
    model: 'acme/chat',
    messages: [{ role: 'user', content: 'Hi' }],
    temperature: 0.5,
    guided_regex: 'a',
    max_tokens: 50,
    stream: false,
  })
  assert.equal(headers.authorization, 'Bearer house-secret-key')
})

test('a limit is clipped to what the model can do; nothing and below mean no limit', async () => {
  const sent = async (more: object) => {
    await caller.post(path, ask(more))
    return house.requests.at(-1)?.body.max_tokens
  }
  assert.equal(await sent({ max_tokens: 5_000 }), 1_000)
  assert.equal(await sent({ max_tokens: -1 }), 1_000)
  assert.equal(await sent({ max_completion_tokens: 7, max_tokens: 50 }), 7)
  // acme-plain may answer with its whole context, so a limit would not fit beside any prompt.
  assert.equal(await sent({ model: 'acme-plain' }), undefined)
  assert.equal(await sent({ model: 'acme-plain', max_tokens: 4_000 }), 4_000)
})

test('a stream leaves chunk by chunk, ends with [DONE], and is paid', async () => {
  const paced = script.paced()
  house.next(paced)
  paced.release(2)
  const stream = await openStream(`${service.origin}/api/v1${path}`, rich.key, ask())
  assert.match(String(stream.headers['content-type']), /^text\/event-stream/)
  assert.equal(stream.headers['cache-control'], 'no-cache, no-transform')
  assert.equal(stream.headers['content-encoding'], undefined)
  assert.equal(stream.headers['x-svc-model-router'], 'house')
  let text = ''
  for await (const bytes of stream.body) {
    text += String(bytes)
    // The next one is let go only when the former has arrived; after the last word nothing need arrive before the end.
    if (text.includes('upstream')) paced.releaseAll()
    else paced.release()
  }
  const chunks = chunksOf(text)
  const id = String(stream.headers['x-request-id'])
  assert.ok(chunks.every((chunk) => chunk.id === `chatcmpl-${id}` && chunk.model === 'acme'))
  assert.equal(chunks.map((chunk) => chunk.choices[0].delta.content ?? '').join(''), 'Hello from upstream')
  assert.equal(chunks[0].choices[0].delta.role, 'assistant')
  assert.equal(chunks.at(-1).choices[0].finish_reason, 'stop')
  assert.ok(text.endsWith('data: [DONE]\n\n'))
  assert.ok(chunks.every((chunk) => chunk.usage === undefined))
  assert.deepEqual(await bill(id), {
    outcome: 'completed',
    countedBy: 'upstream',
    promptTokens: 7,
    completionTokens: 3,
    usd: 13_000n,
  })
})

test('with include_usage the last chunk says what was used and what it cost', async () => {
  const { text, headers } = await caller.post(path, ask({ stream: true, stream_options: { include_usage: true } }))
  const last = chunksOf(text).at(-1)
  assert.deepEqual([last.choices, last.usage.total_tokens, last.cost], [[], 10, { usd: 0.000013, diem: 0 }])
  assert.equal((await bill(headers['x-request-id']))?.usd, 13_000n)
})

test('thinking is passed on, or taken out as the caller wishes', async () => {
  const thinking = () => script.answer({ reasoning: ['Hm', '.'], words: ['<thi', 'nk>so</th', 'ink>\n', 'Yes.'] })
  const told = async (parameters: object, stream: boolean) => {
    house.next(thinking())
    const answer = await caller.post(path, ask({ stream, service_parameters: parameters }))
    if (!stream) return [answer.body.choices[0].message.reasoning_content, answer.body.choices[0].message.content]
    const deltas = chunksOf(answer.text).map((chunk) => chunk.choices[0].delta)
    const join = (name: string) => deltas.map((delta) => delta[name] ?? '').join('')
    return [join('reasoning_content') || null, join('content')]
  }
  for (const stream of [false, true]) {
    assert.deepEqual(await told({}, stream), ['Hm.', '<think>so</think>\nYes.'])
    assert.deepEqual(await told({ strip_thinking_response: true }, stream), ['Hm.', 'Yes.'])
    assert.deepEqual(await told({ disable_thinking: true }, stream), [null, 'Yes.'])
  }
})

test('tools go to the backend and calls come back, whole and in pieces', async () => {
  const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }]
  const call = { id: 'call_1', name: 'weather', arguments: '{"place":"Bern"}' }
  house.next(script.answer({ toolCalls: [call] }), script.answer({ toolCalls: [call] }))
  const { body } = await caller.post(path, ask({ tools, tool_choice: 'required' }))
  assert.deepEqual(house.requests.at(-1)?.body.tools, tools)
  assert.equal(body.choices[0].finish_reason, 'tool_calls')
  assert.deepEqual(body.choices[0].message.tool_calls[0].function, { name: 'weather', arguments: call.arguments })
  const { text } = await caller.post(path, ask({ tools, stream: true }))
  const pieces = chunksOf(text).flatMap((chunk) => chunk.choices[0].delta.tool_calls ?? [])
  assert.equal(pieces[0].id, 'call_1')
  assert.equal(pieces.map((piece) => piece.function.arguments ?? '').join(''), call.arguments)
})

test('all choices are told and paid', async () => {
  house.next(script.answer({ choices: 2, usage: { prompt_tokens: 5, completion_tokens: 8 } }))
  const answer = await caller.post(path, ask({ n: 2, max_tokens: 10 }))
  assert.deepEqual(
    answer.body.choices.map((choice: { index: number }) => choice.index),
    [0, 1],
  )
  assert.equal((await bill(idOf(answer)))?.usd, 5_000n + 16_000n)
})

test('a backend that does not count: we reckon, and the bill says so', async () => {
  house.next(script.answer({ usage: null }), script.answer({ usage: null }))
  const whole = await caller.post(path, ask())
  const stream = await caller.post(path, ask({ stream: true }))
  assert.equal((await bill(idOf(whole)))?.countedBy, 'estimate')
  assert.equal((await bill(idOf(whole)))?.completionTokens, Math.ceil('Hello from upstream'.length / 4))
  const streamed = await bill(idOf(stream))
  assert.deepEqual([streamed?.countedBy, streamed?.completionTokens], ['estimate', 3])
})

test('traits, aliases, suffixes and deprecated models', async () => {
  const old = await caller.post(path, ask({ model: 'acme-old' }))
  assert.equal(old.headers['x-svc-model-deprecation-date'], '2099-01-31')
  assert.match(String(old.headers['x-svc-model-deprecation-warning']), /acme-old/)
  assert.equal((await caller.post(path, ask({ model: 'acme-gone' }))).status, 410)
  const suffixed = await caller.post(path, ask({ model: 'acme:strip_thinking_response=true' }))
  assert.deepEqual([suffixed.status, suffixed.body.service_parameters.strip_thinking_response], [200, true])
  const both = await caller.post(
    path,
    ask({ model: 'acme:strip_thinking_response=true', service_parameters: { disable_thinking: true } }),
  )
  const { strip_thinking_response: strips, disable_thinking: disables } = both.body.service_parameters
  assert.deepEqual([strips, disables], [true, true])
})

const broken: Record<string, object> = {
  'no messages': { messages: [] },
  'a message of no known role': { messages: [{ role: 'king', content: 'x' }] },
  'a part of no known type': { messages: [{ role: 'user', content: [{ type: 'smell' }] }] },
  'an empty text part': { messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }] },
  'a tool result that belongs to no call': { messages: [{ role: 'tool', content: 'x' }] },
  'too hot': { temperature: 2.1 },
  'top_p above one': { top_p: 1.1 },
  'a negative top_k': { top_k: -1 },
  'min_p above one': { min_p: 2 },
  'a penalty beyond two': { frequency_penalty: 3 },
  'a negative repetition penalty': { repetition_penalty: -1 },
  'seed 0': { seed: 0 },
  'n 0': { n: 0 },
  'five stops': { stop: ['a', 'b', 'c', 'd', 'e'] },
  'no stop at all in a list': { stop: [] },
  'text as a number': { temperature: '1' },
  'an effort that does not exist': { reasoning_effort: 'enormous' },
  'a format that does not exist': { response_format: { type: 'xml' } },
  'a parameter of the wrong type': { service_parameters: { disable_thinking: 'yes' } },
  'an endless answer': { max_completion_tokens: 1_001 },
  'a tool choice without its function': { tool_choice: { type: 'function' } },
  'eleven fallbacks': { fallbacks: Array.from({ length: 11 }, () => ({ model: 'x' })) },
  'metadata that is not text': { metadata: { a: 1 } },
}
for (const [name, more] of Object.entries(broken))
  test(`${name}: 400 that names the field, and nothing is asked or charged`, async () => {
    const { status, body } = await refusalOf(more)
    assert.equal(status, 400)
    const field = Object.keys(more)[0] ?? ''
    assert.match(body.error, new RegExp(field))
    assert.equal(body.code, 'INVALID_REQUEST')
    assert.ok(body.issues.length > 0)
  })

test('what the model cannot do is a 400 of its own', async () => {
  const { status, body } = await refusalOf({
    model: 'acme-plain',
    tools: [{ type: 'function', function: { name: 'f' } }],
  })
  assert.deepEqual([status, body.code], [400, 'UNSUPPORTED_FEATURE'])
  assert.match(body.error, /tools.*acme-plain.*supportsFunctionCalling/)
})

test('unknown models, wrong types, models that are offline', async () => {
  assert.deepEqual((await refusalOf({ model: 'nope' })).body.code, 'MODEL_NOT_FOUND')
  assert.deepEqual((await refusalOf({ model: 'acme-embed' })).body.code, 'INVALID_MODEL')
  const off = await refusalOf({ model: 'acme-off' })
  assert.deepEqual([off.status, off.body.code], [503, 'MODEL_OFFLINE'])
})

test('a prompt that cannot fit is refused in the shape that clients know', async () => {
  const { status, body } = await refusalOf({ messages: [{ role: 'user', content: 'word '.repeat(20_000) }] })
  assert.equal(status, 400)
  assert.deepEqual(
    [body.error.type, body.error.param, body.error.code],
    ['invalid_request_error', 'messages', 'context_length_exceeded'],
  )
  house.next(script.contextLengthExceeded())
  const late = await caller.post(path, ask())
  assert.deepEqual([late.status, late.body.error.code], [400, 'context_length_exceeded'])
})

test('without a key, with a wrong one, without credit', async () => {
  assert.equal((await service.post(path, ask())).status, 401)
  assert.equal((await service.as('wrong').post(path, ask())).status, 401)
  const poor = await createPayer(service.sql)
  const refused = await service.as(poor.key).post(path, ask())
  assert.deepEqual([refused.status, refused.body.code], [402, 'INSUFFICIENT_BALANCE'])
})

test('a key for private models only does not reach a third party', async () => {
  const key = await createPayer(service.sql, { usd: 1_000_000_000n, modelPrivacy: 'PRIVATE_TEXT' })
  const refused = await service.as(key.key).post(path, ask({ model: 'acme-plain' }))
  assert.deepEqual([refused.status, refused.body.code], [403, 'UNAUTHORIZED'])
  assert.equal((await service.as(key.key).post(path, ask())).status, 200)
})

test('who can pay for a short answer gets a short one, and never owes', async () => {
  const payer = await createPayer(service.sql, { usd: 20_000n })
  house.next(script.answer({ usage: { prompt_tokens: 1, completion_tokens: 10 }, finishReason: 'length' }))
  const answer = await service.as(payer.key).post(path, ask({ model: 'acme-free-prompt' }))
  assert.equal(house.requests.at(-1)?.body.max_tokens, 10)
  assert.equal(answer.body.choices[0].finish_reason, 'length')
  assert.equal((await payer.balances()).usd, 0n)
})

test('what is held is exactly the price of the longest answer when the prompt is free', async () => {
  const payer = await createPayer(service.sql, { usd: 2_000_000n })
  const paced = script.paced()
  house.next(paced)
  paced.release(2)
  const first = await openStream(`${service.origin}/api/v1${path}`, payer.key, ask({ model: 'acme-free-prompt' }))
  const second = await service.as(payer.key).post(path, ask({ model: 'acme-free-prompt' }))
  assert.equal(second.status, 402)
  paced.releaseAll()
  assert.match(await first.body.text(), /\[DONE\]/)
  assert.equal((await payer.balances()).usd, 2_000_000n - 6_000n)
})

test('a retry with the same Idempotency-Key gets the same answer and pays once', async () => {
  const payer = await createPayer(service.sql, { usd: 1_000_000_000n })
  const send = () => service.as(payer.key).post(path, ask(), { headers: { 'idempotency-key': 'k1' } })
  const [first, second] = [await send(), await send()]
  assert.equal(first.text, second.text)
  assert.equal(second.headers['idempotent-replayed'], 'true')
  assert.equal((await payer.balances()).usd, 1_000_000_000n - 13_000n)
})

test('the books balance, and no prompt or secret was logged', async () => {
  await assertBooks(service.sql)
})
