import type { Kind, Step } from '../operation.js'
import { kindOf } from '../operation.js'
import { type Clause, createClause } from './clause.js'
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
const limitable: ReadonlySet<Kind> = new Set(['tone', 'colour', 'detail', 'effect'])

const rules = [readText, readLayers, readBackground, readRemoval, readShape, readFrame, readColour]

/** Wishes that nothing else changes, which nothing does. */
const assurance =
  /^(?:but |please )*(?:(?:keep|leave|preserve|maintain|retain)\b.*\b(?:as (?:it|they) (?:is|are)|as is|unchanged|intact|untouched|alone|the same|original|in focus|sharp|everything else|the rest|subject|person|people|composition|details?|proportions|aspect ratio|quality|transparency|faces?|features|identity|likeness)|(?:do not|don't|without) (?:chang|alter|touch|affect|modif|los|crop|distort)\w*\b.*)$/

const describing = /\b(?:photo|picture|image|portrait|shot|photograph|scan|selfie|snapshot)s? of (?:[a-z'-]+ ?){1,8}$/

const readClause = (text: string, context: Context): Placed[] | undefined => {
  if (text.length > clauseCharactersMax) return undefined
  const clause: Clause = createClause(text)
  const steps = rules.flatMap((rule) => rule(clause, context))
  const before = clause.rest
  const area = takeArea(clause, context)
  // A look is of the whole picture, and words for it come before words for its parts.
  const toned = [...readLooks(clause, context), ...readTone(clause, context)]
  if (area && toned.length === 0 && !steps.some(isLimitable)) clause.rest = before
  steps.push(...toned)
  if (area) for (const step of steps) if (isLimitable(step)) step.area ??= area
  const strangers = strangersIn(clause.rest)
  if (strangers.length === 0) return steps.sort((first, second) => first.at - second.at)
  const shorter = text.replace(describing, 'photo')
  return shorter === text ? undefined : readClause(shorter, context)
}

const isLimitable = ({ operation }: Step) => limitable.has(kindOf(operation))

/** The verb of a clause that the next one may go on with: "remove the dog and the cat". */
const verbOf = (text: string) =>
  /\b(?:remove|erase|delete|get rid of|blur|pixelate|darken|brighten|sharpen|crop|increase|decrease|reduce|boost|make (?:it|the (?:image|photo|picture)|everything)|put|place|add)\b/.exec(
    text,
  )?.[0]

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
  let previous: { text: string; at: number } | undefined
  for (const { text, isContinued } of parts) {
    if (steps.length > stepsMax) break
    if (!isContinued) [direction, verb, previous] = [undefined, undefined, undefined]
    if (assurance.test(text)) continue
    const context: Context = { ...given, quotes, isMeme, direction }
    const found = readClause(text, context) ?? (verb === undefined ? undefined : readClause(`${verb} ${text}`, context))
    // "add a border, red" says more about what came before.
    const joined = found === undefined && isContinued && previous ? `${previous.text} ${text}` : undefined
    const more = joined === undefined ? undefined : readClause(joined, context)
    if (more && previous) steps.splice(previous.at)
    const at = steps.length
    for (const { operation, area } of found ?? more ?? []) steps.push({ operation, ...(area && { area }) })
    if (!found && !more && !mayDescribe(text)) return { steps, strange: unlifted(text, quotes) }
    if (found || more) previous = { text: joined ?? text, at }
    direction = directionOf(text) ?? direction
    verb = verbOf(text) ?? verb
  }
  return { steps, strange: undefined }
}

const unlifted = (text: string, quotes: string[]) =>
  text
    .replace(/⟦(\d+)⟧/g, (_all, index) => `"${quotes[Number(index)] ?? ''}"`)
    .replaceAll('blackwhite', 'black and white')
