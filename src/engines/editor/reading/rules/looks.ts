import type { Operation } from '../../operation.js'
import { amountAt, takeAmounts } from '../amounts.js'
import { has, take } from '../clause.js'
import { patternOf } from '../pattern-of.js'
import { type Placed, placed, type Rule } from '../rule.js'

/** Styles by what people call them; the names are those of the styles. */
const styles: [string, string][] = [
  ['watercolor', 'water ?colou?rs?(?: painting)?|aquarelle'],
  [
    'oil-painting',
    '(?:impressionist )?oil[ -]?paint(?:ing|ed)?|oil on canvas|impressionis(?:m|t)(?: painting)?|van gogh|(?<=(?:like|into|as) (?:an? )?)painting',
  ],
  [
    'pencil-sketch',
    'pencil(?: sketch| drawing)?|sketch(?:ed)?(?: drawing)?|graphite(?: drawing)?|hand[ -]drawn(?: sketch)?',
  ],
  ['charcoal', 'charcoal (?:drawing|sketch)|charcoal'],
  ['line-art', 'line[ -]?(?:art|drawing)|ink (?:drawing|outline)|outline drawing|coloring page|ink sketch'],
  ['comic-book', 'comic(?:s)?(?:[ -]?book)?|cartoon(?:y|ish)?|graphic novel|cel[ -]shad(?:ed|ing)'],
  ['pop-art', 'pop[ -]?art|warhol|lichtenstein'],
  ['pixel-art', '(?:8|16)[ -]?bit|pixel[ -]?art|retro game'],
  ['stained-glass', 'stained[ -]?glass(?: window)?'],
  ['low-poly', 'low[ -]?poly(?:gon(?:al)?)?'],
  ['pointillism', 'pointillis(?:m|t)|dots? painting|seurat'],
  ['woodcut', 'wood[ -]?cut|wood[ -]?block|lino[ -]?cut|engraving|engraved'],
  ['film-noir', 'film[ -]?noir|noir'],
  ['analog-film', 'analog(?:ue)?[ -]?film|35 ?mm(?: film)?|kodak|film (?:photo|look|camera|stock)|lomo(?:graphy)?'],
  ['neon-noir', 'neon[ -]?noir|cyber ?punk|neon (?:lights|look|style)|synthwave|vaporwave'],
  ['paper-cut', 'paper[ -]?cut(?:[ -]?out)?|cut[ -]paper|papercraft'],
  ['tilt-shift', 'tilt[ -]?shift|miniature(?: model)?|toy (?:town|model)'],
  ['blueprint', 'blue ?print|technical drawing'],
]

const patterns = styles.map(
  ([id, words]) =>
    [
      id,
      patternOf(
        `(?:\\b(?:into|as|like|in the style of|in) )?(?:\\ban? )?(?:\\b(?:${words})\\b)(?:[ -]?(?:style|effect|filter|look|painting|drawing|illustration|art|picture|version|portrait|like))*`,
      ),
    ] as const,
)

export const isStyleId = (id: string): boolean => styles.some(([own]) => own === id)
export const mentionsStyle = (text: string): boolean => patterns.some(([, pattern]) => pattern.test(text))

/** Looks that are several operations. */
const recipes: [RegExp, Operation[]][] = [
  [
    /\b(?:(?:like |at |into |look like )?(?:the )?night(?: ?time)?|day[ -](?:in)?to[ -](?:the )?night|moonlight|midnight)\b(?: (?:scene|shot|look|photo))?/,
    [
      { do: 'exposure', stops: -1.1 },
      { do: 'saturation', amount: -0.45 },
      { do: 'tint', colour: [40, 70, 160], amount: 0.4 },
      { do: 'contrast', amount: 0.12 },
      { do: 'vignette', amount: 0.5, colour: [0, 0, 0] },
    ],
  ],
  [
    /\b(?:golden[ -]hour|sunset|sunrise|sun-?kissed|warm evening|evening sun)\b(?: (?:light|lighting|look|tones?|glow))?/,
    [
      { do: 'temperature', amount: 0.65 },
      { do: 'tint', colour: [255, 170, 80], amount: 0.18 },
      { do: 'shadows', amount: 0.2 },
      { do: 'vibrance', amount: 0.3 },
      { do: 'glow', amount: 0.25 },
    ],
  ],
  [
    /\b(?:vintage|retro|old[ -]?(?:fashioned|school|timey|time)|(?:19)?[67]0'?s|nostalgic|antique)\b(?: (?:photo|look|film))?/,
    [
      { do: 'saturation', amount: -0.3 },
      { do: 'temperature', amount: 0.35 },
      { do: 'fade', amount: 0.5 },
      { do: 'vignette', amount: 0.35, colour: [30, 15, 0] },
      { do: 'grain', amount: 0.2 },
    ],
  ],
  [
    /\b(?:cinematic|movie(?:[ -]like)?|teal (?:and|to|&) orange|teal-orange|film grade|blockbuster)\b/,
    [
      { do: 'contrast', amount: 0.18 },
      { do: 'saturation', amount: -0.1 },
      { do: 'highlights', amount: -0.15 },
      { do: 'duotone', dark: [0, 40, 60], light: [255, 220, 180], amount: 0.3 },
      { do: 'vignette', amount: 0.3, colour: [0, 0, 0] },
    ],
  ],
  [
    /\b(?:dramatic|moody)\b(?: (?:lighting|look|sky))?/,
    [
      { do: 'localContrast', amount: 0.6 },
      { do: 'brightness', amount: -0.12 },
      { do: 'contrast', amount: 0.2 },
      { do: 'vignette', amount: 0.5, colour: [0, 0, 0] },
    ],
  ],
  [
    /\b(?:winter|wintry|cold winter)\b(?: (?:look|mood|feel))?/,
    [
      { do: 'temperature', amount: -0.5 },
      { do: 'saturation', amount: -0.25 },
      { do: 'brightness', amount: 0.08 },
    ],
  ],
  [
    /\b(?:autumn(?:al)?|in fall colors)\b/,
    [
      { do: 'hue', degrees: 340 },
      { do: 'temperature', amount: 0.4 },
      { do: 'saturation', amount: 0.1 },
    ],
  ],
  [
    /\b(?:lofi|lo-fi|instagram filter)\b/,
    [
      { do: 'contrast', amount: 0.2 },
      { do: 'vibrance', amount: 0.4 },
      { do: 'vignette', amount: 0.4, colour: [0, 0, 0] },
    ],
  ],
  [
    /\b(?:old photo(?:graph)? (?:look|effect|style)|look (?:old|aged)|aged|older photo)\b/,
    [
      { do: 'sepia', amount: 0.8 },
      { do: 'fade', amount: 0.4 },
      { do: 'vignette', amount: 0.45, colour: [30, 15, 0] },
      { do: 'grain', amount: 0.3 },
    ],
  ],
  [
    /\b(?:restor(?:e|ed|ation|ing)|repair(?:ed)?|rescue|revive)\b(?: (?:the |this |my |an? )?(?:old |damaged |faded |scratched |historic |family |vintage )*(?:photo(?:graph)?|picture|image|scan))?/,
    [
      { do: 'scratches' },
      { do: 'denoise', amount: 0.7 },
      { do: 'levels', isPerChannel: true },
      { do: 'sharpen', amount: 0.7 },
    ],
  ],
  [
    /\b(?:(?:fix|restore|correct|revive|bring back) (?:the )?(?:faded )?colors?|faded colors?|fix (?:the )?fading|(?:fix|correct) (?:the )?faded (?:photo|picture|image)|unfade)\b/,
    [{ do: 'levels', isPerChannel: true }],
  ],
  [
    /\b(?:enhance(?:d|ment)?|improve(?:d|ment)?|auto[ -]?(?:enhance|fix|correct)|beautify|fix (?:it|this|the (?:image|photo|picture))|retouch|make it (?:look )?(?:better|nicer|great|professional|good)|touch up)\b(?: (?:it|this|the (?:old )?(?:image|photo|picture|quality)))?/,
    [
      { do: 'levels', isPerChannel: false },
      { do: 'vibrance', amount: 0.25 },
      { do: 'shadows', amount: 0.15 },
      { do: 'sharpen', amount: 0.6 },
    ],
  ],
]

export const readLooks: Rule = (clause) => {
  const steps: Placed[] = []
  for (const [id, pattern] of patterns) {
    const found = take(clause, pattern)
    if (!found) continue
    const amount = amountAt(takeAmounts(clause), found.at, [])
    const strength = amount.part ?? (amount.strength === 1 ? undefined : Math.min(1, 0.65 * amount.strength))
    steps.push(placed(found.at, { do: 'style', id, strength }))
  }
  if (
    has(clause, /\b(?:noise|blur|scratch|sharpness|brightness|contrast|saturation|shadows|highlights|details?)\b/) &&
    has(clause, /\b(?:enhance|improve)\b/)
  )
    return steps
  // Colours that faded are restored as colours, not as a whole photograph.
  const isFaded = has(clause, /\b(?:restore|fix|correct|revive|bring back)\b[^~]*\bcolors?\b/)
  for (const [pattern, operations] of recipes) {
    if (isFaded && pattern.source.includes('restor(?:')) continue
    const found = take(clause, pattern)
    if (!found) continue
    steps.push(...operations.map((operation) => placed(found.at, operation)))
    if (pattern.source.includes('restor'))
      take(clause, /\b(?:old|damaged|faded|scratched|historic|family|vintage|photo)\b/)
  }
  return steps
}
