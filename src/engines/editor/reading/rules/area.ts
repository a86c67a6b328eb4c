import type { Area } from '../../operation.js'
import { type Clause, take, takeIf } from '../clause.js'
import { hueRangeOf } from '../colours.js'
import { takeEdges, takeRegion } from '../places.js'
import type { Context } from '../rule.js'
import { labelOf, thingWords } from '../things.js'

const articles =
  '(?:the |my |this |that |these |those |his |her |all |all of |every |both |our |some |any |other |unwanted |an? |two |three |four |five |\\d )*'
const someThing = new RegExp(
  `\\b(?:on |of |in |around )?${articles}(${thingWords})\\b(?: (?:in|of|from) (?:the |this )?(?:image|picture|photo|scene|shot))?`,
)

/** Takes where in the picture something is to happen. */
export const takeArea = (clause: Clause, { size }: Pick<Context, 'size'>): Area | undefined => {
  if (
    take(
      clause,
      /\b(?:everything|all|the rest|anything|whole image|picture|image)?\s*(?:but|except|apart from|other than|besides|outside|around|behind)(?: for)? (?:the |my )?(?:main )?(?:subject|foreground|person|people)\b/,
    )
  )
    return { in: 'background' }
  if (
    take(
      clause,
      /\b(?:in |on |of )?(?:the |its )?(?:background|backdrop|surroundings)\b|\bthe rest of (?:the |this )?(?:image|picture|photo)\b/,
    )
  )
    return { in: 'background' }
  if (take(clause, /\b(?:on |of |only |in )?(?:the )?(?:main |central )?(?:subject|foreground)(?: only)?\b/))
    return { in: 'subject' }
  if (
    take(
      clause,
      /\b(?:on |of |in |out )?(?:the |my |his |her |all |all the |their |every |both |(?:person|man|woman|girl|boy|child|kid)'s |people's |children's )*(?:faces?|heads?)\b(?: of (?:the |all |all the )?(?:people|person|man|woman|persons|kids?|child(?:ren)?))?/,
    )
  )
    return { in: 'face' }
  const object = takeIf(clause, someThing, ([, word]) => labelOf(word ?? ''))
  const colour = object
    ? undefined
    : takeIf(clause, /\b(?:all |in )?(?:the )?(red|blue|green|yellow|orange|purple|pink)s\b/, ([, name]) =>
        hueRangeOf(name ?? ''),
      )
  if (colour) return { in: 'colour', hue: colour.value, isOutside: false }
  const region = takeRegion(clause, size)
  if (object) return { in: 'object', label: object.value, within: region?.value }
  if (region) return { in: 'region', region: region.value }
  if (takeEdges(clause)) return { in: 'edges' }
  return undefined
}
