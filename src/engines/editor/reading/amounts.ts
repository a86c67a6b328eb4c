import { type Clause, take } from './clause.js'

/** How much: a number that was named, as a part (30% is 0.3), else a multiple of what is usual. */
export type Amount = { part?: number; times?: number; isExact?: boolean; strength: number }
export type FoundAmount = Amount & { at: number }

const degrees: [RegExp, number][] = [
  [/\b(?:(?:ever )?so slightly|barely|a tiny bit|a touch|a notch|a hint(?: of)?|subtly|faintly|minimally)\b/, 0.35],
  [
    /\b(?:slightly|a (?:little )?bit|a little|little|slight|subtle|somewhat|gently|gentle|lightly|mild|mildly|softly|light touch|just a bit|a tad|bit|faint)\b/,
    0.5,
  ],
  [
    /\b(?:extremely|super|ultra|massively|drastically|dramatically|dramatic|insanely|extreme|maximum|max|completely|totally|way|as much as possible)\b/,
    2.6,
  ],
  [
    /\b(?:very much|a lot|much|very|strongly|strong|heavily|heavy|really|significantly|considerably|intense|intensely|quite a lot|lots of|lots|far|greatly|highly|substantially|deeply)\b/,
    1.7,
  ],
  [/\b(?:quite|fairly|rather|moderately|moderate|medium|some|noticeably)\b/, 1],
]

const number = '(\\d+(?:\\.\\d+)?)'
const percents = new RegExp(`(?:\\b(by|to|at|about|around|of|with)\\s+)*(?:about |around )?([+-])?\\s?${number}\\s?%`)
const factors = new RegExp(`(?:\\bby )?(?:a factor of )?\\b${number}\\s?(?:x|times|fold)(?: as| more)?\\b`)
const plainNumbers = new RegExp(`(?:\\b(by|to|of|at|=|:)\\s*)?([+-])?\\b${number}(?![\\d.%°x]|px)`)

/** Takes every amount out of the clause; numbers without a unit only for as many wishes as there are. */
export const takeAmounts = (clause: Clause, wishes = 1): FoundAmount[] => {
  const amounts: FoundAmount[] = []
  for (let count = 0; count < 8; count++) {
    const percent = take(clause, percents)
    if (!percent) break
    const [, word, sign, value] = percent.groups
    const part = (Number(value) / 100) * (sign === '-' ? -1 : 1)
    const isSetting =
      word !== 'by' && !sign && (part === 0 || part >= 1) && !/\b(?:increase|more|boost|raise|add)\b/.test(clause.said)
    amounts.push({
      at: percent.at,
      strength: 1,
      part,
      ...((word === 'to' || word === 'at' || isSetting) && { isExact: true }),
    })
  }
  const times = take(clause, factors)
  if (times) amounts.push({ at: times.at, strength: 1, times: Number(times.groups[1]) })
  const twice = take(clause, /\b(?:twice(?: as)?|double|doubled|two times)\b/)
  if (twice) amounts.push({ at: twice.at, strength: 1, times: 2 })
  const half = take(clause, /\b(?:by half|by a half|half as|halve|to half|halved|half)\b/)
  if (half) amounts.push({ at: half.at, strength: 1, times: 0.5 })
  for (let count = 0; count < wishes; count++) {
    const plain = take(clause, plainNumbers)
    if (!plain) break
    const [, word, sign, digits = ''] = plain.groups
    const value = Number(digits) * (sign === '-' ? -1 : 1)
    // Sliders go to 100; factors are written with a point: brightness 1.2; "by 0.3" is a part.
    const isFactor = digits.includes('.') && !(word === 'by' && Math.abs(value) < 1)
    const amount = isFactor ? { times: value } : { part: digits.includes('.') ? value : value / 100 }
    amounts.push({ at: plain.at, strength: 1, ...amount, ...(word === 'to' && { isExact: true }) })
  }
  for (const [pattern, strength] of degrees)
    for (let count = 0; count < 4; count++) {
      const word = take(clause, pattern)
      if (!word) break
      amounts.push({ at: word.at, strength })
    }
  return amounts
}

const usual: Amount = { strength: 1 }

const isNumber = ({ part, times }: Amount) => part !== undefined || times !== undefined
const byPlace = (first: number, second: number) => first - second

/** Gives each place in a clause its amount: as many numbers as places in their order, else what was named beside it. */
export const amountAt = (amounts: FoundAmount[], at: number, others: number[]): Amount => {
  const numbers = amounts.filter(isNumber).sort((first, second) => first.at - second.at)
  if (others.length > 0 && numbers.length === others.length + 1)
    return numbers[[at, ...others].sort(byPlace).indexOf(at)] ?? usual
  const mine = amounts.filter((amount) =>
    others.every((other) => Math.abs(other - amount.at) >= Math.abs(at - amount.at)),
  )
  return mine.find(isNumber) ?? mine[0] ?? usual
}

/** How much more or less, as a part: `usually` when no number was named. */
export const partOf = ({ part, times, isExact, strength }: Amount, usually: number): number => {
  if (part !== undefined) return isExact ? part - 1 : Math.abs(part)
  if (times !== undefined) return times - 1
  return usually * strength
}

/** How strong an effect is, from 0 to 1. */
export const strengthOf = ({ part, times, strength }: Amount, usually: number, most = 1): number =>
  Math.min(most, part !== undefined ? Math.abs(part) : usually * (times ?? strength))
