import type { ChainNodes } from '#engines/nodes/chain-nodes.js'
import type { NodeAnswer } from '#engines/nodes/node.js'
import type { Shown } from './height-shown.js'

/**
 * Counts what is known to have changed on a chain. What was asked for in an earlier generation may be older than what a
 * caller has already seen, so it is not given to anybody any more: who saw a receipt never reads a balance from before it.
 */
export type Freshness = {
  generation(): number
  /** An answer showed how far the chain is. */
  learn(shown: Shown, answer: NodeAnswer): void
  /** Something was sent. */
  changed(): void
}

export const createFreshness = (nodes: ChainNodes): Freshness => {
  let generation = 0
  let latest = nodes.heads().latest
  /** The greatest height that answers showed, for each commitment. */
  const shown = new Map<Shown['commitment'], number>()

  const look = () => {
    const now = nodes.heads().latest
    if (now === latest) return
    // What was shown is not there any more.
    if (now === undefined || now < (latest ?? 0)) shown.clear()
    latest = now
    generation++
  }

  return {
    generation() {
      look()
      return generation
    },

    learn({ height, commitment }, answer) {
      look()
      const highest = shown.get(commitment) ?? -1
      // What is only processed may vanish again, and no node has to have it.
      if (height >= highest && commitment !== 'processed') nodes.saw(height, answer)
      if (height <= highest) return
      shown.set(commitment, height)
      // Where the nodes knew it already, that has counted.
      if (commitment === undefined && latest !== undefined && height <= latest) return
      generation++
      latest = nodes.heads().latest
    },

    changed() {
      generation++
    },
  }
}
