import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type OpenAI from 'openai'
import { Stream } from 'openai/core/streaming'
import type { Logprobs } from '#contract/chat.js'
import { ChatRequest } from '#contract/chat.js'
import { CompletionRequest, TextCompletion } from '#contract/completions.js'
import { Failure, fail } from '#contract/errors.js'
import { jsonOfSchema } from '../../../../test/fakes/json-of-schema.js'
import { compileSchema } from '../../../../test/fakes/schemas.js'
import {
  anyChoice,
  anyCut,
  choiceOf,
  cost,
  eventStream,
  eventsIn,
  finishedWith,
  opening,
  pieceOf,
  piecesOf,
  speak,
  usage,
} from '../../../../test/fakes/text-answers.js'
import { completions } from './completions.js'

const validate = compileSchema(CompletionRequest)

const refusalOf = (body: CompletionRequest): string => {
  assert.equal(validate(body), undefined)
  try {
    completions.read(body)
  } catch (error) {
    assert.ok(error instanceof Failure)
    return error.message
  }
  return ''
}

test('a prompt is asked as one message of a user, with at most 16 tokens if nothing is said', () => {
  assert.deepEqual(completions.read({ model: 'm', prompt: 'Once', temperature: 0.5, stop: ['\n'], user: 'u' }), {
    model: 'm',
    messages: [{ role: 'user', content: 'Once' }],
    max_tokens: 16,
    temperature: 0.5,
    stop: ['\n'],
    user: 'u',
  })
  assert.deepEqual(completions.read({ model: 'm', prompt: ['Once'], max_tokens: 99, logprobs: 3, best_of: 2, n: 2 }), {
    model: 'm',
    messages: [{ role: 'user', content: 'Once' }],
    max_tokens: 99,
    n: 2,
    logprobs: true,
    top_logprobs: 3,
  })
})

test('what cannot be done is refused by the name of its field', () => {
  const body = { model: 'm', prompt: 'a' }
  const tokens = 'Invalid request: prompt must be text; token ids are not accepted, send the text itself'
  assert.equal(refusalOf({ ...body, prompt: [1, 2] }), tokens)
  assert.equal(refusalOf({ ...body, prompt: [[1, 2]] }), tokens)
  assert.equal(
    refusalOf({ ...body, prompt: ['a', 'b'] }),
    'Invalid request: prompt must be one text; send one request for each prompt',
  )
  assert.match(refusalOf({ ...body, suffix: 'x' }), /suffix is not supported/)
  assert.match(refusalOf({ ...body, best_of: 2 }), /best_of is only supported when it equals n/)
  assert.match(refusalOf({ ...body, echo: true, logprobs: 0 }), /echo cannot be combined with logprobs/)
  assert.equal(refusalOf({ ...body, suffix: '', best_of: 1 }), '')
})

const logprobs: Logprobs = {
  content: [
    {
      token: 'Hi',
      logprob: -0.1,
      top_logprobs: [
        { token: 'Hi', logprob: -0.1 },
        { token: 'Yo', logprob: -2 },
      ],
    },
    { token: ' you', logprob: -0.2 },
  ],
}

test('a whole answer has text, the older layout of probabilities, usage and cost', () => {
  const answer = completions.answer(finishedWith(choiceOf({ content: 'Hi you' }, { logprobs })), {
    model: 'm',
    prompt: 'p',
  })
  assert.deepEqual(answer, {
    id: `cmpl-${opening.requestId}`,
    object: 'text_completion',
    created: opening.created,
    model: opening.model,
    choices: [
      {
        text: 'Hi you',
        index: 0,
        logprobs: {
          tokens: ['Hi', ' you'],
          token_logprobs: [-0.1, -0.2],
          top_logprobs: [{ Hi: -0.1, Yo: -2 }, {}],
          text_offset: [0, 2],
        },
        finish_reason: 'stop',
      },
    ],
    usage,
    cost,
  })
  assert.equal(compileSchema(TextCompletion)(answer), undefined)
})

test('a stream tells usage only when it was asked for, and ends with [DONE]', () => {
  const pieces = piecesOf(choiceOf({ content: 'Hi' }), (text) => [text])
  const plain = speak(completions.voice(opening, { model: 'm', prompt: 'p' }), pieces)
  assert.ok(plain.endsWith('data: [DONE]\n\n'))
  assert.ok(!plain.includes('usage'))
  const asked = speak(
    completions.voice(opening, { model: 'm', prompt: 'p', stream_options: { include_usage: true } }),
    pieces,
  )
  const last = eventsIn(asked.replace('data: [DONE]\n\n', '')).at(-1)
  assert.deepEqual([last?.data.choices, last?.data.usage, last?.data.cost], [[], usage, cost])
})

test('echo puts the prompt before the answer of every choice', () => {
  const body = { model: 'm', prompt: 'Say: ', echo: true, n: 2 }
  const choices = [choiceOf({ content: 'a' }), choiceOf({ content: 'b' }, { index: 1 })]
  const { choices: told } = completions.answer(finishedWith(...choices), body) as TextCompletion
  assert.deepEqual(
    told.map(({ text }) => text),
    ['Say: a', 'Say: b'],
  )
  const voice = completions.voice(opening, body)
  const first = voice.piece(pieceOf({ role: 'assistant', content: '' }))
  assert.equal((eventsIn(first)[0]?.data.choices as { text: string }[])[0]?.text, 'Say: ')
  assert.ok(!voice.piece(pieceOf({ content: 'a' })).includes('Say'))
})

test('offsets of probabilities go on from piece to piece', () => {
  const voice = completions.voice(opening, { model: 'm', prompt: 'p' })
  const say = (token: string) =>
    eventsIn(
      voice.piece({
        chunk: {
          choices: [
            {
              index: 0,
              delta: { content: token },
              finish_reason: null,
              logprobs: { content: [{ token, logprob: -1 }] },
            },
          ],
        },
      }),
    )[0]?.data.choices as { logprobs: { text_offset: number[] } }[]
  assert.deepEqual(say('Hello')[0]?.logprobs.text_offset, [0])
  assert.deepEqual(say(' you')[0]?.logprobs.text_offset, [5])
})

test('a failure in the middle is an event with an error, and the SDK throws it', async () => {
  const voice = completions.voice(opening, { model: 'm', prompt: 'p' })
  const text = voice.piece(pieceOf({ content: 'Hi' })) + voice.failed(fail('unknown', 'r1'))
  const stream = Stream.fromSSEResponse(eventStream(text), new AbortController())
  await assert.rejects(async () => {
    for await (const _ of stream);
  }, /Something went wrong on our side/)
  assert.ok(!text.includes('[DONE]'))
})

test('however an answer is cut, the SDK reads the same text as in a whole answer', async () => {
  await fc.assert(
    fc.asyncProperty(anyChoice, anyCut, async (choice, cut) => {
      const body = { model: 'm', prompt: 'p' }
      const text = speak(completions.voice(opening, body), piecesOf(choice, cut))
      const stream = Stream.fromSSEResponse<OpenAI.Completion>(eventStream(text), new AbortController())
      let read = ''
      let reason: string | undefined
      for await (const { choices } of stream) {
        read += choices[0]?.text ?? ''
        reason = choices[0]?.finish_reason ?? reason
      }
      const { choices } = completions.answer(finishedWith(choice), body) as TextCompletion
      assert.deepEqual([read, reason], [choices[0]?.text, choices[0]?.finish_reason])
    }),
    { numRuns: 50 },
  )
})

test('whatever passes the schema is translated into a valid request of chat, or refused', () => {
  const isChat = compileSchema(ChatRequest)
  fc.assert(
    fc.property(jsonOfSchema(CompletionRequest), (body) => {
      fc.pre(validate(body) === undefined)
      try {
        assert.equal(isChat(completions.read(body as CompletionRequest)), undefined)
      } catch (error) {
        assert.ok(error instanceof Failure, String(error))
      }
    }),
    { numRuns: 300 },
  )
})
