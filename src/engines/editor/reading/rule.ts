import type { Area, Operation, Step } from '../operation.js'
import type { Clause } from './clause.js'
import type { Size } from './places.js'

/** What a reader knows beside the clause. */
export type Context = {
  /** How many images came. */
  images: number
  hasMask: boolean
  /** Of the base image, as it was sent. */
  size: Size
  quotes: string[]
  /** Whether the clause before, which this one goes on, asked for more or for less. */
  direction: 1 | -1 | undefined
  isMeme: boolean
}

/** Steps with where in the clause they were asked for, which is their order. */
export type Placed = Step & { at: number }

/** Takes what it understands out of the clause. */
export type Rule = (clause: Clause, context: Context) => Placed[]

export const placed = (at: number, operation: Operation, area?: Area): Placed => ({
  at,
  operation,
  ...(area && { area }),
})
