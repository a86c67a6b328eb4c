import type { Blend, Place } from '../../operation.js'
import { type Clause, has, take, takeIf } from '../clause.js'
import { patternOf } from '../pattern-of.js'
import { takePlace } from '../places.js'
import { placed, type Rule } from '../rule.js'

const ordinals: Record<string, number> = {
  first: 0,
  '1st': 0,
  second: 1,
  '2nd': 1,
  other: 1,
  third: 2,
  '3rd': 2,
  fourth: 3,
  '4th': 3,
  fifth: 4,
  '5th': 4,
}

const layerNoun =
  '(?:logos?|icons?|stickers?|badges?|stamps?|signatures?|watermarks?|layers?|overlays?|emblems?|inset|thumbnails?)'
const picture = '(?:image|picture|photo|layer|one|logo)'

/** Which image a clause speaks of, from 0. */
const takeImage = (clause: Clause, images: number): number | undefined => {
  const named =
    takeIf(
      clause,
      patternOf(`\\b(?:the |my )?(first|1st|second|2nd|other|third|3rd|fourth|4th|fifth|5th|last) ${picture}\\b`),
      ([, word]) => (word === 'last' ? images - 1 : ordinals[word ?? '']),
    ) ??
    takeIf(clause, patternOf(`\\b(?:the )?${picture} (?:number |no\\.? )?#?(\\d)\\b`), ([, value]) => Number(value) - 1)
  if (named) return named.value
  return take(clause, patternOf(`\\b(?:the |my |our |an? |this |company )*${layerNoun}\\b`)) ? 1 : undefined
}

const blends: [RegExp, Blend][] = [
  [/\b(?:multiply|multiplied)\b/, 'multiply'],
  [/\bscreen(?:ed)?\b/, 'screen'],
  [/\bsoft[ -]light\b/, 'soft-light'],
  [/\boverlay (?:blend|mode)\b/, 'overlay'],
  [/\bdifference\b/, 'difference'],
  [/\blighten (?:blend|mode)\b/, 'lighten'],
  [/\bdarken (?:blend|mode)\b/, 'darken'],
  [/\b(?:additive|add mode|linear dodge)\b/, 'add'],
]

const arrangements: [RegExp, 'row' | 'column' | 'grid' | 'polaroids'][] = [
  [/\b(?:as |like |of |into |with )?(?:scattered )?polaroids\b|\bpolaroid collage\b/, 'polaroids'],
  [
    /\b(?:side[ -]by[ -]side|next to (?:each other|one another)|in (?:a|one) row|horizontally|beside each other|left to right|before and after|before after)\b/,
    'row',
  ],
  [
    /\b(?:(?:stack(?:ed)?|arrange(?:d)?|on top of (?:each other|one another))(?: (?:them|the images))?(?: vertically)?|in (?:a|one) column|vertically|one above the other|above each other|below each other|top to bottom)\b/,
    'column',
  ],
  [
    /\b(?:(?:in |as |into )?(?:an? )?(?:photo )?(?:collage|grid|mosaic|montage|contact sheet|mood ?board)(?: of (?:them|all|these|the (?:images|photos|pictures)))?)\b/,
    'grid',
  ],
]

const combining =
  /\b(?:combine|merge|join|arrange|stitch|lay out|put|place|compose|assemble|mix|tile|unite|make|create)\b/

const readArrangement: Rule = (clause) => {
  for (const [pattern, as] of arrangements) {
    const found = take(clause, pattern)
    if (!found) continue
    take(clause, combining)
    take(clause, /\b(?:all |both |these |the |my |two |three |four |\d )*(?:images|photos|pictures|them|layers)\b/)
    take(clause, /\b(?:arranged?|combined?|stack(?:ed)?|laid out|tiled|scattered|with)\b/)
    return [placed(found.at, { do: 'arrange', as })]
  }
  const plain = take(
    clause,
    /\b(?:combine|merge|join|stitch|unite|assemble|compose)\b(?: (?:all |both |these |the |my |two |three |four )*(?:images|photos|pictures|them|layers))?(?: together| into one(?: (?:image|picture))?)?/,
  )
  return plain ? [placed(plain.at, { do: 'arrange', as: 'grid' })] : []
}

const takeOpacity = (clause: Clause): number | undefined => {
  const percent = takeIf(
    clause,
    /\b(?:(?:with|at|to|by|of) )*(?:an? )?(\d+)% (?:opacity|opaque|visible|strength)\b|\bopacity (?:of |to |= ?)?(\d+)%?/,
    ([, first, second]) => Number(first ?? second) / 100,
  )
  if (percent) return Math.min(1, percent.value)
  const transparency = takeIf(
    clause,
    /\b(?:(?:with|at) )?(\d+)% transparen(?:t|cy)\b/,
    ([, value]) => 1 - Number(value) / 100,
  )
  if (transparency) return Math.max(0, transparency.value)
  return take(clause, /\b(?:semi|half)?[ -]?(?:transparent|translucent)(?:ly)?\b/) ? 0.5 : undefined
}

const takeSize = (clause: Clause): number | undefined => {
  const percent = takeIf(
    clause,
    /\b(?:(?:at|to|with|of|by) )*(?:a )?(?:size (?:of )?|width (?:of )?|scaled? (?:to )?)?(\d+(?:\.\d+)?)%(?: (?:of (?:the )?(?:width|size|image|picture)|size|width|scale|wide))*/,
    ([, value]) => Number(value) / 100,
  )
  if (percent) return percent.value > 0 ? Math.min(1, percent.value) : undefined
  if (take(clause, /\b(?:tiny|very small)\b/)) return 0.1
  if (take(clause, /\bsmall\b/)) return 0.15
  if (take(clause, /\b(?:very (?:large|big)|huge)\b/)) return 0.7
  if (take(clause, /\b(?:large|big)\b/)) return 0.45
  if (take(clause, /\bhalf (?:the )?(?:size|width)\b/)) return 0.5
  return undefined
}

const verbs =
  /\b(?:put|place|add|insert|overlay|paste|composite|layer|stamp|superimpose|lay|blend|mix|merge|combine|double[ -]exposure|double[ -]expose|cross[ -]?fade|overlaid|picture[ -]in[ -]picture|pip|fade)\b/

/** Several images become one: layers at places, blends, collages. */
export const readLayers: Rule = (clause, { images }) => {
  if (images < 2) return []
  const { rest } = clause
  const isBlend = has(clause, /\b(?:blend|mix|double[ -]expos\w+|superimpose|cross[ -]?fade)\b/)
  if (!isBlend || has(clause, /\bcollage|grid|side by side\b/)) {
    const arranged = has(clause, patternOf(`\\b${layerNoun}\\b`)) ? [] : readArrangement(clause, {} as never)
    if (arranged.length > 0) return arranged
  }
  const verb = take(clause, verbs)
  if (!verb) return []
  const isInset = /picture|pip/.test(verb.groups[0] ?? '')
  take(clause, verbs)
  const opacity = takeOpacity(clause)
  const blend = blends.find(([pattern]) => take(clause, pattern) !== undefined)?.[1] ?? 'over'
  take(clause, /\b(?:blend )?mode\b/)
  const image = takeImage(clause, images)
  takeImage(clause, images)
  take(
    clause,
    /\b(?:on top of|onto|over|above|in front of|on|into|with|of) (?:the |my )?(?:first |base |main |original |background )?(?:image|picture|photo|one|it)?\b/,
  )
  const isCircle = take(clause, /\b(?:as an? |in an? )?(?:circle|circular|round)\b/) !== undefined
  const place = takePlace(clause)
  const size = takeSize(clause)
  take(clause, /\b(?:both|these|two|all|images|photos|pictures|them|on top|over each other)\b/)
  take(clause, /\b(?:images|photos|pictures|50 ?50|equally)\b/)
  const isWhole =
    isBlend ||
    (place === undefined &&
      size === undefined &&
      !isInset &&
      (opacity !== undefined || blend !== 'over' || /overlay|superimpose|overlaid/.test(verb.groups[0] ?? '')))
  if (image === undefined && !isWhole && !isInset && place === undefined) {
    clause.rest = rest
    return []
  }
  if (image !== undefined && (image < 0 || image >= images)) {
    clause.rest = rest
    return []
  }
  const which = image === undefined || image === 0 ? 1 : image
  const usual: Place = isInset ? { x: 'right', y: 'bottom' } : { x: 'center', y: 'middle' }
  const indexes = image === undefined && isWhole ? Array.from({ length: images - 1 }, (_, index) => index + 1) : [which]
  return indexes.map((index) =>
    placed(verb.at, {
      do: 'layer',
      image: index,
      place: isWhole && place === undefined ? 'cover' : (place ?? usual),
      size: isWhole && place === undefined ? undefined : (size ?? 0.3),
      // Each is seen as much as the others when the next ones are seen less.
      opacity: opacity ?? (isBlend && blend === 'over' ? 1 / (index + 1) : 1),
      blend,
      isCircle,
    }),
  )
}
