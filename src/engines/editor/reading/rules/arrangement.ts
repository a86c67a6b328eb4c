import type { Layering } from '../../operation.js'
import { type Clause, has, take } from '../clause.js'
import { type Placed, placed } from '../rule.js'

type Arrangement = Extract<Layering, { do: 'arrange' }>['as']

const them =
  '(?:(?:all |both |each |of |these |those |the |my |our |two |three |four |five |six |\\d+ )*(?:images|photos|photographs|pictures|pics|shots|them|layers|others|both|all|two)\\b)'
const second = '(?:the )?(?:second|2nd|other)(?: (?:image|picture|photo|one))?'
const first = '(?:the )?(?:first|1st)(?: (?:image|picture|photo|one))?'

/** The first that fits counts. */
const arrangements: [RegExp, Arrangement][] = [
  [/\b(?:as |like |of |into |with )?(?:scattered )?polaroids\b|\bpolaroid collage\b/, 'polaroids'],
  [
    /\b(?:in |as |into )?(?:an? )?(?:photo |image |picture |\d{1,2}x\d{1,2} )*(?:collage|grid|mosaic|montage|contact sheet|mood ?board)\b/,
    'grid',
  ],
  [
    new RegExp(
      `\\b(?:side[ -]by[ -]side|next to (?:each other|one another|${first})|beside (?:each other|one another|${first})|to the right of ${first}|in (?:a|one) (?:single )?row|horizontally|left to right|before-after)\\b`,
    ),
    'row',
  ],
  [
    new RegExp(
      `\\b(?:on top of (?:each other|one another)|in (?:a|one) (?:single )?column|vertically|one (?:above|below|under) the other|(?:above|below|under) each other|top to bottom|(?:below|under|underneath|beneath) ${first}|stack(?:ed)?(?= (?:${them})?))\\b`,
    ),
    'column',
  ],
]

const verbs =
  /\b(?:combine|merge|join|arrange|stitch|lay|line|set|put|place|compose|assemble|mix|tile|unite|make|create|build|stack|organi[sz]e|show|display|turn|fit)(?:d|ed)?\b(?: out| up)?/
const groups = new RegExp(`\\b(?:of |from |with |using |into )*${them}`)
const secondImage = new RegExp(`\\b(?:${second})`)
const joining = new RegExp(
  `\\b(?:combine|merge|join|stitch|unite|assemble|compose)\\b(?: ${them})?(?: together)?(?: (?:in)?to (?:one|a single)(?: (?:image|picture|photo))?)?`,
)

/** All images beside, below or around each other. */
export const readArrangement = (clause: Clause, images: number): Placed[] => {
  for (const [pattern, as] of arrangements) {
    const found = take(clause, pattern)
    if (!found) continue
    while (take(clause, pattern));
    while (take(clause, verbs));
    if (has(clause, secondImage) && /first|1st|each other|one another|side|row|column/.test(found.groups[0] ?? ''))
      take(clause, secondImage)
    while (take(clause, groups));
    take(clause, /\b(?:combined?|laid out|scattered|with|comparison|layout|together|out|up)\b/)
    return [placed(found.at, { do: 'arrange', as })]
  }
  const joined = take(clause, joining)
  // Two fit beside each other, whole.
  return joined ? [placed(joined.at, { do: 'arrange', as: images === 2 ? 'row' : 'grid' })] : []
}
