/**
 * JSON passes through us as it came: numbers may exceed 2^53, and the order of keys may matter to somebody. So parts of it
 * are cut out and put together as text, one character for each byte (latin1), which gives the same bytes again.
 */
export type JsonText = string

/** Chains that are spoken to in the same way. */
export type Family = 'evm' | 'solana' | 'starknet'

/** What may be done with a call beside sending it once. */
export type CallKind =
  /** Changes nothing, so it may be sent again, and to several nodes at once. */
  | 'read'
  /** A transaction that is signed: the same one twice is one, but only who looks first sends it again. */
  | 'send'
  /** Nobody knows what it does: sent once. */
  | 'once'

export type NodeCall = {
  method: string
  /** Undefined where the caller sent none. */
  params: JsonText | undefined
  kind: CallKind
  /** Null may only mean that this node does not know it yet: one that is further is asked. */
  isNullDoubtful: boolean
}

/** What a node said: the text of `result`, or of `error`. */
export type NodeAnswer = { result: JsonText } | { error: JsonText }

/**
 * Why there is no answer, after everything was tried.
 * - `unreachable`: no connection, 5xx, or a node that we are not let into.
 * - `overloaded`: too many calls.
 * - `timeout`: it was silent for too long.
 * - `tooLarge`: the answer exceeds what we take.
 * - `noRoom`: we hold as much of large answers as we want to.
 * - `broken`: what came is not an answer to this call.
 * - `unknown`: only of a transaction: it may have been taken, or not.
 */
export type NodeTrouble = 'unreachable' | 'overloaded' | 'timeout' | 'tooLarge' | 'noRoom' | 'broken' | 'unknown'

/** The answers to calls that are asked together may be as large as so many single ones. */
export const batchAnswersMax = 4

export class NodeError extends Error {
  constructor(
    readonly trouble: NodeTrouble,
    /** For the log. Never addresses, which often hold a secret, nor what was sent. */
    message: string,
    options: { cause?: unknown } = {},
  ) {
    super(message, options)
    this.name = 'NodeError'
  }
}
