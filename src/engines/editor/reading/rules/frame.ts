import type { Colour, Frame } from '../../operation.js'
import { amountAt, strengthOf, takeAmounts } from '../amounts.js'
import { has, take, takeIf } from '../clause.js'
import { black, colourAfter, takeColour, white } from '../colours.js'
import { placed, type Rule } from '../rule.js'

const frameColour = colourAfter('\\b(?:in|of color|colored) ')

const readBorder: Rule = (clause) => {
  if (has(clause, /\b(?:remove|erase|delete|without|no|crop|trim)\b/)) return []
  const noun = take(
    clause,
    /\b(?:(?:photo|picture|outer|passe-?partout) )?(?:borders?|frames?|framed|margins?|padding|padded|mat|passe-?partout)\b(?: around(?: (?:it|the (?:image|picture|photo|edges)))?)?(?: (?:on|at) (?:all|each) sides?)?/,
  )
  if (!noun) return []
  const isInside = take(clause, /\b(?:inner|inside|inset)\b/) !== undefined
  const isTransparent = take(clause, /\btransparent\b/) !== undefined
  const colour = takeColour(clause, frameColour)?.value
  const pixels = takeIf(clause, /\b(\d+)px?\b(?: (?:wide|thick|width))?/, ([, value]) => Number(value))
  const percent = pixels
    ? undefined
    : takeIf(clause, /\b(\d+(?:\.\d+)?)%(?: (?:wide|thick|width))?/, ([, value]) => Number(value) / 100)
  const part = take(clause, /\b(?:very thin|hairline|tiny)\b/)
    ? 0.008
    : take(clause, /\b(?:thin|narrow|small|slim|fine)\b/)
      ? 0.02
      : take(clause, /\b(?:very (?:thick|wide|large)|huge|massive)\b/)
        ? 0.15
        : take(clause, /\b(?:thick|wide|large|big|broad|heavy|bold)\b/)
          ? 0.09
          : 0.045
  take(clause, /\b(?:simple|plain|solid|classic|elegant|modern|decorative)\b/)
  const width = pixels?.value ?? percent?.value ?? part
  if (width <= 0 || (pixels ? width > 4000 : width > 1)) return []
  const usual: Colour = /mat|passe|frame/.test(noun.groups[0] ?? '') ? black : white
  return [
    placed(noun.at, {
      do: 'border',
      width,
      unit: pixels ? 'pixels' : 'part',
      colour: isTransparent ? 'transparent' : (colour ?? usual),
      isInside,
    }),
  ]
}

const simple: [RegExp, Frame][] = [
  [
    /\b(?:as |like |into )?(?:an? )?polaroid\b(?: (?:frame|photo|style|border|look|picture|effect))?/,
    { do: 'polaroid' },
  ],
  [/\b(?:(?:very|strongly|large) )round(?:ed)? (?:the )?(?:corners?|edges)\b/, { do: 'rounded', radius: 0.16 }],
  [/\bslightly round(?:ed)? (?:the )?(?:corners?|edges)\b/, { do: 'rounded', radius: 0.035 }],
  [
    /\b(?:round(?:ed)? (?:off )?(?:the |its )?(?:corners?|edges|border)|corners? rounded)\b/,
    { do: 'rounded', radius: 0.07 },
  ],
  [/\bdrop[ -]?shadow\b(?: (?:around|behind|under) it)?/, { do: 'shadow', amount: 1 }],
  [
    /\b(?:round|circular|circle)(?: (?:shape|crop|mask|avatar|picture|profile picture))\b|\b(?:make (?:it|this|the (?:image|picture|photo)) )(?:round|circular)\b(?! (?:corners|edges))|\b(?:into|as|to) an? (?:circle|round avatar)\b/,
    { do: 'circle' },
  ],
]

export const readFrame: Rule = (clause, context) => {
  if (context.images > 1 && has(clause, /\bpolaroids\b/)) return []
  const radius = takeIf(
    clause,
    /\bround(?:ed)? (?:the )?corners?(?: (?:of|by|with(?: a)?(?: radius of)?))? (\d+(?:\.\d+)?)(%|px)/,
    ([, value, unit]) =>
      Math.min(
        0.5,
        unit === '%' ? Number(value) / 100 : Number(value) / Math.min(context.size.width, context.size.height),
      ),
  )
  const steps = radius ? [placed(radius.at, { do: 'rounded', radius: radius.value })] : []
  for (const [pattern, operation] of simple) {
    const found = take(clause, pattern)
    if (!found) continue
    const strength = operation.do === 'shadow' ? strengthOf(amountAt(takeAmounts(clause), found.at, []), 1, 2) : 1
    steps.push(placed(found.at, operation.do === 'shadow' ? { ...operation, amount: strength } : operation))
  }
  return [...steps, ...readBorder(clause, context)]
}
