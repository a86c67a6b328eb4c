import type { Kind, Step } from '../operation.js'
import { kindOf } from '../operation.js'
import { type Clause, createClause, take } from './clause.js'
import { clausesOf } from './clauses.js'
import type { Context, Placed } from './rule.js'
import { takeArea } from './rules/area.js'
import { readBackground } from './rules/background.js'
import { readColour } from './rules/colour.js'
import { readFrame } from './rules/frame.js'
import { readLayers } from './rules/layers.js'
import { readLooks } from './rules/looks.js'
import { readRemoval } from './rules/removal.js'
import { readShape } from './rules/shape.js'
import { readStyles } from './rules/styles.js'
import { readText } from './rules/text.js'
import { directionOf, readTone } from './rules/tone.js'
import { strangersIn } from './words.js'

export type Reading = {
  steps: Step[]
  /** The first clause that asks for something which nobody here understands, about as it was written. */
  strange: string | undefined
}

export const stepsMax = 40
const clauseCharactersMax = 400

/** These can be limited to a part of the picture. */
const limitable: ReadonlySet<Kind> = new Set(['tone', 'colour', 'detail', 'effect', 'style'])

const rules = [readText, readLayers, readBackground, readRemoval, readShape, readFrame, readColour]

/** Wishes that nothing else changes, which nothing does. */
const assurance =
  /^(?:but |please |while )*(?:make sure (?:to |that )?)?(?:(?:keep|leave|preserve|maintain|retain)(?:ing)?\b.*\b(?:as (?:it|they) (?:is|are)|as is|unchanged|intact|untouched|alone|the same|original|in focus|sharp|everything else|the rest|subject|person|people|composition|details?|proportions|aspect ratio|quality|transparency|faces?|features|identity|likeness|natural|realistic)|(?:preserv|maintain|retain|leav)ing\b.*|(?:do not|don't|without) (?:chang|alter|touch|affect|modif|los|crop|distort)\w*\b.*|(?:it|the result|everything) should (?:look|be|stay|remain) (?:natural|realistic|the same)\w*|no other changes?)$/
const filling =
  /^(?:fill|inpaint|reconstruct|complete|replace|heal|blend|patch)(?: in)? (?:it|the (?:gap|hole|background|area|space|place|rest|empty|missing|removed)|what)\b/
const fixing =
  /^(?:so |please |can you |could you |kindly )*(?:fix|correct|improve|adjust|repair|change)(?: (?:it|this|that|the (?:exposure|lighting|brightness|colors?|image|photo|picture)))?(?: please)?$/
const complaining = /\b(?:is|it's|are|looks|too|under-?exposed|over-?exposed|came out)\b/
/** Flaws, alone: "remove noise and grain" does not add grain. */
const flaw =
  /^(?:(?:the|any|all|other|film|dust|color|motion|jpeg) )*(?:noise|grain|blur|haze|fog|scratches|dust|spots|dirt|stains|tears|creases|cracks|blemishes|color cast|damage|specks)$/
const removingVerb = /^(?:remove|erase|delete|get rid of|reduce|fix|repair)$/
/** What says more about a layer: how large, where, how opaque. */
const layerDetail =
  /^(?:at|with|in|and|to)?\s?(?:about |an? )?(?:\d+%|half|a quarter|small|large|tiny|big|the (?:top|bottom|center|middle|left|right|upper|lower)|(?:top|bottom|upper|lower)\b|opacity|semi-?transparent|scaled)/
const describing =
  /\b(photo|picture|image|portrait|shot|photograph|scan|selfie|snapshot|watercolor|painting|drawing|sketch|illustration|cartoon)s? of (?:[a-z'-]+ ?){1,8}?(?= (?:into|to look)\b|$)/
/** A style is of the whole picture, unless its part is what is turned into it. */
const stylesPart =
  /\b(?:turn|make|convert|transform|render|paint|draw|stylize) (?:only |just )?(?:the|my|his|her|all)\b(?! (?:\w+ed |input |given |original |whole |entire )?(?:image|picture|photo|thing|scene)\b)/
const marked =
  /\b(?:in |inside |within |only )*(?:the |this )?(?:mask(?:ed)?|selected|marked|selection)(?: (?:area|region|part|object|section))?\b/

const readClause = (text: string, context: Context): Placed[] | undefined => {
  if (text.length > clauseCharactersMax) return undefined
  const clause: Clause = createClause(text)
  const steps = rules.flatMap((rule) => rule(clause, context))
  if (context.hasMask) take(clause, marked)
  const before = clause.rest
  // A look is of the whole picture, and words for it come before words for its parts.
  const styles = stylesPart.test(text) ? [] : readStyles(clause, context)
  const area = styles.length > 0 ? undefined : takeArea(clause, context)
  const toned = [
    ...styles,
    ...(area && styles.length === 0 ? readStyles(clause, context) : []),
    ...readLooks(clause, context),
    ...readTone(clause, context),
  ]
  if (area && toned.length === 0 && !steps.some(isLimitable)) clause.rest = before
  steps.push(...toned)
  if (area) for (const step of steps) if (isLimitable(step)) step.area ??= area
  if (strangersIn(clause.rest).length === 0) return steps.sort((first, second) => first.at - second.at)
  return readShorter(text, context)
}

/** Without what it says about the picture as it is, or about what is to stay. */
const readShorter = (text: string, context: Context): Placed[] | undefined => {
  const undescribed = text.replace(describing, '$1')
  if (undescribed !== text) return readClause(undescribed, context)
  const but = /^(.+?) ((?:but|while|without|keep|keeping|preserving|maintaining)\b.+)$/.exec(text)
  return but && assurance.test(but[2] as string) ? readClause(but[1] as string, context) : undefined
}

const isLimitable = ({ operation }: Step) => limitable.has(kindOf(operation))

/** The verb of a clause that the next one may go on with: "remove the dog and the cat". */
const verbs =
  /\b(?:remove|erase|delete|get rid of|fix|repair|blur|pixelate|darken|brighten|sharpen|crop|increase|decrease|reduce|boost|make (?:it|the (?:image|photo|picture)|everything)|put|place|add)\b/

type Before = { text: string; at: number; isLayer: boolean }

/** What a prompt asks for, in its order. */
export const readPrompt = (
  prompt: string,
  given: Omit<Context, 'quotes' | 'direction' | 'isMeme'>,
  /** Whether a clause that is not understood only describes, and may be passed over. */
  mayDescribe: (clause: string) => boolean = () => false,
): Reading => {
  const { parts, quotes } = clausesOf(prompt)
  const steps: Step[] = []
  const isMeme = /\bmeme\b/i.test(prompt)
  let direction: 1 | -1 | undefined
  let verb: string | undefined
  let before: Before | undefined
  let isComplained = false
  for (const { text, isContinued } of parts) {
    if (steps.length > stepsMax) break
    if (!isContinued) [direction, verb, before] = [undefined, undefined, undefined]
    if (isPassed(text, steps, isComplained)) continue
    isComplained = complaining.test(text)
    const context: Context = { ...given, quotes, isMeme, direction }
    const withVerb = () => (verb === undefined ? undefined : readClause(`${verb} ${text}`, context))
    const isFlaw = verb !== undefined && removingVerb.test(verb) && flaw.test(text)
    const isDetail = isContinued && before?.isLayer === true && layerDetail.test(text)
    const found = isDetail ? undefined : ((isFlaw ? withVerb() : undefined) ?? readClause(text, context) ?? withVerb())
    // "add a border, red" says more about what came before.
    const joined = found === undefined && isContinued && before ? `${before.text} ${text}` : undefined
    const more = joined === undefined ? undefined : readClause(joined, context)
    if (more && before) steps.splice(before.at)
    const read = found ?? more
    if (!read && !mayDescribe(text)) return { steps, strange: unlifted(text, quotes) }
    const at = steps.length
    for (const { operation, area } of read ?? []) addOnce(steps, { operation, ...(area && { area }) })
    if (read)
      before = { text: joined ?? text, at, isLayer: read.some(({ operation }) => kindOf(operation) === 'layers') }
    direction = directionOf(text) ?? direction
    verb = verbs.exec(text)?.[0] ?? verb
  }
  return { steps, strange: undefined }
}

/** Whether a clause asks for nothing that is not done anyway. */
const isPassed = (text: string, steps: Step[], isComplained: boolean): boolean =>
  assurance.test(text) ||
  (isComplained && steps.length > 0 && fixing.test(text)) ||
  (filling.test(text) && steps.at(-1)?.operation.do === 'remove')

const repeatable: ReadonlySet<Kind> = new Set(['shape', 'text', 'frame', 'layers'])

/** "dust and scratches" is one wish, and so is what is said twice in a row. */
const addOnce = (steps: Step[], step: Step) => {
  const last = steps.at(-1)
  const isSame = last !== undefined && JSON.stringify(last) === JSON.stringify(step)
  if (!isSame || repeatable.has(kindOf(step.operation))) steps.push(step)
}

const unlifted = (text: string, quotes: string[]) =>
  text
    .replace(/⟦(\d+)⟧/g, (_all, index) => `"${quotes[Number(index)] ?? ''}"`)
    .replaceAll('blackwhite', 'black and white')
    .replaceAll('tealorange', 'teal and orange')
    .replaceAll('before-after', 'before and after')
