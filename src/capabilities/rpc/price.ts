import { type CheckedItem, withId } from './body.js'
import { creditsOf } from './methods.js'
import type { Outcome } from './outcome.js'

/** What a call costs that a node answered with an error, if it is not cheaper anyway. */
const errorCredits = 5

/** What a request may cost at most, where the simplest call costs `base`. */
export const worstCredits = (items: readonly CheckedItem[], base: number): number => {
  let credits = 0
  for (const { id, methodOf } of items) if (id !== undefined) credits += creditsOf(methodOf, base)
  return credits
}

/** What it costs, with one outcome for each call that has an id. What no node answered costs nothing. */
export const actualCredits = (items: readonly CheckedItem[], outcomes: readonly Outcome[], base: number): number => {
  let credits = 0
  for (const [place, { methodOf }] of withId(items).entries()) {
    const outcome = outcomes[place]
    if (outcome === undefined || 'failed' in outcome) continue
    const price = creditsOf(methodOf, base)
    credits += 'result' in outcome ? price : Math.min(errorCredits, price)
  }
  return credits
}
