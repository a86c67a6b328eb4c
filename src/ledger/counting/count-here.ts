import type { Count, Counted } from '#limits/count.js'
import type { Counters } from '#limits/counters.js'
import { messageOf } from '#plumbing/message-of.js'
import type { Counting, Steps } from './counting.js'

type Needs = {
  steps: Steps
  counters: Counters
  /** Told when something could not be counted; whoever asked was let in. */
  onTrouble: (trouble: string) => void
}

/** Counts in this process: exact as long as no other one shares the limits. */
export const countHere = ({ steps, counters, onTrouble }: Needs): Counting => {
  /** Limits must never be the reason why nothing works. */
  const attempt = <Result>(work: () => Result): Result | undefined => {
    try {
      return work()
    } catch (error) {
      onTrouble(messageOf(error))
      return undefined
    }
  }

  const giveBack = (count: Count, isReplay: boolean) =>
    isReplay ? counters.putBack(count) : counters.correct(count.windows, -count.tokens)

  return {
    async hold(order) {
      const { count } = order
      const counted: Counted | undefined = count && attempt(() => counters.take(count))
      if (count === undefined || counted === undefined) return steps.hold(order)
      const { readings, refusal } = counted
      if (refusal) return { outcome: 'limited', refusal, readings }
      try {
        const result = await steps.hold(order)
        result.readings = readings
        if (result.outcome === 'held') return result
        attempt(() => giveBack(count, result.outcome === 'replay'))
        result.readings = counters.look(count.windows)
        return result
      } catch (error) {
        attempt(() => giveBack(count, false))
        throw error
      }
    },
    async settle(settlement) {
      const { correction } = settlement
      const result = await steps.settle(settlement)
      // Also when an earlier try did it, whose answer was lost.
      if (correction && result !== 'gone') attempt(() => counters.correct(correction.windows, correction.tokens))
      return result
    },
    look: async (windows) => counters.look(windows),
    recall: counters.look,
    // Windows that are over are dropped when the next one begins.
    forget: async () => {},
  }
}
