import type { Area, Place, Region, Shape } from '../../operation.js'
import { amountAt, takeAmounts } from '../amounts.js'
import { type Clause, has, take, takeIf } from '../clause.js'
import { takePlace, takeRegion } from '../places.js'
import { type Placed, placed, type Rule } from '../rule.js'
import { labelOf, thingWords } from '../things.js'

const middle: Place = { x: 'center', y: 'middle' }
const whole: Region = { left: 0, top: 0, width: 1, height: 1 }

const ratios: [RegExp, number][] = [
  [/\b(?:square|squared)\b(?: (?:format|shape|crop|aspect(?: ratio)?))?/, 1],
  [/\b(?:wide ?screen|cinema(?:tic)? (?:format|ratio|crop)|youtube(?: thumbnail)?)\b/, 16 / 9],
  [/\b(?:instagram (?:story|stories|reel)|tiktok|story format|phone wallpaper|vertical (?:video|format))\b/, 9 / 16],
  [/\binstagram(?: post| portrait)?\b(?! (?:filter|look|style|effect))/, 4 / 5],
  [/\b(?:landscape(?: (?:format|orientation|shape))?)\b/, 3 / 2],
  [/\bportrait (?:format|orientation|shape|crop)\b|\bto (?:a )?portrait(?= ?$)/, 2 / 3],
  [/\bpanorama|panoramic\b/, 2],
]

const takeRatio = (clause: Clause): { at: number; value: number } | undefined => {
  const named = takeIf(
    clause,
    /\b(?:(?:to|with|at|in|into) )?(?:an? |the )?(?:vertical |horizontal |landscape |portrait |wide |tall )?(?:aspect )?(?:ratio )?(?:of )?(\d+(?:\.\d+)?):(\d+(?:\.\d+)?)(?: (?:aspect )?(?:ratio|format))?/,
    ([, wide, high]) => (Number(wide) > 0 && Number(high) > 0 ? Number(wide) / Number(high) : undefined),
  )
  if (named) return named.value >= 0.05 && named.value <= 20 ? named : undefined
  for (const [pattern, value] of ratios) {
    const found = take(clause, pattern)
    if (found) return { at: found.at, value }
  }
  return undefined
}

/** What is left when something is cut off a side. */
const without = (side: string | undefined, part: number): Region => {
  switch (side) {
    case 'left':
      return { left: part, top: 0, width: 1 - part, height: 1 }
    case 'right':
      return { left: 0, top: 0, width: 1 - part, height: 1 }
    case 'top':
      return { left: 0, top: part, width: 1, height: 1 - part }
    case 'bottom':
      return { left: 0, top: 0, width: 1, height: 1 - part }
    default:
      return { left: part, top: part, width: 1 - 2 * part, height: 1 - 2 * part }
  }
}

const around = '\\b(?:in )?(?:tight(?:ly)? )?(?:around|to|on|onto|into) (?:just |only )?(?:the |my |this |his |her )?'
const aroundThing = new RegExp(`${around}(${thingWords})\\b`)
const aroundSubject = new RegExp(`${around}(?:main )?(?:subject|foreground|object)\\b`)
const aroundFace = new RegExp(`${around}(?:(?:person|man|woman|girl|boy|child)'s )?(?:face|head)\\b`)

/** What a crop or a zoom is to show. */
const takeTarget = (clause: Clause): Area | undefined => {
  if (take(clause, aroundFace)) return { in: 'face' }
  if (take(clause, aroundSubject)) return { in: 'subject' }
  const thing = takeIf(clause, aroundThing, ([, word]) => labelOf(word ?? ''))
  return thing && { in: 'object', label: thing.value }
}

const readCrop: Rule = (clause, { size }) => {
  const { rest } = clause
  const verb = take(
    clause,
    /\b(?:crop(?:ped|ping)?|trim|cut|clip)\b(?: (?:it|this|the (?:image|picture|photo)|my (?:image|picture|photo)))?|\b(?:keep|leave|show) (?:only|just)(?= (?:the )?(?:left|right|top|bottom|upper|lower|center|middle)\b)|\bonly keep(?= (?:the )?(?:left|right|top|bottom|upper|lower|center|middle)\b)/,
  )
  if (!verb) return []
  const crop = (shape: Shape, area?: Area): Placed[] => [placed(verb.at, shape, area)]
  const partIn = (value: string | undefined, unit: string | undefined, side: string | undefined) => {
    const length = side === 'left' || side === 'right' ? size.width : size.height
    const part = unit === 'px' ? Number(value) / length : Number(value) / 100
    return part > 0 && part < 1 ? part : undefined
  }
  const off =
    takeIf(
      clause,
      /\b(\d+(?:\.\d+)?)(%|px)?\s*(?:off|from|at|of|on)?\s*(?:the\s+)?(left|right|top|bottom)\b(?: side| edge)?/,
      ([, value, unit, side]) => {
        const part = partIn(value, unit, side)
        return part === undefined ? undefined : without(side, part)
      },
    ) ??
    takeIf(
      clause,
      /\b(?:off|out|away)\s+(?:the\s+)?(left|right|top|bottom)(?: side| edge)?(?: by)?\s+(\d+(?:\.\d+)?)(%|px)?/,
      ([, side, value, unit]) => {
        const part = partIn(value, unit, side)
        return part === undefined ? undefined : without(side, part)
      },
    ) ??
    takeIf(clause, /\b(?:off|out|away)\s+(?:the\s+)?(left|right|top|bottom)\s+(half|third|quarter)/, ([, side, part]) =>
      without(side, part === 'half' ? 1 / 2 : part === 'third' ? 1 / 3 : 1 / 4),
    ) ??
    takeIf(
      clause,
      /(\d+(?:\.\d+)?)(%|px)?\s*(?:off|from|on|of)?\s*(?:all|each|every|both|the)\s+(?:four\s+)?(?:sides?|edges?|margins?|borders?)/,
      ([, value, unit]) => {
        const part = partIn(value, unit, 'top')
        return part !== undefined && part < 0.5 ? without('all', part) : undefined
      },
    ) ??
    takeIf(clause, /\b(?:the )?(?:edges|sides|margins)(?: off)? by (\d+(?:\.\d+)?)%/, ([, value]) =>
      Number(value) < 50 ? without('all', Number(value) / 100) : undefined,
    )
  if (off) return crop({ do: 'crop', region: off.value })
  if (take(clause, /\b(?:to|into|as|in) (?:an? )?circle\b|\bcircular(?:ly)?\b/))
    return [placed(verb.at, { do: 'circle' })]
  const pixels = takeIf(clause, /\b(?:to |at )?(\d{1,5})x(\d{1,5})(?:px)?\b/, ([, width, height]) => ({
    width: Number(width),
    height: Number(height),
  }))
  if (pixels && pixels.value.width > 0 && pixels.value.height > 0)
    return crop({ do: 'cropPixels', ...pixels.value, place: takePlace(clause) ?? middle })
  const ratio = takeRatio(clause)
  if (ratio) return crop({ do: 'cropRatio', ratio: ratio.value, place: takePlace(clause) ?? middle })
  const target = takeTarget(clause)
  if (target) return crop({ do: 'crop', region: whole }, target)
  const region = takeRegion(clause, size)
  if (region) return crop({ do: 'crop', region: region.value })
  const kept =
    takeIf(clause, /\b(?:down )?to (\d+(?:\.\d+)?)%/, ([, value]) => Number(value) / 100) ??
    takeIf(clause, /\b(?:by )?(\d+(?:\.\d+)?)%/, ([, value]) => 1 - Number(value) / 100)
  if (kept && kept.value > 0 && kept.value < 1)
    return crop({ do: 'crop', region: without('all', (1 - kept.value) / 2) })
  if (take(clause, /\b(?:tighter|closer|in)\b/)) return crop({ do: 'crop', region: without('all', 0.125) })
  clause.rest = rest
  return []
}

const readZoom: Rule = (clause) => {
  if (has(clause, /\bblur\b|\bzoom(?:ed)? out\b/)) return []
  const zoom = take(clause, /\bzoom(?:ed)?(?: in)?(?: closer)?/)
  if (!zoom) return []
  const target = takeTarget(clause)
  if (target) return [placed(zoom.at, { do: 'crop', region: whole }, target)]
  const named = take(clause, /\b(?:by |to )?(\d+(?:\.\d+)?)(x|%| times)?/)
  const strength = named ? 1 : amountAt(takeAmounts(clause), zoom.at, []).strength
  take(clause, /\b(?:closer )?(?:in |on |into |onto |to )*(?:the (?:center|middle))?/)
  const value = Number(named?.groups[1] ?? 1 + 0.5 * strength)
  const factor = named?.groups[2] === '%' ? (value > 100 ? value / 100 : 1 + value / 100) : value
  return factor > 1 && factor <= 20
    ? [placed(zoom.at, { do: 'crop', region: without('all', (1 - 1 / factor) / 2) })]
    : []
}

const readRatio: Rule = (clause) => {
  const ratio = takeRatio(clause)
  if (!ratio) return []
  take(clause, /\b(?:aspect )?(?:ratio|format)\b/)
  return [placed(ratio.at, { do: 'cropRatio', ratio: ratio.value, place: middle })]
}

const readRotate: Rule = (clause) => {
  if (has(clause, /\bhues?\b|\bcolors?\b/)) return []
  const upside =
    take(clause, /\b(?:rotate|turn|spin|put)\b[^~]*\bupside[ -]down\b/) ??
    (has(clause, /\b(?:flip|mirror)/) ? undefined : take(clause, /\bupside[ -]down\b/))
  if (upside) return [placed(upside.at, { do: 'rotate', degrees: 180 })]
  const verb = take(
    clause,
    /\b(?:rotat(?:e|ed|ion)|(?:spin|tilt(?!-| shift)|straighten)(?= )|turn(?: it| this| (?:the|my) (?:image|picture|photo))?(?= (?:by |-?\d|(?:to )?(?:the )?(?:left|right)\b(?! (?:half|third|side|part|quarter|corner|edge|\d))|(?:anti|counter)?[ -]?clockwise|around|sideways|half a turn)))\b/,
  )
  if (!verb) return []
  const isLeft = take(clause, /\b(?:counter|anti)[ -]?clockwise\b|\b(?:to )?(?:the )?left\b/) !== undefined
  take(clause, /\bclockwise\b|\b(?:to )?(?:the )?right\b/)
  const angle = take(clause, /\b(?:by )?(-)?\s?(\d+(?:\.\d+)?)°?/)
  const small = /tilt|straighten|level/.test(verb.groups[0] ?? '') ? 3 : 90
  const half = take(clause, /\b(?:half (?:a )?turn|all the way around|around)\b/)
  const size = half ? 180 : angle ? Number(angle.groups[2]) : small
  const degrees = ((((angle?.groups[1] === '-') !== isLeft ? -size : size) % 360) + 360) % 360
  take(clause, /\bsideways\b/)
  return [placed(verb.at, { do: 'rotate', degrees })]
}

const readFlip: Rule = (clause) => {
  const verb = take(clause, /\b(?:flip(?:ped)?|mirror(?:ed)?(?: image)?)\b/)
  if (!verb) return []
  const axis = take(clause, /\b(?:along|about|around|over|across|on) (?:the |its )?(horizontal|vertical) axis\b/)
  if (axis) return [placed(verb.at, { do: 'flip', axis: axis.groups[1] === 'vertical' ? 'horizontal' : 'vertical' })]
  const isVertical =
    take(
      clause,
      /\b(?:vertical(?:ly)?|upside[ -]down|top to bottom|up(?:wards?)?|over the horizontal axis|bottom)\b/,
    ) !== undefined
  const isHorizontal =
    take(clause, /\b(?:horizontal(?:ly)?|left to right|leftright|sideways|right to left|left|right)\b/) !== undefined
  const steps = [placed(verb.at, { do: 'flip', axis: isVertical ? 'vertical' : 'horizontal' })]
  if (isVertical && isHorizontal) steps.push(placed(verb.at, { do: 'flip', axis: 'horizontal' }))
  return steps
}

const sizeNouns = ' (?:of )?(?:the|its)(?: original)? (?:size|resolution)| size| as (?:large|big|small)| the resolution'
const sizes = (
  [
    ['(?:a )?half', 0.5],
    ['(?:a |one )?third', 1 / 3],
    ['(?:a |one )?quarter', 0.25],
    ['double|twice', 2],
  ] as const
).map(([words, factor]) => ({
  factor,
  alone: new RegExp(`\\b(?:to |at |by )?(?:${words})(?:${sizeNouns})\\b`),
  afterVerb: new RegExp(`\\b(?:to |at |by )?(?:${words})(?:${sizeNouns})?\\b`),
}))

const readResize: Rule = (clause) => {
  const { rest } = clause
  const verb = take(
    clause,
    /\b(?:re-?siz(?:e|ed|ing)|re-?scale|scale|shrink|enlarge|upscale|downscale|downsize|reduce the size(?: of)?)\b(?: (?:it|the (?:image|picture|photo)))?(?: (?:up|down))?/,
  )
  const word = verb?.groups[0] ?? ''
  const exact = takeIf(
    clause,
    verb ? /\b(?:to |at )?(\d{1,5})x(\d{1,5})(?:px)?\b/ : /\b(?:make it |to )(\d{2,5})x(\d{2,5})(?:px)?\b/,
    ([, width, height]) => ({ width: Number(width), height: Number(height) }),
  )
  if (exact) return [placed(verb?.at ?? exact.at, { do: 'resize', ...exact.value })]
  const side =
    takeIf(clause, /\b(?:to )?(?:a )?(width|height) (?:of |to |= ?)?(\d{1,5})(?:px)?\b/, ([, name, value]) => ({
      name,
      value: Number(value),
    })) ??
    takeIf(clause, /\b(?:to )?(\d{1,5})(?:px)? (?:in )?(wide|width|tall|high|height)\b/, ([, value, name]) => ({
      name,
      value: Number(value),
    })) ??
    (verb ? takeIf(clause, /\bto (\d{2,5})px\b/, ([, value]) => ({ name: 'width', value: Number(value) })) : undefined)
  if (side && (verb || has(clause, /\bmake|set\b/))) {
    const isWide = side.value.name === 'width' || side.value.name === 'wide'
    return [
      placed(verb?.at ?? side.at, {
        do: 'resize',
        width: isWide ? side.value.value : undefined,
        height: isWide ? undefined : side.value.value,
      }),
    ]
  }
  const named = sizes.find(({ alone, afterVerb }) => take(clause, verb ? afterVerb : alone) !== undefined)?.factor
  const factor = named ?? (verb ? takeFactor(clause, /shrink|down|reduce/.test(word)) : undefined)
  if (!verb && factor === undefined) {
    const comparative = take(clause, /\b(smaller|bigger|larger)\b/)
    if (!comparative) return []
    return [placed(comparative.at, { do: 'scale', factor: comparative.groups[1] === 'smaller' ? 0.7 : 1.4 })]
  }
  take(clause, /\b(?:smaller|bigger|larger)\b/)
  if (!verb) return [placed(0, { do: 'scale', factor: factor as number })]
  const usual = /shrink|down|reduce/.test(word) ? 0.5 : /enlarge|up/.test(word) ? 2 : undefined
  const value = factor ?? usual
  if (value !== undefined) return [placed(verb.at, { do: 'scale', factor: value })]
  clause.rest = rest
  return []
}

const takeFactor = (clause: Clause, isShrinking: boolean): number | undefined =>
  takeIf(clause, /\b(to|by)?\s?(\d+(?:\.\d+)?)(%|x| times)|\b(?:by) (\d)\b/, ([, word, value, unit, divisor]) => {
    const number = Number(value ?? divisor)
    if (!(number > 0)) return undefined
    if (unit !== '%') return isShrinking && number > 1 ? 1 / number : number
    return word === 'by'
      ? isShrinking
        ? 1 - number / 100
        : number < 100
          ? 1 + number / 100
          : number / 100
      : number / 100
  })?.value

export const readShape: Rule = (clause, context) => {
  if (has(clause, /\b(?:border|frame|text|opacity|logo)\b/) && !has(clause, /\b(?:crop|rotate|flip|resize)/)) return []
  const steps = [readCrop, readZoom, readFlip, readRotate, readResize].flatMap((rule) => rule(clause, context))
  const ratio = readRatio(clause, context)
  // "crop to 9:16 for TikTok" says it twice.
  return steps.some(({ operation }) => operation.do === 'cropRatio') ? steps : [...steps, ...ratio]
}
