import type { Content, Fill } from '../../operation.js'
import { amountAt, strengthOf, takeAmounts } from '../amounts.js'
import { type Clause, has, take, takeIf } from '../clause.js'
import { colourOf, colourWords, takeColour } from '../colours.js'
import { type Placed, placed, type Rule } from '../rule.js'

type How = Extract<Content, { do: 'background' }>['how']

const noun = '(?:background|backdrop|bg)'
const mention = new RegExp(`\\b${noun}\\b`)
const mentionWithWords = new RegExp(
  `\\b(?:the |its |an? |this |my |on |onto |to |with |in |of |from |behind |out |as |for )*${noun}\\b`,
)
const subjectWords = '(?:main )?(?:subject|person|people|man|woman|girl|boy|child|product|object|foreground)'
const subject = new RegExp(
  `\\b(?:from |of |behind |around |for )?(?:the |my |this |these |its |his |her )*(?:${subjectWords}|portrait|photo|image|picture|it)\\b`,
)
const cutting = new RegExp(`\\b(?:cut ?out|isolate|extract)\\b(?: (?:the |my |just |only )*${subjectWords})`)
const removing = new RegExp(
  `\\b(?:remove|removing|delete|erase|drop|strip|eliminate|get rid of|take (?:away|out)|cut (?:away|out)) (?:all |of |the |its |this |whole |entire |image |photo |current |existing |distracting |messy )*(?=${noun}\\b)|(?<=${noun} )(?:removed|removal|gone|away)\\b|\\b(?:without|no)(?=(?: the| any| an?)? ${noun}\\b)`,
)
const gradientColours = new RegExp(
  `(?:from |of |between )?(?:an? )?(${colourWords})(?: (?:color))?\\s*(?:to|into|-|and|~)\\s*(${colourWords})`,
)
const fillColour = new RegExp(
  `(?:\\b(?:with|by|to|into|in|on|onto|against|as) )?(?:an? |the )?(?:solid |plain |pure |flat |seamless |bright |clean )*(${colourWords})(?: (?:color|one|studio))?`,
)
const colouredBackground = new RegExp(
  `(?:${colourWords}) (?:studio )?${noun}|${noun}\\s+(?:color )?(?:is |= ?)?(?:${colourWords})`,
)

const takeGradient = (clause: Clause): Fill | undefined => {
  if (!take(clause, /\bgradient\b/)) return undefined
  const isSideways = take(clause, /\b(?:horizontal(?:ly)?|left to right|from left to right|sideways)\b/) !== undefined
  take(clause, /\b(?:vertical(?:ly)?|(?:from )?top to bottom|linear)\b/)
  const colours = takeIf(clause, gradientColours, ([, from, to]) => {
    const first = colourOf(from ?? '')
    const second = colourOf(to ?? '')
    return first && second ? ([first, second] as const) : undefined
  })
  if (colours) return { gradient: [...colours.value], isSideways }
  const colour = takeColour(clause)?.value ?? ([70, 110, 170] as const)
  return {
    gradient: [colour, [colour[0] / 3, colour[1] / 3, colour[2] / 3].map(Math.round) as unknown as typeof colour],
    isSideways,
  }
}

const picture = '(?:image|picture|photo|one)'
const base = `(?:the |my )?(?:(?:first|1st)(?: ${picture})?|${picture} (?:number )?(?:1|a))\\b`
const other = `(?:the |my )?(?:(?:second|2nd)(?: ${picture})?|(?:other|next|another|last|new) ${picture}|${picture} (?:number )?(?:2|two|b))\\b`
const otherImage = new RegExp(`\\b(?:with |by |to |from |using |use |in front of |on |onto |over )*${other}`)
const baseImage = new RegExp(`\\b(?:of |for |from |in |behind |with )*${base}`)
const otherAsBase = new RegExp(`${noun} (?:of|from|in) ${other} (?:with|by|to)\\b`)
/** "put the person from the first image in front of the second". */
const inFrontOf = new RegExp(
  `\\b(?:put|place|insert|move|composite) (?:the |my )?(?:${subjectWords}|cutout) (?:from|of|in) ${base} (?:in front of|into|onto|on|in|over|inside)(?: the)?(?: (?:scene|background|setting) (?:of|from|in))? ${other}`,
)

/** What is behind the subject: taken away, blurred, replaced or without colours. */
export const readBackground: Rule = (clause, { images }) => {
  const set = (at: number, how: How): Placed[] => [placed(at, { do: 'background', how })]
  const front = images > 1 ? take(clause, inFrontOf) : undefined
  if (front) return set(front.at, { fill: { image: 1 } })
  const cut = take(clause, cutting) ?? take(clause, /^ (?:an? )?cut ?out $/)
  const bokeh = take(
    clause,
    /\b(?:bokeh|portrait mode|shallow depth of field|depth of field)\b(?: (?:effect|look|blur))?/,
  )
  if (bokeh) return set(bokeh.at, { blur: 1 })
  const at = mention.exec(clause.rest)?.index
  if (at === undefined) return cut ? set(cut.at, { fill: 'transparent' }) : []
  const how = takeHow(clause, at, images)
  if (how === undefined) return []
  take(clause, mentionWithWords)
  take(clause, subject)
  take(clause, /\b(?:instead|completely|entirely|solid|plain|pure|flat|seamless|studio|simple|clean|with|gone)\b/)
  take(clause, /\b(?:solid|plain|pure|flat|seamless|color)\b/)
  return set(at, how)
}

const takeHow = (clause: Clause, at: number, images: number): How | undefined => {
  if (take(clause, removing)) return { fill: 'transparent' }
  if (take(clause, /\b(?:transparent|see-through|transparency)\b/)) {
    take(clause, /\breplace\b/)
    return { fill: 'transparent' }
  }
  if (take(clause, /\b(?:blur(?:red|ry|s|ring)?|defocus(?:ed)?|out of focus|soft(?:en)?|unsharp)\b/))
    return { blur: strengthOf(amountAt(takeAmounts(clause), at, []), 1, 3) }
  if (take(clause, /\b(?:blackwhite|greyscale|desaturat(?:e|ed)|monochrome|colorless)\b/)) return { grey: true }
  const gradient = takeGradient(clause)
  if (gradient) {
    take(clause, /\b(?:replace|swap|fill)\b/)
    return { fill: gradient }
  }
  // Only the first image has a subject that stays.
  if (images > 1 && !has(clause, otherAsBase) && take(clause, otherImage)) {
    take(clause, /\b(?:replace|swap|fill)\b/)
    take(clause, baseImage)
    return { fill: { image: 1 } }
  }
  const isReplaced =
    has(clause, /\b(?:replace|swap|change|make|set|turn|fill|put|on|onto|against|with|use|give|add|color|paint)\b/) ||
    has(clause, colouredBackground)
  if (!isReplaced) return undefined
  const { rest } = clause
  const found = takeIf(clause, fillColour, ([, name]) => colourOf(name ?? ''))
  if (!found) return undefined
  if (has(clause, /\b(?:tint|tinted)\b/)) {
    clause.rest = rest
    return undefined
  }
  take(clause, /\b(?:replace|swap|fill|paint)\b/)
  return { fill: { colour: found.value } }
}
