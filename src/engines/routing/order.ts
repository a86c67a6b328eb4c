import { createHash } from 'node:crypto'
import { keyOf, type Target } from './target.js'

/**
 * The order in which targets are asked. Everyone draws a waiting time from an exponential distribution whose rate is its
 * weight, and the shortest goes first: so each is first as often as its weight says, and second as often as its weight
 * says among the rest.
 *
 * With a cache key the draw is a hash of key and target (weighted rendezvous hashing). The same key then has the same
 * order everywhere and always, and a target that is added or removed moves only its own share of the keys.
 */
export const inOrder = <T extends Target<unknown>>(
  targets: readonly T[],
  cacheKey: string | undefined,
  random: () => number,
): T[] => {
  if (targets.length < 2) return [...targets]
  return targets
    .map((target) => {
      const draw = cacheKey === undefined ? 1 - random() : drawFor(cacheKey, target)
      return { target, wait: target.weight > 0 ? -Math.log(draw) / target.weight : Number.POSITIVE_INFINITY }
    })
    .sort((one, other) => (one.wait === other.wait ? 0 : one.wait - other.wait))
    .map(({ target }) => target)
}

/** Uniform between 0 and 1, both excluded. */
const drawFor = (cacheKey: string, target: Target<unknown>): number => {
  const hash = createHash('sha256').update(keyOf(target)).update('\0').update(cacheKey).digest()
  return (hash.readUIntBE(0, 6) + 0.5) / 2 ** 48
}
