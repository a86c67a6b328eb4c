import type { AnswerChoice, ChoiceDelta, TextPiece, TokenUsage } from '#engines/text.js'
import type { CountedBy } from '#ledger/posting/settle.js'
import { estimateTokens } from './prompt-size.js'

/** Pieces no longer than this are single tokens, as nearly every backend sends them. */
const tokenBytesMost = 10

/** Counts what is written, for the case that the engine does not say it, or cannot because the caller has left. */
export const createTally = (promptTokensAbout: number) => {
  let reported: TokenUsage | undefined
  let isComplete = false
  let pieces = 0
  let bytes = 0
  let reasoningPieces = 0

  const written = (delta: ChoiceDelta) => {
    const reasoning = delta.reasoning_content
    const text = delta.content || reasoning
    if (text) {
      pieces++
      bytes += Buffer.byteLength(text)
      if (!delta.content) reasoningPieces++
    }
    for (const call of delta.tool_calls ?? []) {
      pieces++
      bytes += Buffer.byteLength(call.function?.name ?? '') + Buffer.byteLength(call.function?.arguments ?? '')
    }
  }

  /** What was written so far, reckoned. */
  const estimate = (): Pick<TokenUsage, 'completion' | 'reasoning'> => {
    const completion = pieces === 0 ? 0 : bytes / pieces <= tokenBytesMost ? pieces : estimateTokens(bytes)
    return { completion, reasoning: pieces === 0 ? 0 : Math.round((completion * reasoningPieces) / pieces) }
  }

  return {
    add({ chunk, usage }: TextPiece) {
      for (const { delta } of chunk.choices) if (delta) written(delta)
      if (usage) {
        reported = usage
        // Usage that comes with the first piece speaks of the prompt alone.
        isComplete = usage.completion > 0 || pieces === 0
      } else if (chunk.choices.length > 0) isComplete = false
    },
    /** The answer is over, or the caller has left: what is it that was used? */
    result(isOver: boolean): { usage: TokenUsage; countedBy: CountedBy } {
      if (reported && (isComplete || (isOver && reported.completion > 0)))
        return { usage: reported, countedBy: isOver ? 'upstream' : 'running stats' }
      const prompt = reported ?? { fresh: promptTokensAbout, cacheRead: 0, cacheWrite: 0 }
      const { fresh, cacheRead, cacheWrite } = prompt
      return { usage: { fresh, cacheRead, cacheWrite, ...estimate() }, countedBy: 'estimate' }
    },
  }
}

/** The same for a whole answer whose engine did not say what it used. */
export const tallyAnswer = (choices: AnswerChoice[], promptTokensAbout: number): TokenUsage => {
  let bytes = 0
  let reasoning = 0
  for (const { message } of choices) {
    bytes += Buffer.byteLength(message.content ?? '')
    reasoning += Buffer.byteLength(message.reasoning_content ?? '')
    if (message.tool_calls?.length) bytes += Buffer.byteLength(JSON.stringify(message.tool_calls))
  }
  const completion = estimateTokens(bytes + reasoning)
  return {
    fresh: promptTokensAbout,
    cacheRead: 0,
    cacheWrite: 0,
    completion,
    reasoning: Math.min(completion, estimateTokens(reasoning)),
  }
}
