import type { Blend, Place } from '../../operation.js'
import { type Clause, type Found, has, take, takeIf } from '../clause.js'
import { takePlace } from '../places.js'
import { placed, type Rule } from '../rule.js'
import { readArrangement } from './arrangement.js'

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

const ordinalImage = new RegExp(
  `\\b(?:the |my )?(first|1st|second|2nd|other|third|3rd|fourth|4th|fifth|5th|last) ${picture}\\b`,
)
const numberedImage = new RegExp(`\\b(?:the )?${picture} (?:number |no\\.? )?#?(\\d)\\b`)
const mentionsLayer = new RegExp(`\\b${layerNoun}\\b`)
const someLayer = new RegExp(`\\b(?:the |my |our |an? |this |company )*${layerNoun}\\b`)
/** How another image is used, which says that it is put on the base. */
const asLayer =
  /\bas (?:an? |the )?(?:small |large |subtle |texture |semi-transparent )*(?:watermark|overlay|texture|logo|layer|inset|sticker|stamp)\b/
const onTheBase =
  /\b(?:on top of|onto|over|above|in front of|on|into|with|of) (?:the |my )?(?:(?:first|base|main|original|background)(?: (?:image|picture|photo|one))?|image|picture|photo|one|it)\b/

/** Which image a clause speaks of, from 0. */
const takeImage = (clause: Clause, images: number): number | undefined => {
  const named =
    takeIf(clause, ordinalImage, ([, word]) => (word === 'last' ? images - 1 : ordinals[word ?? ''])) ??
    takeIf(clause, numberedImage, ([, value]) => Number(value) - 1)
  if (named) return named.value
  return take(clause, someLayer) ? 1 : undefined
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

const takeBlend = (clause: Clause) => {
  for (const [pattern, blend] of blends) {
    const found = take(clause, pattern)
    if (found) return { found, blend }
  }
  return undefined
}

const isTexture = (used: Found | undefined) => /overlay|texture/.test(used?.groups[0] ?? '')

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
  if (take(clause, /\b(?:at )?half (?:of )?(?:the |its )?(?:size|width)\b/)) return 0.5
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
    const arranged = has(clause, mentionsLayer) ? [] : readArrangement(clause, images)
    if (arranged.length > 0) return arranged
  }
  const used = take(clause, asLayer)
  const blended = takeBlend(clause)
  const verb = take(clause, verbs) ?? (used && take(clause, /\b(?:use|using|set)\b/)) ?? blended?.found
  if (!verb) {
    clause.rest = rest
    return []
  }
  const blend = blended?.blend ?? 'over'
  const word = verb.groups[0] ?? ''
  const isInset = /picture|pip/.test(word)
  take(clause, verbs)
  const opacity = takeOpacity(clause)
  take(clause, /\b(?:blend )?mode\b/)
  const image = takeImage(clause, images)
  takeImage(clause, images)
  take(clause, onTheBase)
  const isCircle = take(clause, /\b(?:as an? |in an? )?(?:circle|circular|round)\b/) !== undefined
  const place = takePlace(clause)
  const size = takeSize(clause)
  take(
    clause,
    /\b(?:of |using |from )*(?:both|these|the two|two|all|images|photos|pictures|them|on top|over each other)\b/,
  )
  take(clause, /\b(?:two )?(?:images|photos|pictures|50 ?50|equally)\b/)
  const isWhole =
    isBlend ||
    (place === undefined &&
      size === undefined &&
      !isInset &&
      (opacity !== undefined || blend !== 'over' || /overlay|superimpose|overlaid/.test(word) || isTexture(used)))
  const isNothing = image === undefined && !isWhole && !isInset && place === undefined
  // The first image is the base; it cannot lie on another.
  const isImpossible = image !== undefined && (image < 0 || image >= images || (image === 0 && !isBlend))
  if (isNothing || isImpossible) {
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
