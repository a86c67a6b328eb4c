import type { Meaning } from '../reading/lexicon.js'
import { singularsOf } from '../reading/tokens.js'
import { type Dictionary, type Entry, openDictionary, type Sense, type Subject } from './dictionary.js'
import { createFindNearest } from './nearest.js'

/** One of the things that a noun may stand for. */
export type Choice = {
  /** Undefined when there is nothing to show for it. */
  meaning: Meaning | undefined
  gloss: string
  /** Whether it is the name of a single place. */
  isName: boolean
}

export type Noun = {
  /** The most likely first. */
  choices: [Choice, ...Choice[]]
  isPlural: boolean
  /** Whether it is a verb as well. */
  isVerb: boolean
}

export type Nouns = {
  /** What a phrase stands for: undefined if it is no noun, null if it is one that is not shown. */
  find(phrase: string): Noun | null | undefined
  /** How many pieces of files have been read. */
  reads(): number
}

/** Counts of uses that differ by no more than this say nothing: most words were never met. */
const countsApart = 2
const choicesMax = 6
const rememberedMax = 4000

const vivid: ReadonlySet<Subject | undefined> = new Set(['animal', 'artifact', 'food', 'plant'])
/** Of meanings that are as usual as each other, what prompts mean first. */
const order: (Subject | undefined)[] = ['food', 'animal', 'object', 'writing', 'location', 'substance', 'person']

/** Meanings that are nearly as usual as the first, ordered by what prompts mean. */
const likelyOf = ({ senses }: Entry): Sense[] => {
  const most = senses[0]?.uses ?? 0
  const likely = senses.filter(({ subject, uses }) => subject !== undefined && most - uses < countsApart)
  const has = (wanted: Subject) => likely.some(({ subject }) => subject === wanted)
  // Fish and fowl are alive before they are food, fruits are fruits and not the trees, and people have nicknames.
  const isMeant = ({ subject }: Sense) =>
    subject !== 'top' &&
    !(subject === 'food' && has('animal')) &&
    !(subject === 'plant' && has('food')) &&
    !(subject === 'person' && likely.some((other) => vivid.has(other.subject)))
  const place = ({ subject }: Sense) => order.indexOf(vivid.has(subject) && subject !== 'food' ? 'animal' : subject)
  return likely.filter(isMeant).sort((first, second) => place(first) - place(second))
}

const isMostlyNoun = ({ senses, verbUses, otherUses }: Entry) => {
  const uses = senses.reduce((sum, sense) => sum + sense.uses, 0)
  return senses.length > 0 && uses >= verbUses - countsApart && uses >= otherUses - countsApart
}

export const createNouns = (dictionary: Dictionary = openDictionary()): Nouns => {
  const findNearest = createFindNearest(dictionary)
  const remembered = new Map<string, Noun | null | undefined>()

  const lookUp = (phrase: string): { entry: Entry; isPlural: boolean } | undefined => {
    const own = dictionary.look(phrase)
    if (own) return { entry: own, isPlural: false }
    for (const singular of singularsOf(phrase)) {
      const entry = dictionary.look(singular)
      if (entry) return { entry, isPlural: true }
    }
    return undefined
  }

  const choiceOf = ({ concept, subject }: Sense): Choice => {
    const { gloss, instanceOf } = dictionary.concept(concept)
    return { meaning: subject && findNearest(concept), gloss, isName: instanceOf.length > 0 }
  }

  const read = (phrase: string): Noun | null | undefined => {
    const { entry, isPlural } = lookUp(phrase) ?? {}
    if (!entry || !isMostlyNoun(entry)) return undefined
    const choices = new Map(entry.senses.slice(0, choicesMax).map((sense) => [sense, choiceOf(sense)]))
    const usual = likelyOf(entry).find((sense) => choices.get(sense)?.meaning)
    const first = usual && choices.get(usual)
    if (!first) return null
    const others = [...choices.values()].filter((choice) => choice !== first)
    return { choices: [first, ...others], isPlural: isPlural === true, isVerb: entry.isVerb }
  }

  return {
    find(phrase) {
      if (!remembered.has(phrase)) {
        if (remembered.size >= rememberedMax) remembered.clear()
        remembered.set(phrase, read(phrase))
      }
      return remembered.get(phrase)
    },
    reads: dictionary.reads,
  }
}
