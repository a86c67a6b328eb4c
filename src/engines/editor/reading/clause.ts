/** A part of a prompt that asks for something; readers take out of it what they understand. */
export type Clause = {
  /** As the caller wrote it, about. */
  readonly said: string
  /** What nobody has understood yet. What was taken is `~`, so that places stay what they are. */
  rest: string
}

export type Found = { at: number; groups: (string | undefined)[] }

export const createClause = (said: string): Clause => ({ said, rest: ` ${said} ` })

export const has = ({ rest }: Clause, pattern: RegExp): boolean => pattern.test(rest)

/** Takes the first match out of the clause; groups count as in the pattern, from 1. */
export const take = (clause: Clause, pattern: RegExp): Found | undefined => {
  const match = pattern.exec(clause.rest)
  if (!match) return undefined
  const { index } = match
  const [whole] = match
  clause.rest = clause.rest.slice(0, index) + '~'.repeat(whole.length) + clause.rest.slice(index + whole.length)
  return { at: index, groups: [...match] }
}

/** Takes the match if `read` makes something of it. */
export const takeIf = <Value>(
  clause: Clause,
  pattern: RegExp,
  read: (groups: (string | undefined)[]) => Value | undefined,
): { at: number; value: Value } | undefined => {
  const { rest } = clause
  const found = take(clause, pattern)
  if (!found) return undefined
  const value = read(found.groups)
  if (value !== undefined) return { at: found.at, value }
  clause.rest = rest
  return undefined
}
