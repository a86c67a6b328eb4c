import { parsePattern, type Step } from '#catalog/word-pattern.js'
import { plainText, type Word } from './read-words.js'
import { createWordTrie, type Found, type WordTrie } from './word-trie.js'

/** Where something of a list was found: the word it begins at, and the words that it may end before. */
export type Spans = ReadonlyMap<number, readonly number[]>

/** One prompt, and what each list finds in it. A list is looked for when it is first asked for, and then remembered. */
export type Reading = { words: readonly Word[]; spans(list: string): Spans }

export type Lexicon = (words: readonly Word[]) => Reading

type CompiledStep = { kind: 'words'; id: number } | { kind: 'list'; list: string; isRepeated: boolean }
type Phrase = { first: CompiledStep; rest: readonly CompiledStep[] }

/** A phrase that repeats a list more often than this is not worth following. */
const repeatsMax = 5

/** Makes a reader of prompts out of lists of patterns. They were checked, so that no list leads back to itself. */
export const createLexicon = (lists: Readonly<Record<string, readonly string[]>>): Lexicon => {
  const trie = createWordTrie()
  const ids = new Map<string, number>()

  const idOf = (words: readonly string[]): number => {
    const key = words.join('|')
    const known = ids.get(key)
    if (known !== undefined) return known
    const id = ids.size
    ids.set(key, id)
    for (const word of words.map(plainText)) {
      if (word.endsWith('*')) trie.addBeginning(word.slice(0, -1), id)
      else for (const form of formsOf(word)) trie.add(form, id)
    }
    return id
  }
  const compileStep = (step: Step): CompiledStep =>
    step.kind === 'words' ? { kind: 'words', id: idOf(step.words) } : step
  const compilePhrase = (pattern: string): Phrase => {
    const [first, ...rest] = parsePattern(pattern).map(compileStep)
    return { first: first!, rest }
  }
  const phrases = new Map(Object.entries(lists).map(([name, patterns]) => [name, patterns.map(compilePhrase)]))

  const firsts = new Set([...phrases.values()].flat().map(({ first }) => (first.kind === 'words' ? first.id : -1)))

  return (words) => {
    const index = indexOf(findEverywhere(trie, words), firsts)
    const known = new Map<string, Spans>()
    const spans = (name: string): Spans => {
      const before = known.get(name)
      if (before) return before
      const result = spansOf(phrases.get(name) ?? [], words, index, spans)
      known.set(name, result)
      return result
    }
    return { words, spans }
  }
}

/** The word and its plural. Short words and numbers have none: the one of `a` would be `as`. */
const formsOf = (word: string): string[] => {
  if (word.length < 3 || /\d/.test(word)) return [word]
  if (/(?:s|x|z|ch|sh)$/.test(word)) return [word, `${word}es`]
  return /[^aeiou]y$/.test(word) ? [word, `${word.slice(0, -1)}ies`] : [word, `${word}s`]
}

/** What was found at each place, and the places of what phrases begin with. */
type Index = { at: readonly (readonly Found[])[]; starts: ReadonlyMap<number, readonly number[]> }

/** Most words stand alone and come more than once; each of those is looked up once. */
const findEverywhere = (trie: WordTrie, words: readonly Word[]): (readonly Found[])[] => {
  const alone = new Map<string, readonly Found[]>()
  return words.map(({ text }, start) => {
    if (words[start + 1]?.mayContinue) return trie.findAt(words, start)
    const found = alone.get(text) ?? trie.findAt(words, start)
    alone.set(text, found)
    return found
  })
}

const indexOf = (at: readonly (readonly Found[])[], firsts: ReadonlySet<number>): Index => {
  const starts = new Map<number, number[]>()
  for (const [start, found] of at.entries()) {
    for (const { id } of found) {
      if (!firsts.has(id)) continue
      const known = starts.get(id)
      if (known) known.push(start)
      else starts.set(id, [start])
    }
  }
  return { at, starts }
}

const spansOf = (
  phrases: readonly Phrase[],
  words: readonly Word[],
  { at: foundAt, starts }: Index,
  spans: (list: string) => Spans,
): Spans => {
  /** Where a step may end that begins at a word: in several places when letters were taken apart. */
  const endsOf = (step: CompiledStep, at: number): readonly number[] => {
    if (step.kind === 'list') return spans(step.list).get(at) ?? none
    const lengths = foundAt[at]?.filter(({ id }) => id === step.id)
    return lengths?.map(({ length }) => at + length) ?? none
  }
  const endsWithin = (step: CompiledStep, at: number) => (words[at]?.opensClause ? none : endsOf(step, at))

  const follow = (step: CompiledStep, from: readonly number[]): readonly number[] => {
    if (from.length === 0) return none
    const next = unique(from.flatMap((at) => endsWithin(step, at)))
    if (step.kind === 'words' || !step.isRepeated) return next
    const reached = new Set(from)
    for (let round = 0, edge = next; round < repeatsMax && edge.length > 0; round++) {
      for (const at of edge) reached.add(at)
      edge = unique(edge.flatMap((at) => endsWithin(step, at)))
    }
    return [...reached]
  }

  const result = new Map<number, readonly number[]>()
  for (const { first, rest } of phrases) {
    const places = first.kind === 'list' ? spans(first.list).keys() : (starts.get(first.id) ?? none)
    for (const start of places) {
      const ends = rest.reduce<readonly number[]>((from, step) => follow(step, from), endsOf(first, start))
      if (ends.length > 0) result.set(start, unique([...(result.get(start) ?? none), ...ends]))
    }
  }
  return result
}

const none: readonly number[] = []

const unique = (numbers: readonly number[]): readonly number[] => (numbers.length < 2 ? numbers : [...new Set(numbers)])
