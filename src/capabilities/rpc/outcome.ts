import { batchAnswersMax, type JsonText, NodeError } from '#engines/nodes/node.js'

/** Where an answer came from: it was kept, another caller was already waiting for the same, or a node was asked. */
export type Source = 'cache' | 'merged' | 'node'

/** What became of one call. */
export type Outcome =
  | { result: JsonText; source: Source }
  | { error: JsonText; source: Source }
  /** `hash` is of the transaction that was to be sent, as far as it is known. */
  | { failed: NodeError; hash?: string | undefined }

/** What is no longer than this always fits: to say that it does not would be as long. */
const shortMax = 1_024

/**
 * A request may name one large answer a hundred times, and it is in memory once until all of them are written out. What
 * does not fit into the answer to a batch has failed.
 */
export const withinBounds = (outcomes: Outcome[], answerBytesMax: number): Outcome[] => {
  let left = answerBytesMax * batchAnswersMax
  for (const [place, outcome] of outcomes.entries()) {
    if ('failed' in outcome) continue
    const { length } = 'result' in outcome ? outcome.result : outcome.error
    if (length <= left || length <= shortMax) left -= length
    else outcomes[place] = { failed: new NodeError('tooLarge', 'the answers to a batch are too large together') }
  }
  return outcomes
}
