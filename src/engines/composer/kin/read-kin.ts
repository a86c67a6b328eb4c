import { loadLexicon, type Meaning } from '../reading/lexicon.js'
import { singularsOf, type Token } from '../reading/tokens.js'
import type { Choice, Noun, Nouns } from './nouns.js'
import { unreadable } from './unreadable.js'

export type KinFound = { meanings: Meaning[]; length: number; isPlural: boolean }

/** How far the reading of a prompt is. */
export type KinProgress = {
  /** How many words and phrases may still be looked up. */
  lookupsLeft: number
  /** Tokens before this one belong to a phrase that is not shown: a sea urchin is no urchin. */
  readFrom: number
}

/** What the words at a place of a prompt are kinds of, if more of them than the vocabulary knows make a noun. */
export type ReadKin = (
  tokens: readonly Token[],
  start: number,
  knownLength: number,
  progress: KinProgress,
) => KinFound | undefined

/** What comes behind so many words and phrases is read without the dictionary. */
export const lookupsMax = 60

export const startOfKin = (): KinProgress => ({ lookupsLeft: lookupsMax, readFrom: 0 })

const phraseWordsMax = 3

const whereabouts: ReadonlySet<string> = new Set(['in', 'at', 'near', 'over', 'through', 'of', 'from', 'by', 'above'])

const textAt = (tokens: readonly Token[], index: number) => {
  const token = tokens[index]
  return token?.kind === 'word' ? token.text : undefined
}
export const isReadable = (word: string) => word.length > 2 && !unreadable.has(word)

const meaningsOf = (word: string) =>
  loadLexicon().get(word) ?? singularsOf(word).flatMap((singular) => loadLexicon().get(singular) ?? [])
const isThing = (word: string) => meaningsOf(word).some(({ kind }) => kind === 'thing')

/** Whether it is a known thing with its colour, size or number: a brown bear is more than a kind of bear. */
const isDescribed = ([first = '', ...rest]: string[]) =>
  isThing(rest.join(' ')) &&
  meaningsOf(first).some(({ kind }) => kind === 'colour' || kind === 'size' || kind === 'count')

export type Met = { noun: Noun; phrase: string; length: number }

/** The longest noun that starts here. */
const meet = (nouns: Nouns, ...[tokens, start, knownLength, progress]: Parameters<ReadKin>): Met | undefined => {
  if (start < progress.readFrom) return undefined
  const words: string[] = []
  for (let word = textAt(tokens, start); word !== undefined && isReadable(word); ) {
    if (words.push(word) === phraseWordsMax) break
    word = textAt(tokens, start + words.length)
  }
  for (let length = words.length; length > knownLength; length--) {
    if (length > 1 && isDescribed(words.slice(0, length))) continue
    if (progress.lookupsLeft === 0) return undefined
    progress.lookupsLeft--
    const phrase = words.slice(0, length).join(' ')
    const noun = nouns.find(phrase)
    const before = textAt(tokens, start - 1) ?? ''
    const isProbablyVerb = length === 1 && noun?.isVerb && (before === 'to' || isThing(before))
    if (noun && !isProbablyVerb) return { noun, phrase, length }
    if (noun === null && length > 1) {
      progress.readFrom = start + length
      return undefined
    }
  }
  return undefined
}

type ReadKinNeeds = {
  nouns: Nouns
  /** What was found out about phrases that may be several things. */
  judged?: ReadonlyMap<string, Choice>
  /** Told of every noun and where it starts. */
  onMet?(met: Met & { start: number }): void
}

/** Reads with what the nouns usually mean, except for those that were judged. */
export const createReadKin =
  ({ nouns, judged, onMet }: ReadKinNeeds): ReadKin =>
  (tokens, start, ...rest) => {
    const met = meet(nouns, tokens, start, ...rest)
    if (!met) return undefined
    onMet?.({ ...met, start })
    const { meaning, isName } = judged?.get(met.phrase) ?? met.noun.choices[0]
    if (!meaning || (isName && !whereabouts.has(textAt(tokens, start - 1) ?? ''))) return undefined
    return { meanings: [meaning], length: met.length, isPlural: met.noun.isPlural }
  }
