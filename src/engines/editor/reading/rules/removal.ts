import type { Operation } from '../../operation.js'
import { amountAt, strengthOf, takeAmounts } from '../amounts.js'
import { has, take } from '../clause.js'
import { colourWords } from '../colours.js'
import { placed, type Rule } from '../rule.js'
import { takeArea } from './area.js'

const verb =
  /\b(?:remove|removing|removed|erase|erasing|delete|deleting|eliminate|get rid of|take (?:out|away)|clean(?: up)?|wipe(?: out| away)?|paint out|fill(?: in)?|inpaint|heal|retouch|clear(?: out)?|hide|cut out)\b/

const repair = /\b(?:fix|repair|correct|reduce|mend|heal)\b/

/** Flaws: their removal is another operation, and so is their repair. */
const flaws: [RegExp, Operation][] = [
  [
    /\b(?:the |all |any |image |digital |color |film )*(?:noise|grain|graininess|speckles)\b/,
    { do: 'denoise', amount: 1 },
  ],
  [/\b(?:the |all |any |motion |camera )*(?:blur|blurriness|blurring)\b/, { do: 'deblur', amount: 1 }],
  [
    /\b(?:the |all |any |small |white |black |dark |dust |age |surface )*(?:scratch(?:es)?|dust|dirt|spots?|specks?|stains?|creases?|cracks?|blemishes|blemish|hairs|lint|tears|damage)\b(?: marks?| spots?| particles?)?/,
    { do: 'scratches' },
  ],
  [
    new RegExp(`\\b(?:the |any |this |an? )*(?:(?:color|${colourWords}) )?(?:color ?cast|cast|tint|tinge)\\b`),
    { do: 'levels', isPerChannel: true },
  ],
  [/\b(?:the |all |any )*(?:haze|fog|mist)\b/, { do: 'localContrast', amount: 0.6 }],
]
const colours = /\b(?:the |all |all the |any |of )*(?:colors?|saturation)\b/
/** What stands around the place that is emptied. */
const surroundings =
  /\b(?:naturally|seamlessly|plausibly|realistically|surroundings?|surrounding (?:area|pixels|content|background)|matching|in)\b/
const marks =
  /\b(?:the |this |that |in |inside |what is |what's |everything |all |under )*(?:mask(?:ed)?|marked|selected|selection|highlighted|transparent|empty|missing|white|hole|holes|gap|gaps)(?: (?:area|areas|region|regions|part|parts|pixels|object|objects|thing|things|section|mask|spot|out))*\b/

/** Takes something out of the picture and fills the hole from its surroundings. */
export const readRemoval: Rule = (clause, context) => {
  const { rest } = clause
  const found = take(clause, verb)
  const repaired = found ? undefined : take(clause, repair)
  const at = (found ?? repaired)?.at
  if (at === undefined) return []
  // Beside a mask, "this spot" is the one that it marks.
  if (found && context.hasMask && take(clause, /\b(?:this|that|the) (?:spot|stain|mark|blemish|scratch|place)\b/))
    return [placed(at, { do: 'remove' })]
  for (const [pattern, operation] of flaws) {
    const flaw = take(clause, pattern)
    if (!flaw) continue
    const amount = amountAt(takeAmounts(clause), flaw.at, [])
    return [placed(at, operation.do === 'denoise' ? { ...operation, amount: strengthOf(amount, 1, 3) } : operation)]
  }
  if (!found) {
    clause.rest = rest
    return []
  }
  if (take(clause, colours)) return [placed(at, { do: 'grey' })]
  if (take(clause, marks)) {
    take(clause, surroundings)
    return [placed(at, { do: 'remove' })]
  }
  // A thing that is somewhere behind the subject is not every thing of its kind.
  if (has(clause, /\bin (?:the )?(?:back|background|foreground|distance)\b/)) {
    clause.rest = rest
    return []
  }
  const area = takeArea(clause, context)
  if (area && area.in !== 'background' && area.in !== 'edges') {
    take(clause, /\b(?:objects?|items?|things?|unwanted|distracting|standing|sitting|walking|with|content)\b/)
    take(clause, /\bfrom (?:the |this |my )?[a-z]+(?= ?$)/)
    // A face that is to be hidden is not to be made up.
    if (area.in === 'face' && found.groups[0] === 'hide') return [placed(found.at, { do: 'pixelate', amount: 1 }, area)]
    return [placed(found.at, { do: 'remove' }, area)]
  }
  if (context.hasMask && !has(clause, /\bwith (?:an? )?(?!the|background|surround|what|match)\w+/)) {
    // The mask says where, so the words need not.
    clause.rest = clause.rest.replace(/[^~]/g, ' ')
    return [placed(found.at, { do: 'remove' })]
  }
  clause.rest = rest
  return []
}
