import type { Area, Colour } from '../../operation.js'
import { amountAt, strengthOf, takeAmounts } from '../amounts.js'
import { has, take, takeIf } from '../clause.js'
import { colourAfter, colourOf, colourWords, hueRangeOf, takeColour } from '../colours.js'
import { placed, type Rule } from '../rule.js'
import { labelOf, thingWords } from '../things.js'

const article = '(?:(?:all |every |each |any )?(?:of )?(?:the |my |his |her |this |that |its |their |your )?)'
const someColour = `(${colourWords})`
const nouns = "(?:(?! to | into | in | with )[a-z'-]+ ){0,3}?"

const fromTo = new RegExp(
  `\\b(?:make|turn|change|paint|color|recolor|dye|convert|shift|set|have)\\s+${article}(?:color (?:of )?)?(?:the )?(?:from )?${someColour}\\s+(${nouns})(?:color )?(?:be |look |to |into |in |-> ?|to be |become )*(?:an? )?${someColour}(?: instead)?`,
)
const replaced = new RegExp(
  `\\b(?:replace|swap|exchange|substitute|change)\\s+${article}(?:color )?${someColour}\\s+(${nouns})(?:with|for|by|to)\\s+(?:the )?(?:color )?(?:an? )?${someColour}`,
)
const fromColourTo = new RegExp(`\\bfrom ${someColour}() to ${someColour}`)
const target = `${article}(${thingWords}|subject|foreground|left half|right half|top half|bottom half)`
const painted = new RegExp(
  `\\b(?:(?:make|turn|paint|color|recolor|dye|change)\\s+(?:the color of )?${target}(?:'s color)?|change (?:the )?color of ${target})\\s+(?:color )?(?:to |into |in |be |look )*(?:an? )?${someColour}(?! (?:and|tint))`,
)
const splash = new RegExp(
  `(?:\\b(?:everything|all|it|image|picture|photo)\\b )?(?:\\b(?:in |to )?(?:blackwhite|greyscale|grey) )?(?:\\b(?:but|except|apart from|other than|keep(?:ing)? only|only keep|leave only|only|selective color(?: of| on| for)?|color splash(?: of| on| for| with)?|isolate|keep)\\b )(?:for )?(?:the )?(?:color )?${someColour}(?: (?:parts|color|colors|things|objects|tones|areas|in color|elements))*`,
)
const monoInColour = new RegExp(
  `\\b(?:monochrom(?:e|atic)|mono ?tone|cyanotype|coloriz(?:e|ed)|(?:in )?shades of|tones of|colorwash)\\b(?: (?:it|in|with|of|the (?:image|photo|picture)))*(?: ${someColour})?`,
)
const colourMono = new RegExp(`${someColour} (?:monochrom(?:e|atic)|mono ?tone)\\b`)
const tinted = new RegExp(
  `\\b(?:tint(?:ed)?|tone|wash|colorize|bathe|tinge)(?: (?:it|this|everything|the|image|picture|photo|whole))*(?: (?:in|with|to|towards))?(?: an?)?(?: bit of)? ${someColour}(?:ish)?(?: (?:light|color|tint))?`,
)
const suffix =
  '(?:ish)?(?: (?:color )?(?:tint(?:ed|s)?|tones?|toned|tinge|hues?|cast|filter|wash|overlay|color|look|glow|light|lighting))'
const colourTint = new RegExp(`${someColour}${suffix}\\b`)
const madeColour = new RegExp(
  `\\b(?:make|turn|color|paint) (?:it|this|everything|all|the (?:whole )?(?:image|picture|photo))(?: all| look| more| a bit| slightly)* (?:in |into )?${someColour}(?:ish|er)?(?! (?:border|frame|background|text|and))\\s`,
)
const firstColour = colourAfter('\\b(?:of|in|with|from|using) ')
const secondColour = colourAfter('\\b(?:to|and|with|into)\\b ')

/** "make the red car blue", "replace blue with green", "turn red into purple". */
const readRecolour: Rule = (clause) => {
  if (has(clause, /\b(?:gradient|duotone|border|frame|split)\b/)) return []
  const both = (from: string | undefined, noun: string | undefined, to: string | undefined) => {
    const range = hueRangeOf(from ?? '')
    const colour = colourOf(to ?? '')
    const label = labelOf((noun ?? '').trim())
    if (!range || !colour) return undefined
    const area: Area | undefined = label ? { in: 'object', label } : undefined
    return { range, colour, area, noun: noun?.trim() }
  }
  const found =
    takeIf(clause, fromTo, ([, from, noun, to]) => both(from, noun, to)) ??
    takeIf(clause, replaced, ([, from, noun, to]) => both(from, noun, to)) ??
    takeIf(clause, fromColourTo, ([, from, noun, to]) => both(from, noun, to))
  if (!found) return []
  const { range, colour, area, noun } = found.value
  // "turn the red roses into white roses".
  if (noun && clause.rest.includes(` ${noun} `)) clause.rest = clause.rest.replace(` ${noun} `, ' ')
  return [placed(found.at, { do: 'recolour', from: range, to: colour }, area)]
}

/** "make the car blue", "change the color of the car to blue", "paint the left half red". */
const readPaint: Rule = (clause) => {
  const found = takeIf(clause, painted, ([, first, second, colour]) => {
    const noun = first ?? second ?? ''
    const to = colourOf(colour ?? '')
    if (!to || /half/.test(noun)) return undefined
    const label = labelOf(noun)
    const area: Area = label ? { in: 'object', label } : { in: 'subject' }
    return { to, area }
  })
  return found ? [placed(found.at, { do: 'paint', to: found.value.to }, found.value.area)] : []
}

/** "everything black and white except red", "keep only the blue". */
const readSplash: Rule = (clause) => {
  const found = takeIf(clause, splash, ([, colour]) => hueRangeOf(colour ?? ''))
  if (!found) return []
  take(
    clause,
    /\b(?:blackwhite|greyscale|grey|desaturated?|the rest|everything else|selective color|color splash|in color)\b/,
  )
  take(clause, /\b(?:blackwhite|greyscale|grey|desaturated?)\b/)
  return [placed(found.at, { do: 'grey' }, { in: 'colour', hue: found.value, isOutside: true })]
}

const dim = ([red, green, blue]: Colour, part: number): Colour => [
  Math.round(red * part),
  Math.round(green * part),
  Math.round(blue * part),
]
const paler = (colour: Colour, part: number): Colour =>
  colour.map((value) => Math.round(value + (255 - value) * part)) as unknown as Colour

const readDuotone: Rule = (clause) => {
  const two = take(clause, /\b(?:duo ?tone|two[ -]tone|bi ?tone|split[ -]ton(?:e|ed|ing))\b/)
  if (two) {
    const first = takeColour(clause, firstColour)
    const second = first && takeColour(clause, secondColour)
    if (!first) return [placed(two.at, { do: 'duotone', dark: [30, 20, 90], light: [255, 170, 90], amount: 1 })]
    if (!second)
      return [
        placed(two.at, { do: 'duotone', dark: dim(first.value, 0.25), light: paler(first.value, 0.8), amount: 1 }),
      ]
    const sorted = [first.value, second.value].sort((one, other) => light(one) - light(other)) as [Colour, Colour]
    return [placed(two.at, { do: 'duotone', dark: sorted[0], light: sorted[1], amount: 1 })]
  }
  const mono =
    takeIf(clause, monoInColour, ([words, colour]) => {
      if (/cyanotype/.test(words ?? '')) return [20, 70, 130] as Colour
      return colour === undefined ? undefined : colourOf(colour)
    }) ?? takeIf(clause, colourMono, ([, colour]) => colourOf(colour ?? ''))
  return mono
    ? [placed(mono.at, { do: 'duotone', dark: dim(mono.value, 0.2), light: paler(mono.value, 0.85), amount: 1 })]
    : []
}

const light = ([red, green, blue]: Colour) => red * 0.3 + green * 0.59 + blue * 0.11

const readHue: Rule = (clause) => {
  const found = take(
    clause,
    /\b(?:(?:shift|rotate|change|adjust|turn|move)(?: the| all| its)* (?:hues?|colors?)|hue[ -]?(?:shift|rotat(?:e|ion))|hue|shift(?:ed)? colors?)\b(?= [^⟦]*\d)/,
  )
  if (!found) return []
  take(clause, /\bhue(?: shift)?\b/)
  const angle = takeIf(clause, /(?:\b(?:by|of|to) )?([+-])?\s?(\d+(?:\.\d+)?)(°|%)?/, ([, sign, value, unit]) => {
    const degrees = (unit === '%' ? Number(value) * 3.6 : Number(value)) * (sign === '-' ? -1 : 1)
    return ((degrees % 360) + 360) % 360
  })
  return angle ? [placed(found.at, { do: 'hue', degrees: angle.value })] : []
}

const readTint: Rule = (clause) => {
  const { rest } = clause
  const found =
    takeIf(clause, tinted, ([, colour]) => colourOf(colour ?? '')) ??
    takeIf(clause, colourTint, ([, colour]) => colourOf(colour ?? '')) ??
    takeIf(clause, madeColour, ([, colour]) => colourOf(colour ?? '')) ??
    takeIf(clause, /\b(?:more )?(blu|redd|green|yellow|purpl|pink|orang)(?:ish|er)\b/, ([, stem]) =>
      colourOf({ blu: 'blue', redd: 'red', purpl: 'purple', orang: 'orange' }[stem ?? ''] ?? stem ?? ''),
    ) ??
    takeIf(clause, /\bmore (blue|red|green|yellow|magenta|cyan|orange|pink|purple)s?\b/, ([, colour]) =>
      colourOf(colour ?? ''),
    )
  if (!found) return []
  const isNeutral = Math.max(...found.value) - Math.min(...found.value) < 24
  if (isNeutral) {
    // "make it grey" asks for no tint; black and white pictures would be gone with one.
    const brightness = found.value[0]
    if (brightness > 60 && brightness < 200) return [placed(found.at, { do: 'grey' })]
    clause.rest = rest
    return []
  }
  const amount = amountAt(takeAmounts(clause), found.at, [])
  take(clause, /\b(?:opacity|strength|opaque)\b/)
  return [placed(found.at, { do: 'tint', colour: found.value, amount: strengthOf(amount, 0.35) })]
}

export const readColour: Rule = (clause, context) => {
  for (const rule of [readSplash, readRecolour, readPaint, readDuotone, readHue, readTint]) {
    const steps = rule(clause, context)
    if (steps.length > 0) return steps
  }
  return []
}
