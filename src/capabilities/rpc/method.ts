import type { CallKind, Family } from '#engines/nodes/node.js'

export type { Family }

/** How many times the base credits of a network a call costs. */
export const tierFactors = { standard: 1, advanced: 2, large: 4 } as const
export type Tier = keyof typeof tierFactors

/**
 * How long an answer stays true.
 * - `never`: it is not kept.
 * - `constant`: it never changes.
 * - `content`: what is named by its own hash; null is not kept.
 * - `mined`: it says itself which block it is in, or how final: true for ever once that is final; null is not kept.
 * - `block`: true of the block that a parameter names: for ever if that is final, else as long as a block.
 * - `logs`: the same for the range of blocks in a filter.
 * - `head`: true of the newest block: as long as a block.
 */
export type Keeping = 'never' | 'constant' | 'content' | 'mined' | 'block' | 'logs' | 'head'

/** One line of the table of methods: who has it, what it costs, and what may be done with it. */
export type Method = {
  name: string
  tier: Tier
  keeping: Keeping
  /** Which parameter names the block, where `keeping` is `block` or `logs`, or `mined` and there is one. */
  blockPlace?: number
  kind: CallKind
  isNullDoubtful: boolean
}

type Rest = Partial<Pick<Method, 'tier' | 'isNullDoubtful'>>

const method = (name: string, kind: CallKind, keeping: Keeping, rest: Rest & { blockPlace?: number }): Method => ({
  name,
  tier: 'standard',
  keeping,
  kind,
  isNullDoubtful: false,
  ...rest,
})

/** Changes nothing. */
export const read = (name: string, keeping: Exclude<Keeping, 'block' | 'logs'>, rest: Rest = {}): Method =>
  method(name, 'read', keeping, rest)

/** Changes nothing, and tells about the block that the parameter at this place names. */
export const readAt = (name: string, blockPlace: number, rest: Rest = {}): Method =>
  method(name, 'read', 'block', { ...rest, blockPlace })

/** Changes nothing, and tells about the blocks of the filter at this place. */
export const readRange = (name: string, blockPlace: number, rest: Rest = {}): Method =>
  method(name, 'read', 'logs', { ...rest, blockPlace })

export const send = (name: string): Method => method(name, 'send', 'never', {})

export const once = (name: string, rest: Rest = {}): Method => method(name, 'once', 'never', rest)
