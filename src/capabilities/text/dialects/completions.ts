import type { ChatRequest, Logprobs } from '#contract/chat.js'
import type { CompletionLogprobs, CompletionRequest, TextCompletion } from '#contract/completions.js'
import { failField } from '#contract/errors.js'
import type { Dialect, Finished, Opening, Voice } from '../dialect.js'
import { compatError } from '../failures.js'
import { sameFields } from './same-fields.js'

/** POST /completions: the prompt is asked as one message of a user. */
export const completions: Dialect<CompletionRequest> = {
  read(body) {
    if (body.suffix) throw failField('suffix', 'is not supported; put all of the text into prompt')
    const { best_of: bestOf, logprobs } = body
    if (bestOf != null && bestOf !== (body.n ?? 1))
      throw failField('best_of', 'is only supported when it equals n: every answer that is written is returned')
    if (body.echo && logprobs != null)
      throw failField('echo', 'cannot be combined with logprobs: the prompt has no probabilities here')
    return {
      ...sameFields(body, shared),
      messages: [{ role: 'user', content: promptOf(body) }],
      max_tokens: body.max_tokens ?? maxTokensStandard,
      ...(logprobs != null && { logprobs: true, top_logprobs: logprobs }),
    } satisfies ChatRequest
  },
  answer: (finished, body) => textCompletion(finished, body),
  voice: (opening, body) => createVoice(opening, body),
}

/** What this endpoint has always meant when nothing is said. */
const maxTokensStandard = 16

const shared = [
  'model',
  'n',
  'temperature',
  'top_p',
  'top_k',
  'min_p',
  'frequency_penalty',
  'presence_penalty',
  'repetition_penalty',
  'stop',
  'stop_token_ids',
  'seed',
  'stream',
  'stream_options',
  'prompt_cache_key',
  'user',
  'service_parameters',
] as const

const promptOf = ({ prompt }: CompletionRequest): string => {
  const [first, ...others] = [prompt].flat()
  if (typeof first !== 'string' || others.some((other) => typeof other !== 'string'))
    throw failField('prompt', 'must be text; token ids are not accepted, send the text itself')
  if (others.length > 0) throw failField('prompt', 'must be one text; send one request for each prompt')
  return first
}

const headOf = ({ requestId, created, model }: Opening) => ({
  id: `cmpl-${requestId}`,
  object: 'text_completion' as const,
  created,
  model,
})

export const textCompletion = (finished: Finished, body: CompletionRequest): TextCompletion => ({
  ...headOf(finished),
  choices: finished.choices.map(({ index, finish_reason, logprobs, message }) => ({
    text: (body.echo ? promptOf(body) : '') + (message.content ?? ''),
    index,
    logprobs: logprobs ? legacyLogprobs(logprobs, 0) : null,
    finish_reason,
  })),
  usage: finished.usage,
  cost: finished.cost,
})

/** The older layout: lists side by side instead of a list of tokens. */
const legacyLogprobs = ({ content }: Logprobs, startsAt: number): CompletionLogprobs => {
  const tokens = content ?? []
  let offset = startsAt
  return {
    tokens: tokens.map(({ token }) => token),
    token_logprobs: tokens.map(({ logprob }) => logprob),
    top_logprobs: tokens.map(({ top_logprobs = [] }) =>
      Object.fromEntries(top_logprobs.map(({ token, logprob }) => [token, logprob])),
    ),
    text_offset: tokens.map(({ token }) => {
      const here = offset
      offset += token.length
      return here
    }),
  }
}

const createVoice = (opening: Opening, body: CompletionRequest): Voice => {
  const head = headOf(opening)
  const prompt = body.echo ? promptOf(body) : ''
  /** How much of each choice has been told. */
  const told = new Map<number, number>()
  return {
    piece({ chunk }) {
      const choices = chunk.choices.map(({ index, delta, finish_reason, logprobs }) => {
        const before = told.get(index)
        const text = (before === undefined ? prompt : '') + (delta.content ?? '')
        told.set(index, (before ?? 0) + text.length)
        return { text, index, logprobs: logprobs ? legacyLogprobs(logprobs, before ?? 0) : null, finish_reason }
      })
      const telling = choices.filter(({ text, logprobs, finish_reason }) => text || logprobs || finish_reason)
      return telling.length > 0 ? event({ ...head, choices: telling }) : ''
    },
    end({ usage, cost }) {
      const last = body.stream_options?.include_usage ? event({ ...head, choices: [], usage, cost }) : ''
      return `${last}data: [DONE]\n\n`
    },
    failed: (failure) => event({ error: compatError(failure) }),
  }
}

const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`
