import { catalogue } from '../art/art-set.js'
import { loadLexicon, type Meaning } from '../reading/lexicon.js'
import { categoriesOf, notShown, pictureOfClass } from '../vocabulary/classes.js'
import type { Concept, Dictionary, Sense, Subject } from './dictionary.js'

const stepsMax = 9
const placeSubjects: ReadonlySet<Subject | undefined> = new Set(['location', 'object', 'artifact'])
const rude = /\b(?:offensive|disparaging|derogatory|slur|obscene|vulgar|insult|contempt)/i

export type Kin = { climb(sense: Sense, isNamed?: boolean): { meaning: Meaning; steps: number; at: Concept } | undefined }

/** What stands for a word that the vocabulary does not have: the nearest of what it is a kind of. */
export const createKin = (dictionary: Dictionary): Kin => {
  const primaries = new Map<string, number | undefined>()

  /** What the vocabulary means by a word: the most usual of its meanings that can be seen. */
  const primaryOf = (word: string) => {
    if (!primaries.has(word))
      primaries.set(word, dictionary.look(word)?.senses.find(({ subject }) => subject !== undefined)?.concept)
    return primaries.get(word)
  }

  const suits = (meaning: Meaning, subject: Subject) => {
    if (meaning.kind === 'place') return placeSubjects.has(subject)
    const { categoryOf } = catalogue()
    return (
      meaning.kind === 'thing' &&
      meaning.icons.every((icon) => categoriesOf[subject]?.includes(categoryOf.get(icon) ?? ''))
    )
  }

  /** What the vocabulary has for exactly this; null when it shall not be shown. */
  const nameOf = (id: number, { subject, words }: Concept): Meaning | null | undefined => {
    const picture = pictureOfClass.get(`${subject} ${words[0]}`)
    if (picture !== undefined) return picture === notShown ? null : { kind: 'thing', icons: [picture] }
    if (subject === undefined || subject === 'top') return null
    if (subject === 'writing') return undefined
    for (const word of words) {
      const meaning = loadLexicon()
        .get(word)
        ?.find((meaning) => suits(meaning, subject))
      if (meaning && primaryOf(word) === id) return meaning
    }
    return undefined
  }

  return {
    climb(sense, isNamed = false) {
      let level = [sense.concept]
      const seen = new Set<number>()
      for (let steps = 0; steps <= stepsMax && level.length > 0; steps++) {
        const next: number[] = []
        for (const id of level) {
          if (seen.has(id)) continue
          seen.add(id)
          const concept = dictionary.concept(id)
          if (steps === 0 && rude.test(concept.gloss)) return undefined
          const meaning = nameOf(id, concept)
          if (meaning) return { meaning, steps, at: concept }
          if (meaning === undefined) next.push(...concept.broader, ...(isNamed ? concept.instanceOf : []))
        }
        level = next
      }
      return undefined
    },
  }
}
