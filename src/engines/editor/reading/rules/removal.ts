import type { Operation } from '../../operation.js'
import { has, take } from '../clause.js'
import { colourWords } from '../colours.js'
import { patternOf } from '../pattern-of.js'
import { placed, type Rule } from '../rule.js'
import { takeArea } from './area.js'

const verb =
  /\b(?:remove|removing|removed|erase|erasing|delete|deleting|eliminate|get rid of|take (?:out|away)|clean(?: up)?|wipe(?: out| away)?|paint out|fill(?: in)?|inpaint|heal|retouch|clear(?: out)?|hide|cut out)\b/

/** Things whose removal is another operation. */
const others: [RegExp, Operation][] = [
  [
    /\b(?:the |all |any |image |digital |color |film )*(?:noise|grain|graininess|speckles)\b/,
    { do: 'denoise', amount: 1 },
  ],
  [/\b(?:the |all |any |motion |camera )*(?:blur|blurriness|blurring)\b/, { do: 'deblur', amount: 1 }],
  [
    /\b(?:the |all |any |small |white |black |dark )*(?:scratch(?:es)?|dust|dirt|spots?|specks?|stains?|creases?|cracks?|blemishes|blemish|hairs|lint|tears)\b(?: marks?)?/,
    { do: 'scratches' },
  ],
  [
    patternOf(`\\b(?:the |any |this |an? )*(?:(?:color|${colourWords}) )?(?:color ?cast|cast|tint|tinge)\\b`),
    { do: 'levels', isPerChannel: true },
  ],
  [/\b(?:the |all |any )*(?:haze|fog|mist)\b/, { do: 'localContrast', amount: 0.6 }],
  [/\b(?:the |all |all the |any )*(?:colors?|saturation)\b/, { do: 'grey' }],
]

/** Takes something out of the picture and fills the hole from its surroundings. */
export const readRemoval: Rule = (clause, context) => {
  const { rest } = clause
  const found = take(clause, verb)
  if (!found) return []
  for (const [pattern, operation] of others) {
    const other = take(clause, pattern)
    if (other) return [placed(found.at, operation)]
  }
  const marked = take(
    clause,
    /\b(?:the |this |that |in |inside |what is |what's |everything |all |under )*(?:mask(?:ed)?|marked|selected|selection|highlighted|transparent|empty|missing|white|hole|holes|gap|gaps)(?: (?:area|areas|region|part|parts|pixels|object|objects|thing|things|section|mask|spot|out))*\b/,
  )
  if (marked) {
    take(clause, /\b(?:naturally|seamlessly|plausibly|realistically|surroundings?|matching|in)\b/)
    return [placed(found.at, { do: 'remove' })]
  }
  const area = takeArea(clause, context)
  if (area && area.in !== 'background' && area.in !== 'edges') {
    take(clause, /\b(?:objects?|items?|things?|unwanted|distracting|standing|sitting|walking|with|content)\b/)
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
