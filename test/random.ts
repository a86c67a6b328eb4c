export type Random = {
  /** A whole number from 0 up to, but not including, `below`. */
  below(below: number): number
  pick<Item>(items: readonly Item[]): Item
  chance(probability: number): boolean
}

/** The same seed gives the same numbers (mulberry32), so that what went wrong once can be tried again. */
export const createRandom = (seed: number): Random => {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    pick: <Item>(items: readonly Item[]) => items[below(items.length)] as Item,
    chance: (probability) => next() < probability,
  }
}
