/** Grammar of numbers within bounds. Digits are all that a grammar sees, so a range becomes a choice of digit patterns. */

/** Whole numbers with more digits are not written when a schema leaves a side open. */
const openEnd = 10 ** 15 - 1

/** Whole numbers from `low` to `high`, neither negative, as alternatives. */
const patterns = (low: number, high: number): string[] => {
  const all: string[] = []
  for (let from = low; from <= high; ) {
    // The largest block from..to in which the last digits run through everything.
    let zeros = 0
    while (from % 10 ** (zeros + 1) === 0 && from !== 0 && from + 10 ** (zeros + 1) - 1 <= high) zeros++
    const unit = 10 ** zeros
    const lead = Math.floor(from / unit)
    const lastDigit = lead % 10
    const steps = Math.min(9 - lastDigit, Math.floor((high - from + 1) / unit) - 1)
    const head = Math.floor(lead / 10)
    all.push(
      [
        head > 0 ? `"${head}"` : '',
        steps === 0 ? `"${lastDigit}"` : `[${lastDigit}-${lastDigit + steps}]`,
        zeros > 0 ? `[0-9]{${zeros}}` : '',
      ]
        .filter((part) => part !== '')
        .join(' '),
    )
    from += unit * (steps + 1)
  }
  return all
}

const fraction = '("." [0-9]{1,12})?'

/**
 * Numbers between two bounds, both included. A fraction is only written where it cannot leave the range.
 * Undefined when no number can be written.
 */
export const numberBetween = (
  low: number | undefined,
  high: number | undefined,
  isWhole: boolean,
): string | undefined => {
  const from = Math.max(Math.ceil(low ?? -openEnd), -openEnd)
  const to = Math.min(Math.floor(high ?? openEnd), openEnd)
  const alternatives: string[] = []
  const add = (sign: string, least: number, most: number) => {
    if (isWhole) for (const pattern of patterns(least, most)) alternatives.push(sign + pattern)
    else {
      for (const pattern of patterns(least, most - 1)) alternatives.push(`${sign}${pattern} ${fraction}`)
      if (least <= most) alternatives.push(`${sign}"${most}"`)
    }
  }
  if (to >= 0) add('', Math.max(from, 0), to)
  if (from < 0) add('"-" ', Math.max(1, -to), -from)
  return alternatives.length === 0 ? undefined : alternatives.join(' | ')
}
