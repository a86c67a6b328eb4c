/**
 * What happened inside an engine, in words that every engine shares. Which status a caller sees is decided elsewhere.
 * - `unavailable`: it cannot be reached, answered 5xx, or refuses us (a wrong key of ours, a model it does not have).
 * - `timeout`: it was silent for too long.
 * - `overloaded`: it says that it has too much to do.
 * - `broken`: what came is not an answer, or it ended in the middle.
 * - `refused`: it will not do this request, and another try will not help; `said` is its reason, for the caller.
 * - `tooLong`: prompt and completion do not fit the context of the model.
 * - `unsupported`: it does not have the feature that was asked for; `said` names it.
 * - `unreadable`: a picture that came with the request is broken; `said` says which one and how: `image is cut off`.
 */
export type EngineTrouble =
  | 'unavailable'
  | 'timeout'
  | 'overloaded'
  | 'broken'
  | 'refused'
  | 'tooLong'
  | 'unsupported'
  | 'unreadable'

const final: ReadonlySet<EngineTrouble> = new Set(['refused', 'tooLong', 'unsupported', 'unreadable'])

export class EngineError extends Error {
  readonly trouble: EngineTrouble
  /** What the caller may be told beside our own sentence. Never credentials, addresses or traces of an upstream. */
  readonly said: string | undefined
  /** When the engine says how long to wait. */
  readonly retryAfterMs: number | undefined

  constructor(
    trouble: EngineTrouble,
    /** For the log. Never prompts or credentials. */
    message: string,
    { said, retryAfterMs, cause }: { said?: string; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? {} : { cause })
    this.name = 'EngineError'
    this.trouble = trouble
    this.said = said
    this.retryAfterMs = retryAfterMs
  }

  /** Whether the same request may work elsewhere or later. */
  get mayRetry(): boolean {
    return !final.has(this.trouble)
  }
}
