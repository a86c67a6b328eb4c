import { type Static, Type } from 'typebox'
import { ChatCost, ChatRequest, ChatUsage } from './chat.js'
import { Nullable } from './common.js'
import { TextOr } from './text-parts.js'

/** POST /completions, the older way to ask for text: a prompt instead of messages. */
const Maybe = Type.Optional
const chat = ChatRequest.properties

export const CompletionRequest = Type.Object(
  {
    model: chat.model,
    // What is in the list is checked in code: a list of token ids would else be told as one mistake per token.
    prompt: TextOr(Type.Unknown({ description: 'A text' }), {
      minItems: 1,
      description: 'One text, or a list that holds one. Token ids are not accepted.',
    }),
    max_tokens: Maybe(Nullable(Type.Integer({ minimum: 1, description: '16 if nothing is said' }))),
    suffix: Maybe(Nullable(Type.String({ description: 'Not supported: anything but an empty text is refused' }))),
    echo: Maybe(Nullable(Type.Boolean({ description: 'Puts the prompt before the answer' }))),
    logprobs: Maybe(
      Nullable(Type.Integer({ minimum: 0, maximum: 5, description: 'How many likely tokens to tell for each one' })),
    ),
    best_of: Maybe(Nullable(Type.Integer({ minimum: 1, description: 'Only accepted when it equals n' }))),
    n: chat.n,
    temperature: chat.temperature,
    top_p: chat.top_p,
    top_k: chat.top_k,
    min_p: chat.min_p,
    frequency_penalty: chat.frequency_penalty,
    presence_penalty: chat.presence_penalty,
    repetition_penalty: chat.repetition_penalty,
    stop: chat.stop,
    stop_token_ids: chat.stop_token_ids,
    seed: chat.seed,
    stream: chat.stream,
    stream_options: chat.stream_options,
    prompt_cache_key: chat.prompt_cache_key,
    user: chat.user,
    service_parameters: chat.service_parameters,
  },
  { $id: 'CompletionRequest' },
)
export type CompletionRequest = Static<typeof CompletionRequest>

const open = { additionalProperties: true }

/** Four lists of the same length, one entry per token. */
export const CompletionLogprobs = Type.Object(
  {
    tokens: Type.Array(Type.String()),
    token_logprobs: Type.Array(Type.Number()),
    top_logprobs: Type.Array(Type.Record(Type.String(), Type.Number())),
    text_offset: Type.Array(Type.Integer({ description: 'Where the token begins in `text`' })),
  },
  open,
)
export type CompletionLogprobs = Static<typeof CompletionLogprobs>

export const TextCompletion = Type.Object(
  {
    id: Type.String({ description: 'cmpl- and the request id' }),
    object: Type.Literal('text_completion'),
    created: Type.Integer(),
    model: Type.String(),
    choices: Type.Array(
      Type.Object(
        {
          text: Type.String(),
          index: Type.Integer({ minimum: 0 }),
          logprobs: Nullable(CompletionLogprobs),
          finish_reason: Type.String({ description: 'stop, length or content_filter' }),
        },
        open,
      ),
    ),
    usage: ChatUsage,
    cost: ChatCost,
  },
  { ...open, $id: 'TextCompletion' },
)
export type TextCompletion = Static<typeof TextCompletion>
