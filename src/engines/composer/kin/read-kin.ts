import { loadLexicon, type Meaning } from '../reading/lexicon.js'
import { singularsOf, type Token } from '../reading/tokens.js'
import { type Dictionary, type Entry, openDictionary, type Sense, type Subject } from './dictionary.js'
import { createKin, type Kin } from './kin.js'
import { unreadable } from './unreadable.js'

export type KinFound = { meanings: Meaning[]; length: number; isPlural: boolean }

/** What the words from a place of the prompt mean by their kin, when that is longer than what is known of them. */
export type ReadKin = (tokens: readonly Token[], start: number, knownLength: number) => KinFound | undefined

/** Words and phrases that are looked up for one prompt; the rest of it is read without the dictionary. */
export const lookupsMax = 60
const phraseWordsMax = 3
const remembered = 4000

/** Counts of uses that differ by no more than this say nothing: most words were never met. */
const countsApart = 2

const vivid: ReadonlySet<Subject | undefined> = new Set(['animal', 'artifact', 'food', 'plant'])
/** Of meanings that are as usual as each other, what prompts mean first. */
const likelihood: (Subject | undefined)[] = ['food', 'plant', 'object', 'writing', 'location', 'substance', 'person']

/** Meanings that are nearly as usual as the first, those that prompts mean by the word before others. */
const likelyOf = ({ senses }: Entry): Sense[] => {
  const most = senses[0]?.uses ?? 0
  const likely = senses.filter(({ subject, uses }) => subject !== undefined && most - uses < countsApart)
  const isVivid = likely.some(({ subject }) => vivid.has(subject))
  const isAnimal = likely.some(({ subject }) => subject === 'animal')
  // Fish and fowl are alive before they are food.
  const order = ({ subject }: Sense) => (subject === 'food' && !isAnimal ? -1 : likelihood.indexOf(subject))
  return likely
    .filter(({ subject }) => subject !== 'top' && !(isVivid && subject === 'person'))
    .sort((first, second) => order(first) - order(second))
}

type Noun = { entry: Entry; isPlural: boolean }

export type KinLibrary = { reader(): ReadKin; reads(): number }

export const createKinLibrary = (dictionary: Dictionary = openDictionary()): KinLibrary => {
  const kin: Kin = createKin(dictionary)
  const known = new Map<string, { meaning: Meaning; isPlural: boolean; isVerb: boolean; isName: boolean } | null>()

  const look = (phrase: string): Noun | undefined => {
    const entry = dictionary.look(phrase)
    if (entry && entry.senses.length > 0) return { entry, isPlural: false }
    if (entry) return undefined
    for (const singular of singularsOf(phrase)) {
      const entry = dictionary.look(singular)
      if (entry && entry.senses.length > 0) return { entry, isPlural: true }
    }
    return undefined
  }

  const isMostlyNoun = ({ senses, verbUses, otherUses }: Entry) => {
    const uses = senses.reduce((sum, sense) => sum + sense.uses, 0)
    return uses >= verbUses - countsApart && uses >= otherUses - countsApart
  }

  const meaningOf = (phrase: string) => {
    const found = look(phrase)
    if (!found || !isMostlyNoun(found.entry)) return null
    for (const sense of likelyOf(found.entry)) {
      const isName = dictionary.concept(sense.concept).instanceOf.length > 0
      const climbed = kin.climb(sense, isName)
      if (climbed && (!isName || climbed.meaning.kind === 'place'))
        return { meaning: climbed.meaning, isPlural: found.isPlural, isVerb: found.entry.isVerb, isName }
    }
    return null
  }

  const recall = (phrase: string) => {
    let meaning = known.get(phrase)
    if (meaning === undefined) {
      if (known.size >= remembered) known.clear()
      meaning = meaningOf(phrase)
      known.set(phrase, meaning)
    }
    return meaning
  }

  return {
    reads: dictionary.reads,
    reader: () => {
      let lookups = 0
      const text = (tokens: readonly Token[], at: number) => {
        const token = tokens[at]
        return token?.kind === 'word' ? token.text : undefined
      }
      return (tokens, start, knownLength) => {
        const words: string[] = []
        for (let at = start; words.length < phraseWordsMax; at++) {
          const word = text(tokens, at)
          if (word === undefined || word.length < 3 || unreadable.has(word)) break
          words.push(word)
        }
        for (let length = words.length; length > knownLength && lookups < lookupsMax; length--) {
          if (length > 1 && isDescribed(words.slice(0, length))) continue
          lookups++
          const found = recall(words.slice(0, length).join(' '))
          if (!found) continue
          const before = text(tokens, start - 1) ?? ''
          if (found.isName && !whereabouts.has(before)) continue
          if (length === 1 && found.isVerb && (before === 'to' || isThing(before))) continue
          return { meanings: [found.meaning], length, isPlural: found.isPlural }
        }
        return undefined
      }
    },
  }
}

const whereabouts: ReadonlySet<string> = new Set(['in', 'at', 'near', 'over', 'through', 'of', 'from', 'by', 'above'])

const meaningsOf = (word: string) =>
  loadLexicon().get(word) ?? singularsOf(word).flatMap((singular) => loadLexicon().get(singular) ?? [])

const isThing = (word: string) => meaningsOf(word).some(({ kind }) => kind === 'thing')

/** Whether it is a known thing with its colour, size or number: a brown bear is more than a kind of bear. */
const isDescribed = ([first = '', ...rest]: string[]) =>
  isThing(rest.join(' ')) && meaningsOf(first).some(({ kind }) => kind === 'colour' || kind === 'size' || kind === 'count')
