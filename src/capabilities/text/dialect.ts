import type { ChatRequest, ChatUsage, ServiceParametersEcho } from '#contract/chat.js'
import type { Failure } from '#contract/errors.js'
import type { AnswerChoice, TextPiece } from '#engines/text.js'

/**
 * A way to ask for text and to be answered. Every dialect is translated into the language of chat and out of it again, so
 * that everything else (models, prices, engines, streams) exists once.
 */
export type Dialect<Body> = {
  /** What was asked, in the language of chat. Throws a `Failure` that names the caller's own field. */
  read(body: Body): ChatRequest
  /** A whole answer, to be sent as JSON. */
  answer(finished: Finished, body: Body): object
  /** How one stream is told. */
  voice(opening: Opening, body: Body): Voice
  /** The body of a refusal before the first byte, for dialects that have their own shape. */
  refusal?(failure: Failure, requestId: string): object
}

export type Opening = {
  /** 32 hex characters; the tail of every id that names this answer. */
  requestId: string
  /** The id of the model that answers. */
  model: string
  /** Unix seconds. */
  created: number
  echo: ServiceParametersEcho
  /** What the prompt comes to, where a dialect must say it before the engine did. */
  estimatePromptTokens(): number
}

export type Finished = Opening & {
  choices: AnswerChoice[]
  usage: ChatUsage
  cost: { usd: number; diem: number }
  system_fingerprint?: string | undefined
}

/** Speaks one stream: each function gives the text of the events to send, '' for none. */
export type Voice = {
  piece(piece: TextPiece): string
  /** After the last piece, when the bill is settled. The text ends the stream. */
  end(ending: Pick<Finished, 'usage' | 'cost'>): string
  /** Instead of `end`: something broke after the first event. The text ends the stream. */
  failed(failure: Failure): string
}
