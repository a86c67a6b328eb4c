import type { Fill } from '../../operation.js'
import { amountAt, strengthOf, takeAmounts } from '../amounts.js'
import { type Clause, has, take, takeIf } from '../clause.js'
import { colourOf, colourWords } from '../colours.js'
import { patternOf } from '../pattern-of.js'
import { type Placed, placed, type Rule } from '../rule.js'

const noun = '(?:background|backdrop|bg)'
const mention = new RegExp(`\\b${noun}\\b`)
const subject =
  /\b(?:from |of |behind |around |for )?(?:the |my |this |these |its |his |her )*(?:main )?(?:subject|person|people|man|woman|product|object|foreground|portrait|photo|image|picture|it)\b/

const takeGradient = (clause: Clause): Fill | undefined => {
  if (!has(clause, /\bgradient\b/)) return undefined
  take(clause, /\bgradient\b/)
  const isSideways = take(clause, /\b(?:horizontal(?:ly)?|left to right|from left to right|sideways)\b/) !== undefined
  take(clause, /\b(?:vertical(?:ly)?|(?:from )?top to bottom|linear)\b/)
  const colours = takeIf(
    clause,
    patternOf(
      `(?:from |of |between )?(?:an? )?(${colourWords})(?: (?:color))?\\s*(?:to|into|-|and|~)\\s*(${colourWords})`,
    ),
    ([, from, to]) => {
      const first = colourOf(from ?? '')
      const second = colourOf(to ?? '')
      return first && second ? ([first, second] as const) : undefined
    },
  )
  if (colours) return { gradient: [...colours.value], isSideways }
  const single = takeIf(clause, patternOf(`(${colourWords})`), ([, colour]) => colourOf(colour ?? ''))
  const colour = single?.value ?? ([70, 110, 170] as const)
  return {
    gradient: [colour, [colour[0] / 3, colour[1] / 3, colour[2] / 3].map(Math.round) as unknown as typeof colour],
    isSideways,
  }
}

const imageWords =
  /\b(?:with |by |to |from |using )?(?:the |my )?(?:(?:second|2nd|other|next|another|last|new) (?:image|picture|photo|one)|(?:image|picture|photo) (?:number )?(?:2|two|b))\b/

/** What is behind the subject: taken away, blurred, replaced or without colours. */
export const readBackground: Rule = (clause, { images }) => {
  const cut = take(
    clause,
    /\b(?:cut ?out|isolate|extract)\b(?: (?:the |my )?(?:main )?(?:subject|person|people|man|woman|product|object|foreground))/,
  )
  if (cut) return [placed(cut.at, { do: 'background', how: { fill: 'transparent' } })]
  const bokeh = take(
    clause,
    /\b(?:bokeh|portrait mode|shallow depth of field|depth of field)\b(?: (?:effect|look|blur))?/,
  )
  if (bokeh) return [placed(bokeh.at, { do: 'background', how: { blur: 1 } })]
  const at = mention.exec(clause.rest)?.index
  if (at === undefined) return []
  const step = (how: { fill: Fill } | { blur: number } | { grey: true }): Placed[] => {
    take(clause, patternOf(`\\b(?:the |its |an? |this |my |on |onto |to |with |in |of |from |behind |out )*${noun}\\b`))
    take(clause, subject)
    take(clause, /\b(?:instead|completely|entirely|solid|plain|pure|flat|seamless|studio|simple|with|gone)\b/)
    take(clause, /\b(?:solid|plain|pure|flat|seamless|color)\b/)
    return [placed(at, { do: 'background', how })]
  }
  if (
    take(
      clause,
      /\b(?:remove|removed|removing|removal|delete|erase|drop|strip|eliminate|get rid of|take (?:away|out)|cut (?:away|out)|without|no)\b/,
    )
  )
    return step({ fill: 'transparent' })
  if (take(clause, /\b(?:transparent|see-through|transparency)\b/)) {
    take(clause, /\breplace\b/)
    return step({ fill: 'transparent' })
  }
  if (take(clause, /\b(?:blur(?:red|ry|s|ring)?|defocus(?:ed)?|out of focus|soft(?:en)?|unsharp)\b/)) {
    const amounts = takeAmounts(clause)
    return step({ blur: strengthOf(amountAt(amounts, at, []), 1, 3) })
  }
  if (take(clause, /\b(?:blackwhite|greyscale|desaturat(?:e|ed)|monochrome|colorless)\b/)) return step({ grey: true })
  const gradient = takeGradient(clause)
  if (gradient) {
    take(clause, /\b(?:replace|swap|fill)\b/)
    return step({ fill: gradient })
  }
  if (images > 1 && take(clause, imageWords)) {
    take(clause, /\b(?:replace|swap|fill)\b/)
    return step({ fill: { image: 1 } })
  }
  // Also: put the person in front of the second image.
  const tonal =
    /\b(?:bright|dark|light|warm|cool|satur|contrast|sharp|tint|hue|vivid|fade|sepia|expos|pixel|invert)\w*\b/
  const colour = patternOf(
    `(?:\\b(?:with|by|to|into|in|on|onto|against|as) )?(?:an? |the )?(?:solid |plain |pure |flat |seamless |bright )*(${colourWords})(?: (?:color|one|studio))?`,
  )
  const isReplaced =
    has(clause, /\b(?:replace|swap|change|make|set|turn|fill|put|on|onto|against|with|use|give|add|color|paint)\b/) ||
    patternOf(`(?:${colourWords}) (?:studio )?${noun}|${noun}\\s+(?:color )?(?:is |= ?)?(?:${colourWords})`).test(
      clause.rest,
    )
  if (isReplaced) {
    const found = takeIf(clause, colour, ([, name]) => colourOf(name ?? ''))
    if (found && !has(clause, /\b(?:tint|tinted)\b/)) {
      take(clause, /\b(?:replace|swap|fill|paint)\b/)
      return step({ fill: { colour: found.value } })
    }
  }
  if (has(clause, tonal)) return []
  return []
}
