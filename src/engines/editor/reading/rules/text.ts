import type { Lettering, Place } from '../../operation.js'
import { type Clause, has, take, takeIf } from '../clause.js'
import { colourAfter, colourWords, takeColour } from '../colours.js'
import { takePlace } from '../places.js'
import { type Placed, placed, type Rule } from '../rule.js'

const words =
  /\b(?:(?:add(?:ing)?|write|put|place|insert|overlay|draw|print|type|stamp|include|show|display|text|texts|caption|captioned|title|titled|subtitle|label|labeled|heading|headline|slogan|lettering|letters|words?|watermarks?|watermarked|meme|saying|says?|reads?|reading|banner|font|sign|written|centered|position|positioned|placed|with|outline|outlined|stroke|drop shadow|shadow|message|quote|line|reading|copyright|notice|credit|date|time ?stamp)\b\s*)+/

const takeSize = (clause: Clause, look: Lettering['look'], height: number): number => {
  const usually = look === 'meme' ? 0.12 : look === 'watermark' ? 0.06 : 0.08
  const pixels = takeIf(
    clause,
    /\b(?:(?:font )?size(?: of)? )?(\d+)\s?(?:px|pt)\b(?: (?:high|tall|font|size|text))*/,
    ([, value]) => Number(value) / height,
  )
  if (pixels) return Math.min(0.5, Math.max(0.01, pixels.value))
  const percent = takeIf(
    clause,
    /\b(?:(?:font )?size(?: of)? |at )?(\d+)%(?! (?:opacity|opaque|transparen))(?: of the height| size| high)?/,
    ([, value]) => Number(value) / 100,
  )
  if (percent) return Math.min(0.5, Math.max(0.01, percent.value))
  const points = takeIf(clause, /\b(?:font )?size (\d+)\b/, ([, value]) => Number(value) / height)
  if (points) return Math.min(0.5, Math.max(0.01, points.value))
  if (take(clause, /\b(?:tiny|very small)\b/)) return usually * 0.4
  if (take(clause, /\b(?:small|smaller|little|discreet|subtle)\b/)) return usually * 0.6
  if (take(clause, /\b(?:huge|giant|very (?:large|big)|enormous|extra large)\b/)) return usually * 2.2
  if (take(clause, /\b(?:large|big|bigger|larger)\b/)) return usually * 1.5
  take(clause, /\bmedium(?: sized?)?\b/)
  return usually
}

const takeOpacity = (clause: Clause, look: Lettering['look']): number => {
  const opacity = takeIf(
    clause,
    /\b(?:(?:with|at) )?(\d+)% (?:opacity|opaque)\b|\bopacity (?:of )?(\d+)%?/,
    ([, first, second]) => Number(first ?? second) / 100,
  )
  if (opacity) return Math.min(1, opacity.value)
  const transparency = takeIf(clause, /\b(\d+)% transparen(?:t|cy)\b/, ([, value]) => 1 - Number(value) / 100)
  if (transparency) return Math.max(0, transparency.value)
  if (take(clause, /\b(?:semi|half)?[ -]?(?:transparent|translucent|see-through)\b/)) return 0.5
  return look === 'watermark' ? 0.55 : 1
}

const textColour = colourAfter('(?:\\bin |\\bcolor(?:ed)? )?(?:an? )?')
const outline = new RegExp(
  `\\b(?:with|and|in)?\\s*(?:an? )?(?:thin |thick )?(?:(?:${colourWords}) )?(?:outline|stroke|drop shadow|shadow)\\b`,
)

/** Lettering: whatever a prompt quotes is written on the picture. */
export const readText: Rule = (clause, { quotes, size, isMeme }) => {
  // Letters that are there already are pixels; they cannot become others.
  if (has(clause, /\b(?:change|replace|edit|correct|translate)\b/)) return []
  const found = []
  for (let quote = take(clause, /⟦(\d+)⟧/); quote; quote = take(clause, /⟦(\d+)⟧/)) {
    const text = quotes[Number(quote.groups[1])] ?? ''
    if (text !== '') found.push({ at: quote.at, text })
  }
  if (found.length === 0) return []
  const look = has(clause, /\bwatermark|\bcopyright\b/)
    ? 'watermark'
    : isMeme
      ? 'meme'
      : has(clause, /\bbanner\b/)
        ? 'banner'
        : 'plain'
  const isDiagonal = take(clause, /\bdiagonal(?:ly)?\b/) !== undefined
  const isBold = take(clause, /\bbold\b/) !== undefined || look === 'meme'
  take(clause, outline)
  const opacity = takeOpacity(clause, look)
  const colour = takeColour(clause, textColour)
  take(clause, /\b(?:in|using)\s+(?:an? )?(?:capital|capitals|caps|upper ?case)\b(?: letters)?/)
  const height = takeSize(clause, look, size.height) * (isDiagonal ? 1.8 : 1)
  if (take(clause, /\b(?:below|underneath|under(?: it)?)\b/)) clause.rest += 'at the bottom '
  const places = [takePlace(clause), takePlace(clause)]
  while (take(clause, words));
  const usual: Place[] =
    look === 'watermark'
      ? [{ x: 'right', y: 'bottom' }]
      : look === 'meme'
        ? [
            { x: 'center', y: found.length > 1 || places[0] === undefined ? 'top' : 'bottom' },
            { x: 'center', y: 'bottom' },
          ]
        : [
            { x: 'center', y: found.length > 1 ? 'top' : 'bottom' },
            { x: 'center', y: 'bottom' },
          ]
  return found.map(({ at, text }, index): Placed => {
    const place = places[index] ??
      (isDiagonal ? { x: 'center', y: 'middle' } : usual[Math.min(index, usual.length - 1)]) ?? {
        x: 'center',
        y: 'bottom',
      }
    return placed(at, {
      do: 'text',
      text,
      place,
      size: height,
      colour: colour?.value,
      look,
      isBold,
      opacity,
      degrees: isDiagonal ? -30 : 0,
    })
  })
}
