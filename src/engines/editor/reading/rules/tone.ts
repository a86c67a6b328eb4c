import { blurParts } from '../../operation.js'
import { amountAt, takeAmounts } from '../amounts.js'
import { has, take, takeIf } from '../clause.js'
import { black, takeColour } from '../colours.js'
import { placed, type Rule } from '../rule.js'
import { adjectives, type Make, nouns } from './tone-words.js'

const more =
  /\b(?:increas(?:e|ed|ing)|raise|boost(?:ed)?|more|add|up|higher|enhance|pump|strengthen|intensify|intense|stronger|lift|open|brighten|bring out|bump|crank|turn up|recover shadows|amplify|strong|high|deepen)\b/
const fewer =
  /\b(?:reduc(?:e|ed|ing)|decreas(?:e|ed|ing)|lower(?:ed)?|less|fewer|drop|cut|tone down|down|minus|decrease|weaken|tame|recover|turn down|darken|remove|soften|minimi[sz]e|low|drop|without|no|dial back)\b/

/** How far a blur reaches, in pixels of the picture as it was sent. */
const radius =
  /\b(?:with |of |by )?(?:an? |the )?(?:radius|sigma)(?: of| =)? (\d+(?:\.\d+)?)(?:px)?|\b(\d+(?:\.\d+)?)(?:px)? (?:radius|sigma)\b/

export const readTone: Rule = (clause, { direction, size }) => {
  const stops = takeIf(
    clause,
    /\b(?:by )?([+-])?\s?(\d+(?:\.\d+)?) ?(?:f-?)?(?:stops?|ev)\b/,
    ([, sign, value]) => (sign === '-' ? -1 : 1) * Math.min(5, Number(value)),
  )
  if (stops) {
    const isDown = has(clause, fewer) || take(clause, /\bdarker\b/) !== undefined
    take(clause, /\b(?:exposure|brighter|over|under)\b/)
    return [placed(stops.at, { do: 'exposure', stops: isDown ? -Math.abs(stops.value) : stops.value })]
  }
  const vignetteColour = (has(clause, /\bvignett/) ? takeColour(clause)?.value : undefined) ?? black
  const isLess = has(clause, /\bless\b/)
  const found: { at: number; make: Make; sign: number }[] = []
  for (const [pattern, make] of adjectives) {
    const match = take(clause, pattern)
    // Said twice, it is meant once.
    while (match && take(clause, pattern));
    if (match)
      found.push({ at: match.at, make, sign: isLess || has(clause, /\b(?:remove|without|no|reduce)\b/) ? -1 : 1 })
  }
  const isDown = has(clause, fewer)
  const sign = isDown ? -1 : has(clause, more) ? 1 : (direction ?? 1)
  const hasDirection = isDown || has(clause, more) || direction !== undefined
  for (const [pattern, make, isWeak] of nouns) {
    if (isWeak && (!hasDirection || found.length > 0)) continue
    const match = take(clause, pattern)
    if (match) found.push({ at: match.at, make, sign })
  }
  if (found.length === 0) return []
  const reach = takeIf(clause, radius, ([, first, second]) => Number(first ?? second))
  const amounts = takeAmounts(clause, found.length)
  if (reach)
    amounts.push({ at: reach.at, strength: 1, part: (reach.value / Math.min(size.width, size.height)) * blurParts })
  take(clause, more)
  take(clause, fewer)
  take(clause, /[+-](?=[ ~])/)
  return found.flatMap(({ at, make, sign }) => {
    const others = found.filter((other) => other.at !== at).map((other) => other.at)
    const amount = amountAt(amounts, at, others)
    const operation = make(amount, amount.part !== undefined && amount.part < 0 ? -1 : sign)
    if (operation === undefined) {
      clause.rest = ` ${clause.said} `
      return []
    }
    return [placed(at, operation.do === 'vignette' ? { ...operation, colour: vignetteColour } : operation)]
  })
}

/** Whether a clause asks for more or for less, for the clauses that go on with it. */
export const directionOf = (text: string): 1 | -1 | undefined =>
  /\b(?:reduce|decrease|lower|less|cut|drop)\b/.test(text)
    ? -1
    : /\b(?:increase|raise|boost|more|enhance)\b/.test(text)
      ? 1
      : undefined
