import type { Operation } from '../../operation.js'
import { has, take } from '../clause.js'
import { type Placed, placed, type Rule } from '../rule.js'

/** Looks that are several operations. */
const looks: { pattern: RegExp; operations: Operation[]; isRepair?: true }[] = [
  {
    pattern:
      /\b(?:clean(?: up)?(?= (?:this|the|my) (?:old )?(?:photo|picture|image|scan))|restor(?:e|ed|ation|ing)|repair(?:ed)?|rescue|revive)\b(?: (?:the |this |my |an? )?(?:old |damaged |faded |scratched |historic |family |vintage )*(?:photo(?:graph)?|picture|image|scan))?/,
    operations: [
      { do: 'scratches' },
      { do: 'denoise', amount: 0.7 },
      { do: 'levels', isPerChannel: true },
      { do: 'sharpen', amount: 0.7 },
    ],
    isRepair: true,
  },
  {
    pattern:
      /\b(?:(?:like |at |into |look like )?(?:the )?night(?: ?time)?|day[ -](?:in)?to[ -](?:the )?night|moonlight|midnight)\b(?: (?:scene|shot|look|photo))?/,
    operations: [
      { do: 'exposure', stops: -1.1 },
      { do: 'saturation', amount: -0.45 },
      { do: 'tint', colour: [40, 70, 160], amount: 0.4 },
      { do: 'contrast', amount: 0.12 },
      { do: 'vignette', amount: 0.5, colour: [0, 0, 0] },
    ],
  },
  {
    pattern:
      /\b(?:golden[ -]hour|sunset|sunrise|sun-?kissed|warm evening|evening sun)\b(?: (?:light(?:ing)?|look|tones?|glow)\b)?/,
    operations: [
      { do: 'temperature', amount: 0.65 },
      { do: 'tint', colour: [255, 170, 80], amount: 0.18 },
      { do: 'shadows', amount: 0.2 },
      { do: 'vibrance', amount: 0.3 },
      { do: 'glow', amount: 0.25 },
    ],
  },
  {
    pattern:
      /\b(?:vintage|retro|old[ -]?(?:fashioned|school|timey|time)|(?:19)?[6789]0'?s|nostalgic|antique)\b(?: (?:photo|look|film))?/,
    operations: [
      { do: 'saturation', amount: -0.3 },
      { do: 'temperature', amount: 0.35 },
      { do: 'fade', amount: 0.5 },
      { do: 'vignette', amount: 0.35, colour: [30, 15, 0] },
      { do: 'grain', amount: 0.2 },
    ],
  },
  {
    pattern: /\b(?:cinematic|movie(?:[ -]like)?|teal to orange|tealorange|film grade|blockbuster)\b(?: color)?/,
    operations: [
      { do: 'contrast', amount: 0.18 },
      { do: 'saturation', amount: -0.1 },
      { do: 'highlights', amount: -0.15 },
      { do: 'duotone', dark: [0, 40, 60], light: [255, 220, 180], amount: 0.3 },
      { do: 'vignette', amount: 0.3, colour: [0, 0, 0] },
    ],
  },
  {
    pattern: /\b(?:dramatic|mood(?:y|ier))\b(?: (?:lighting|light|look))?/,
    operations: [
      { do: 'localContrast', amount: 0.6 },
      { do: 'brightness', amount: -0.12 },
      { do: 'contrast', amount: 0.2 },
      { do: 'vignette', amount: 0.5, colour: [0, 0, 0] },
    ],
  },
  {
    pattern: /\b(?:winter|wintry|cold winter)\b(?: (?:look|mood|feel))?/,
    operations: [
      { do: 'temperature', amount: -0.5 },
      { do: 'saturation', amount: -0.25 },
      { do: 'brightness', amount: 0.08 },
    ],
  },
  {
    pattern: /\b(?:autumn(?:al)?|in fall colors)\b/,
    operations: [
      { do: 'hue', degrees: 340 },
      { do: 'temperature', amount: 0.4 },
      { do: 'saturation', amount: 0.1 },
    ],
  },
  {
    pattern: /\bpastel\b(?: (?:colors?|tones?|palette))?/,
    operations: [
      { do: 'saturation', amount: -0.3 },
      { do: 'fade', amount: 0.35 },
      { do: 'brightness', amount: 0.14 },
    ],
  },
  {
    pattern: /\b(?:lofi|lo-fi|instagram filter)\b/,
    operations: [
      { do: 'contrast', amount: 0.2 },
      { do: 'vibrance', amount: 0.4 },
      { do: 'vignette', amount: 0.4, colour: [0, 0, 0] },
    ],
  },
  {
    pattern:
      /\b(?:old photo(?:graph)? (?:look|effect|style)|like an? (?:very )?old (?:photo(?:graph)?|picture|image)|look (?:old|aged)|aged|older photo)\b/,
    operations: [
      { do: 'sepia', amount: 0.8 },
      { do: 'fade', amount: 0.4 },
      { do: 'vignette', amount: 0.45, colour: [30, 15, 0] },
      { do: 'grain', amount: 0.3 },
    ],
  },
  {
    pattern:
      /\b(?:(?:fix|restore|repair|correct|revive|bring back) (?:the )?(?:faded )?colors?|faded colors?|fix (?:the )?fading|(?:fix|correct) (?:the )?faded (?:photo|picture|image)|unfade)\b/,
    operations: [{ do: 'levels', isPerChannel: true }],
  },
  {
    pattern:
      /\b(?:enhance(?:d|ment)?|improve(?:d|ment)?|auto[ -]?(?:enhance|fix|correct)(?! (?:the )?(?:levels|contrast|colors?|white|exposure))|beautify|fix (?:it|this|the (?:image|photo|picture))|retouch|make it (?:look )?(?:better|nicer|great|professional|good)|touch up)\b(?: (?:it|this|the (?:old )?(?:image|photo|picture|quality)))?/,
    operations: [
      { do: 'levels', isPerChannel: false },
      { do: 'vibrance', amount: 0.25 },
      { do: 'shadows', amount: 0.15 },
      { do: 'sharpen', amount: 0.6 },
    ],
  },
]

const qualities =
  /\b(?:noise|blur|scratch|sharpness|brightness|contrast|saturation|shadows|highlights|details?|clarity|vibrance|exposure)\b/

export const readLooks: Rule = (clause) => {
  if (has(clause, /\b(?:enhance|improve)\b/) && has(clause, qualities)) return []
  // Colours that faded are restored as colours, not as a whole photograph.
  const isFaded = has(clause, /\b(?:restore|fix|correct|revive|bring back|repair)\b[^~]*\bcolors?\b/)
  const steps: Placed[] = []
  for (const { pattern, operations, isRepair } of looks) {
    if (isFaded && isRepair) continue
    const found = take(clause, pattern)
    if (!found) continue
    while (take(clause, pattern));
    steps.push(...operations.map((operation) => placed(found.at, operation)))
    if (isRepair) while (take(clause, /\b(?:old|damaged|faded|scratched|historic|family|vintage|photo)\b/));
  }
  return steps
}
