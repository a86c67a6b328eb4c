import type { Place, Region } from '../operation.js'
import { type Clause, has, take, takeIf } from './clause.js'

export type Size = { width: number; height: number }

const number = '(\\d+(?:\\.\\d+)?)\\s?(%|px)?'
const clamp = (value: number) => Math.min(1, Math.max(0, value))

const regionBetween = (left: number, top: number, right: number, bottom: number): Region | undefined => {
  const [x1, x2] = [clamp(Math.min(left, right)), clamp(Math.max(left, right))]
  const [y1, y2] = [clamp(Math.min(top, bottom)), clamp(Math.max(top, bottom))]
  return x2 - x1 > 0 && y2 - y1 > 0 ? { left: x1, top: y1, width: x2 - x1, height: y2 - y1 } : undefined
}

const partOf = (value: string | undefined, unit: string | undefined, side: number) =>
  unit === '%' ? Number(value) / 100 : Number(value) / side

const noun =
  '(?:\\s+(?:part|area|region|side|section|portion|edge|zone|hand side|of (?:the |this |my )?(?:picture|image|photo|frame|it)))*'
const lead =
  '(?:\\b(?:in|on|at|of|from|to|inside|within|only|just|along|near)\\s+)*(?:\\b(?:the|its)\\s+)?(?:very\\s+)?(?:\\b(?:part|area|region|object|thing|stuff|whole) )?(?:\\b(?:in|on|at|of|inside|within) )?(?:\\bthe )?'

/** Sides in parts of the picture: the left third, the bottom 20%. */
const strip = (side: string, part: number): Region => {
  const size = clamp(part)
  switch (side) {
    case 'left':
      return { left: 0, top: 0, width: size, height: 1 }
    case 'right':
      return { left: 1 - size, top: 0, width: size, height: 1 }
    case 'top':
    case 'upper':
      return { left: 0, top: 0, width: 1, height: size }
    default:
      return { left: 0, top: 1 - size, width: 1, height: size }
  }
}

const fractions: Record<string, number> = {
  half: 1 / 2,
  third: 1 / 3,
  quarter: 1 / 4,
  fifth: 1 / 5,
  'two thirds': 2 / 3,
  'three quarters': 3 / 4,
}

const cornerRegion = (y: string, x: string, size: number): Region => ({
  left: x === 'left' ? 0 : x === 'right' ? 1 - size : (1 - size) / 2,
  top: /top|upper/.test(y) ? 0 : /bottom|lower/.test(y) ? 1 - size : (1 - size) / 2,
  width: size,
  height: size,
})

type Read = (groups: (string | undefined)[], size: Size) => Region | undefined

const pair = `\\(?\\s*${number}\\s?[_ ]\\s?${number}\\s*\\)?`
const fraction = '(half|third|quarter|fifth|two thirds|three quarters)'
const corner: Read = ([, y, x, part]) =>
  cornerRegion(y ?? '', x ?? '', part === 'quarter' || part === 'quadrant' ? 0.5 : 1 / 3)

/** Parts of the picture, as they are named. The first that fits counts. */
const regions: [RegExp, Read][] = [
  [
    new RegExp(`${lead}(?:rectangle |box )?(?:from )?${pair}\\s*(?:to|until|-)\\s*${pair}`),
    ([, x1, x1Unit, y1, y1Unit, x2, x2Unit, y2, y2Unit], { width, height }) => {
      const isPercent = [x1Unit, y1Unit, x2Unit, y2Unit].includes('%')
      const unit = (own: string | undefined) => own ?? (isPercent ? '%' : 'px')
      return regionBetween(
        partOf(x1, unit(x1Unit), width),
        partOf(y1, unit(y1Unit), height),
        partOf(x2, unit(x2Unit), width),
        partOf(y2, unit(y2Unit), height),
      )
    },
  ],
  [
    new RegExp(`${lead}(?:rectangle |box )?\\(?${number}[_ ]${number}[_ ]${number}[_ ]${number}\\)?`),
    ([, left, leftUnit, top, topUnit, wide, wideUnit, high, highUnit], { width, height }) => {
      const unit = [leftUnit, topUnit, wideUnit, highUnit].includes('%') ? '%' : 'px'
      const x = partOf(left, unit, width)
      const y = partOf(top, unit, height)
      return regionBetween(x, y, x + partOf(wide, unit, width), y + partOf(high, unit, height))
    },
  ],
  [
    new RegExp(
      `${lead}(top|upper|bottom|lower|middle|center)[ -](left|right|center|middle)(?: hand)?(?:\\s+(corner|quarter|quadrant|third))?\\b${noun}`,
    ),
    corner,
  ],
  [
    new RegExp(`${lead}(left|right)[ -](top|upper|bottom|lower)(?:\\s+(corner|quarter|quadrant))?\\b${noun}`),
    ([all, x, y, part], size) => corner([all, y, x, part], size),
  ],
  [
    new RegExp(`${lead}(left|right|top|bottom|upper|lower)(?:most)?(?: hand)?\\s+(?:one )?${fraction}\\b${noun}`),
    ([, side, part]) => strip(side ?? '', fractions[part ?? ''] ?? 0.5),
  ],
  [
    new RegExp(`${lead}${fraction} (?:on|at|of) the (left|right|top|bottom)\\b${noun}`),
    ([, part, side]) => strip(side ?? '', fractions[part ?? ''] ?? 0.5),
  ],
  [
    new RegExp(`${lead}(left|right|top|bottom|upper|lower)\\s+${number}(?!\\s?\\d)${noun}`),
    ([, side, value, unit], { width, height }) =>
      unit === undefined
        ? undefined
        : strip(side ?? '', partOf(value, unit, side === 'left' || side === 'right' ? width : height)),
  ],
  [
    new RegExp(`${lead}(?:center|middle)(?: (third|half|quarter))?\\b${noun}`),
    ([, part]) => cornerRegion('middle', 'center', fractions[part ?? ''] ?? 0.5),
  ],
  [
    new RegExp(
      `${lead}(left|right|top|bottom|upper|lower)(?: hand)?(?: (?:part|side|area|section|portion|edge|region))\\b${noun}`,
    ),
    ([, side]) => strip(side ?? '', 1 / 3),
  ],
  [
    new RegExp(`(?:\\b(?:in|on|at) the |\\bthe )(left|right|top|bottom)\\b(?! (?:corner|left|right))${noun}`),
    ([, side]) => strip(side ?? '', 1 / 3),
  ],
]

/** Takes a part of the picture that the clause names. Numbers without `%` are pixels of the picture as it was sent. */
export const takeRegion = (clause: Clause, size: Size): { at: number; value: Region } | undefined => {
  for (const [pattern, read] of regions) {
    const found = takeIf(clause, pattern, (groups) => read(groups, size))
    if (found) return found
  }
  return undefined
}

const before =
  '(?:\\b(?:in|at|on|to|into|onto|along|near|over|across|towards?|aligned)\\s+)*(?:\\bthe\\s+)?(?:very\\s+)?'
const after =
  '(?:[ -](?:corner|side|edge|part|area|of (?:the |this |my |it)?(?:picture|image|photo|frame|it|first image|base)?|aligned|hand))*'
const cornerPlace = new RegExp(
  `${before}\\b(top|upper|bottom|lower|middle|center)[ -](left|right|center|middle)\\b${after}`,
)
const turnedPlace = new RegExp(`${before}\\b(left|right)[ -](top|upper|bottom|lower)\\b${after}`)
const sidePlace = new RegExp(`${before}\\b(top|upper|bottom|lower|left|right|middle|center(?:ed)?)\\b${after}`)

/** Takes where something is to be placed. */
export const takePlace = (clause: Clause): Place | undefined => {
  const inCorner = take(clause, cornerPlace)
  if (inCorner) {
    const [, y, x] = inCorner.groups
    return { x: x === 'left' || x === 'right' ? x : 'center', y: heightOf(y) }
  }
  const turned = take(clause, turnedPlace)
  if (turned) return { x: turned.groups[1] as 'left' | 'right', y: heightOf(turned.groups[2]) }
  const single = take(clause, sidePlace)
  if (!single) return undefined
  const word = single.groups[1]
  if (word === 'left' || word === 'right') return { x: word, y: 'middle' }
  return { x: 'center', y: heightOf(word) }
}

const heightOf = (word: string | undefined): Place['y'] =>
  word === 'top' || word === 'upper' ? 'top' : word === 'bottom' || word === 'lower' ? 'bottom' : 'middle'

export const takeEdges = (clause: Clause): boolean =>
  has(clause, /\b(?:edges?|borders? of the|outer (?:part|area)|corners)\b/) &&
  take(
    clause,
    /(?:\b(?:the|at|around|on|of|near|only|just|toward|towards)\s+)*(?:outer )?\b(?:edges?|outer (?:part|area)|corners)\b(?: of (?:the )?(?:picture|image|photo|frame))?/,
  ) !== undefined
