import { catalogue } from '../art/art-set.js'
import { loadLexicon, type Meaning } from '../reading/lexicon.js'
import { categoriesOf, notShown, pictureOfClass } from '../vocabulary/classes.js'
import type { Concept, Dictionary, Subject } from './dictionary.js'

const stepsMax = 9
const placeSubjects: ReadonlySet<Subject | undefined> = new Set(['location', 'object', 'artifact'])
const isVisible = (subject: Subject | undefined) => subject !== undefined && subject !== 'writing'
const rude = /\b(?:offensive|disparaging|derogatory|slur|obscene|vulgar|insult|contempt)/i

/** Finds what the vocabulary has for a concept, or for the nearest of what it is a kind of. */
export type FindNearest = (concept: number) => Meaning | undefined

export const createFindNearest = (dictionary: Dictionary): FindNearest => {
  const primaries = new Map<string, number | undefined>()

  /** What the vocabulary means by a word: the most usual of its meanings that can be seen. */
  const primaryOf = (word: string) => {
    if (!primaries.has(word))
      primaries.set(word, dictionary.look(word)?.senses.find(({ subject }) => isVisible(subject))?.concept)
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
    if (picture !== undefined) return picture === notShown ? null : { kind: 'thing', icons: picture.split(' ') }
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

  return (concept) => {
    const { gloss, instanceOf } = dictionary.concept(concept)
    if (rude.test(gloss)) return undefined
    const seen = new Set<number>()
    let level = [concept]
    for (let steps = 0; steps <= stepsMax && level.length > 0; steps++) {
      const broader: number[] = []
      for (const id of level) {
        if (seen.has(id)) continue
        seen.add(id)
        const found = dictionary.concept(id)
        const meaning = nameOf(id, found)
        // Of what has a name of its own, places are shown: a certain river is a river, but who is a certain writer?
        if (meaning) return instanceOf.length === 0 || meaning.kind === 'place' ? meaning : undefined
        if (meaning === undefined) broader.push(...found.broader, ...found.instanceOf)
      }
      level = broader
    }
    return undefined
  }
}
