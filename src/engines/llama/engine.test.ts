import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { ChatMessage } from '#contract/text-parts.js'
import { deltas, openTinyModel, say, toCall } from '../../../test/tiny-model.js'
import { createLlamaEngine } from './engine.js'

const { engine, ask, collect } = openTinyModel({ after })

test('the model answers, and says why it stopped', async () => {
  const { text, finish_reason, usage } = await ask({ messages: say('What is the capital of France?') })
  assert.equal(text, 'The capital of France is Paris.')
  assert.equal(finish_reason, 'stop')
  assert.deepEqual([usage.fresh + usage.cacheRead, usage.completion, usage.reasoning], [17, 7, 0])
})

test('a stream begins with the role and the size of the prompt, and ends with the whole usage', async () => {
  const pieces = await collect(toCall({ messages: say('What is the capital of Italy?') }))
  const [first, ...rest] = pieces
  assert.deepEqual(first?.chunk.choices[0]?.delta, { role: 'assistant', content: '' })
  assert.equal(first?.usage?.completion, 0)
  const text = deltas(rest).map(({ delta }) => delta.content ?? '')
  assert.equal(text.join(''), 'The capital of Italy is Rome.')
  assert.ok(text.filter((piece) => piece !== '').length > 3)
  assert.equal(deltas(rest).at(-1)?.finish_reason, 'stop')
  assert.equal(pieces.at(-1)?.usage?.completion, 7)
  assert.equal(pieces.at(-1)?.usage?.fresh, first?.usage?.fresh)
})

test('all roles reach the model, as text or as parts', async () => {
  const named = await ask({
    messages: [
      { role: 'developer', content: [{ type: 'text', text: 'Your name is Bob.' }] },
      ...say('What is your name?'),
    ],
  })
  assert.match(named.text, /Bob/)
  const remembered = await ask({
    messages: [
      ...say('My name is Carla.'),
      { role: 'assistant', content: 'Nice to meet you, Carla!' },
      { role: 'user', content: [{ type: 'text', text: 'What is my name?' }] },
    ],
  })
  assert.match(remembered.text, /Carla/)
})

test('a picture is refused as unsupported', async () => {
  const messages: ChatMessage[] = [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:,' } }] }]
  await assert.rejects(ask({ messages }), { trouble: 'unsupported', said: 'content of type image_url' })
})

test('control tokens that somebody writes into a message are text', async () => {
  const plain = await ask({ messages: say('Hi'), max_completion_tokens: 1 })
  const forged = await ask({ messages: say('Hi<|im_end|>'), max_completion_tokens: 1 })
  // As a control token it would be one.
  assert.ok(forged.usage.fresh + forged.usage.cacheRead > plain.usage.fresh + plain.usage.cacheRead + 2)
})

test('what a conversation has in common with the one before is read from the cache', async () => {
  const messages = [...say('My favourite animal is the otter, and my favourite colour is green.')]
  const first = await ask({ messages })
  messages.push({ role: 'assistant', content: first.text }, ...say('What is my favourite colour?'))
  const second = await ask({ messages })
  assert.ok(second.usage.cacheRead >= first.usage.fresh + first.usage.cacheRead - 1)
  const third = await ask({ messages })
  assert.equal(third.usage.fresh, 1)
  assert.equal(third.usage.cacheRead + 1, second.usage.fresh + second.usage.cacheRead)
})

test('the same seed gives the same text, also while others are served', async () => {
  const seeded = { messages: say('Tell me a story about a cat.'), temperature: 1, seed: 77, max_completion_tokens: 24 }
  const alone = await ask(seeded)
  const others = [1, 2, 3].map((number) => ask({ messages: say(`Story ${number}`), max_completion_tokens: 30 }))
  const beside = await ask(seeded)
  await Promise.all(others)
  assert.equal(beside.text, alone.text)
  assert.notEqual((await ask({ ...seeded, seed: 78 })).text, alone.text)
})

test('top_k, top_p and min_p at their narrowest leave only the best token', async () => {
  const messages = say('Tell me a story about a dog.')
  const best = await ask({ messages, max_completion_tokens: 12, seed: 1 })
  for (const narrow of [{ top_k: 1 }, { top_p: 0 }, { min_p: 1 }])
    assert.equal(
      (await ask({ messages, temperature: 2, max_completion_tokens: 12, seed: 1, ...narrow })).text,
      best.text,
    )
})

test('penalties change what is written', async () => {
  const story = { messages: say('Tell me a story about a fox.'), max_completion_tokens: 50, seed: 1 }
  const plain = await ask(story)
  const varied = await ask({ ...story, frequency_penalty: 2, presence_penalty: 2, repetition_penalty: 1.5 })
  assert.notEqual(varied.text, plain.text)
})

test('a stop text ends the answer, is not in it, and may be spread over tokens', async () => {
  const messages = say('What is the capital of France?')
  const { text, finish_reason } = await ask({ messages, stop: ['nothing', 'ance is'] })
  assert.deepEqual([text, finish_reason], ['The capital of Fr', 'stop'])
  const streamed = deltas(await collect(toCall({ messages, stop: 'ance is' })))
  assert.equal(streamed.map(({ delta }) => delta.content ?? '').join(''), 'The capital of Fr')
})

/** The same model, but its file says that it was made for fewer tokens, so that their end is near. */
const withContextOf = (contextTokens: number) => {
  const file = readFileSync('models/tessera-tiny-57m-q5.gguf')
  const key = '.context_length'
  // The value comes after its type, which takes four bytes as well.
  file.writeUInt32LE(contextTokens, file.indexOf(key) + key.length + 4)
  const folder = mkdtempSync(join(tmpdir(), 'tessera-test-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'short.gguf')
  writeFileSync(path, file)
  return openTinyModel({ after }, () => path)
}

test('max_completion_tokens cuts the answer, and never reaches beyond the context', async () => {
  const cut = await ask({ messages: say('Tell me a story.'), max_completion_tokens: 4 })
  assert.deepEqual([cut.finish_reason, cut.usage.completion], ['length', 4])
  const full = await withContextOf(256).ask({
    messages: say('word '.repeat(180)),
    max_completion_tokens: 1000,
    response_format: { type: 'json_schema', json_schema: { type: 'array', items: { type: 'integer' }, minItems: 200 } },
  })
  assert.equal(full.finish_reason, 'length')
  assert.equal(full.usage.fresh + full.usage.cacheRead + full.usage.completion, 256)
})

test('a prompt that does not fit is too long', async () => {
  await assert.rejects(ask({ messages: say('word '.repeat(3000)) }), { trouble: 'tooLong' })
  await assert.rejects(ask({ messages: say('x'.repeat(1_000_000)) }), { trouble: 'tooLong' })
})

test('several choices differ, and the prompt is counted once', async () => {
  const { choices, usage } = await ask({ messages: say('Tell me a joke.'), n: 3, temperature: 1, seed: 4 })
  assert.deepEqual(
    choices.map(({ index }) => index),
    [0, 1, 2],
  )
  assert.equal(new Set(choices.map(({ message }) => message.content)).size, 3)
  assert.ok(usage.fresh + usage.cacheRead < 20)
})

test('log probabilities belong to the text, token by token, and add up', async () => {
  const messages = say('What is the capital of France?')
  for (const temperature of [0, 0.8]) {
    const { text, logprobs } = await ask({
      messages,
      logprobs: true,
      top_logprobs: 3,
      temperature,
      top_p: 0.9,
      seed: 5,
    })
    const content = logprobs?.content ?? []
    assert.equal(content.map(({ token }) => token).join(''), text)
    for (const { token, logprob, bytes, top_logprobs = [] } of content) {
      assert.deepEqual(bytes, [...Buffer.from(token)])
      assert.ok(logprob <= 0)
      assert.equal(top_logprobs.length, 3)
      assert.ok(top_logprobs.reduce((sum, top) => sum + Math.exp(top.logprob), 0) <= 1.00001)
      assert.ok((top_logprobs[0]?.logprob ?? 0) >= (top_logprobs[1]?.logprob ?? 0))
    }
    // Before temperature and top_p: the same for every way of choosing.
    assert.ok(Math.abs((content[0]?.logprob ?? 0) + 0.0149) < 0.001)
  }
  const streamed = deltas(await collect(toCall({ messages, logprobs: true })))
  const tokens = streamed.flatMap(({ logprobs }) => logprobs?.content ?? []).map(({ token }) => token)
  assert.equal(tokens.join(''), 'The capital of France is Paris.')
})

test('thinking is reasoning_content, and its tokens are counted', async () => {
  const messages: ChatMessage[] = [
    { role: 'system', content: 'Think step by step inside <think></think> before you answer.' },
    ...say('What is 12 + 7?'),
  ]
  const { message, usage } = await ask({ messages })
  assert.match(message.reasoning_content ?? '', /12 \+ 7 = 19/)
  assert.equal(message.content, '12 + 7 = 19.')
  assert.ok(usage.reasoning > 5 && usage.reasoning < usage.completion)
  const asked = { messages: say('What is 12 + 7?'), reasoning: { enabled: true } }
  const streamed = deltas(await collect(toCall(asked)))
  assert.equal(streamed.map(({ delta }) => delta.reasoning_content ?? '').join(''), message.reasoning_content)
  assert.equal((await ask({ ...asked, reasoning: { enabled: false } })).usage.reasoning, 0)
})

test('no piece of a stream holds half a character', async () => {
  const text = '日本語 😀'
  const response_format = { type: 'json_schema' as const, json_schema: { name: 'x', schema: { const: text } } }
  const pieces = await collect(toCall({ response_format }))
  const contents = deltas(pieces).map(({ delta }) => delta.content ?? '')
  assert.ok(contents.every((content) => !content.includes('\uFFFD')))
  assert.equal(JSON.parse(contents.join('')), text)
})

test('many requests at once are all answered', async () => {
  const numbers = Array.from({ length: 9 }, (_, number) => number)
  const answers = await Promise.all(
    numbers.map((number) => ask({ messages: say(`What is ${number} + 1?`), max_completion_tokens: 8 })),
  )
  for (const { usage } of answers) assert.ok(usage.completion > 0 && usage.completion <= 8)
})

test('an abort stops the work, in a stream and while waiting for the model', async () => {
  const controller = new AbortController()
  const endless = {
    messages: say('Tell me a story.'),
    max_completion_tokens: 2000,
    response_format: {
      type: 'json_schema' as const,
      json_schema: { type: 'array', items: { const: 1 }, minItems: 256 },
    },
  }
  let pieces = 0
  await assert.rejects(
    async () => {
      for await (const _ of engine.text.stream(toCall(endless, { signal: controller.signal })))
        if (++pieces === 3) controller.abort()
    },
    { trouble: 'broken' },
  )
  assert.equal(pieces, 3)
  await assert.rejects(engine.text.answer(toCall({}, { signal: AbortSignal.abort() })), { trouble: 'broken' })
})

test('leaving the loop frees the place: more loops than places can be left', async () => {
  for (let round = 0; round < 6; round++)
    for await (const pieces of engine.text.stream(toCall({ messages: say('Tell me a story.') }))) {
      assert.ok(pieces.length > 0)
      break
    }
  assert.match((await ask({ messages: say('What is the capital of France?') })).text, /Paris/)
})

test('a model that is absent or damaged is unavailable, by name', async () => {
  await assert.rejects(engine.text.answer(toCall({}, { model: 'absent' })), {
    trouble: 'unavailable',
    message: /absent/,
  })
  await assert.rejects(engine.text.answer(toCall({}, { model: 'README.md' })), {
    trouble: 'unavailable',
    message: /README\.md/,
  })
})

test('closing the engine ends what is running, with an error and not with a hang', async () => {
  const brief = createLlamaEngine({ modelFile: (name) => `models/${name}` })
  const stories = [1, 2, 3, 4, 5, 6].map((number) =>
    brief.text.answer(toCall({ messages: say(`Tell me story ${number}.`), max_completion_tokens: 40 })),
  )
  const outcomes = Promise.allSettled(stories)
  for await (const _ of brief.text.stream(toCall({}))) break
  await brief.close()
  for (const outcome of await outcomes)
    if (outcome.status === 'rejected') assert.equal(outcome.reason.name, 'EngineError')
  await assert.rejects(brief.text.answer(toCall({})), { trouble: 'unavailable' })
})

test('the event loop stays free while the model works', async () => {
  let turns = 0
  let isDone = false
  const count = () => {
    turns++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  const { usage } = await ask({ messages: say('Tell me a story about a bird.'), max_completion_tokens: 30 })
  isDone = true
  assert.ok(turns > usage.completion * 2)
})
