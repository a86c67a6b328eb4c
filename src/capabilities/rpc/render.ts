import { type Failure, fail } from '#contract/errors.js'
import type { JsonText, NodeError, NodeTrouble } from '#engines/nodes/node.js'
import { type Item, withId } from './body.js'
import type { Outcome } from './outcome.js'

export type AnswerParts = {
  network: string
  isBatch: boolean
  items: readonly Item[]
  /** One for each item that has an id. */
  outcomes: readonly Outcome[]
  answerBytesMax: number
}

/**
 * Puts the answer together, in the order of the calls. Undefined where nobody wants one; the failure is thrown where no
 * call came to anything.
 */
export const renderAnswer = ({
  network,
  isBatch,
  items,
  outcomes,
  answerBytesMax,
}: AnswerParts): JsonText | undefined => {
  const asked = withId(items)
  if (asked.length === 0) return undefined
  const failed = outcomes.filter(isFailed)
  if (failed.length === outcomes.length) throw wholeFailure(network, failed, answerBytesMax)

  let text = isBatch ? '[' : ''
  for (const [place, { id }] of asked.entries()) {
    const outcome = outcomes[place] as Outcome
    if (place > 0) text += ','
    text += `{"jsonrpc":"2.0","id":${id},`
    if ('result' in outcome) text += `"result":${outcome.result}}`
    else if ('error' in outcome) text += `"error":${outcome.error}}`
    else text += `"error":${errorOf(failureOf(network, outcome.failed, answerBytesMax, outcome.hash))}}`
  }
  if (isBatch) text += ']'
  return text
}

type Failed = Extract<Outcome, { failed: NodeError }>

const isFailed = (outcome: Outcome): outcome is Failed => 'failed' in outcome

/** Whoever may have sent a transaction has to hear of that before anything else. */
const wholeFailure = (network: string, failed: readonly Failed[], answerBytesMax: number): Failure => {
  const worst = failed.find((outcome) => outcome.failed.trouble === 'unknown') ?? failed[0]
  if (worst === undefined) throw new Error('there are calls without an outcome')
  return failureOf(network, worst.failed, answerBytesMax, worst.hash)
}

const problems: Record<Exclude<NodeTrouble, 'timeout' | 'tooLarge' | 'noRoom' | 'unknown'>, string> = {
  unreachable: 'none can be reached',
  overloaded: 'all have too much to do',
  broken: 'what came cannot be understood',
}

/** Answers leave as fast as callers read, so there is room again soon. */
export const noRoom = () => fail('rpcNoRoom').retryAfterMs(2_000)

/** What callers are told where the nodes gave no answer. */
export const failureOf = (
  network: string,
  error: NodeError,
  answerBytesMax: number,
  hash = 'the transaction',
): Failure => {
  switch (error.trouble) {
    case 'timeout':
      return fail('rpcTimeout', network).because(error)
    case 'tooLarge':
      return fail('rpcAnswerTooLarge', network, String(answerBytesMax)).because(error)
    case 'noRoom':
      return noRoom().because(error)
    case 'unknown':
      return fail('rpcOutcomeUnknown', network, hash).because(error)
    default:
      return fail('rpcFailed', network, problems[error.trouble]).because(error)
  }
}

const internalError = -32603

/** The same failure as one answer among others. */
const errorOf = ({ message, code }: Failure): JsonText => {
  const error = { code: internalError, message, data: { reason: code } }
  return Buffer.from(JSON.stringify(error), 'utf8').toString('latin1')
}
