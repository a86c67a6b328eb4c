import { parsePattern, type Step } from '#catalog/word-pattern.js'
import { plainWord, type Word } from './read-words.js'
import { createWordTrie, type Found } from './word-trie.js'

/** Where something of a list was found: the word it begins at, and the word that it ends before. */
export type Spans = ReadonlyMap<number, number>

/** The lists of a policy, as they are found in one prompt. Each is looked for once, when it is first asked for. */
export type Reading = { words: readonly Word[]; spans(list: string): Spans }

/** A phrase that goes on for longer than this is not worth following. */
const repeatsMax = 5

type CompiledStep = { kind: 'words'; id: number } | { kind: 'list'; list: string; isRepeated: boolean }
type Phrase = { rest: readonly CompiledStep[] }
/** Phrases by what they begin with. */
type List = { byWords: Map<number, Phrase[]>; byList: Map<string, Phrase[]> }

/** Makes a reader of prompts out of the lists named, and of those that they name. */
export const compileLists = (
  lists: Readonly<Record<string, readonly string[]>>,
  names: Iterable<string>,
): ((words: readonly Word[]) => Reading) => {
  const trie = createWordTrie()
  const ids = new Map<string, number>()
  const compiled = new Map<string, List>()

  const idOf = (words: readonly string[]): number => {
    const key = words.join('|')
    const known = ids.get(key)
    if (known !== undefined) return known
    const id = ids.size
    ids.set(key, id)
    for (const word of words.map(plainWord)) {
      if (word.endsWith('*')) trie.addBeginning(word.slice(0, -1), id)
      else for (const form of formsOf(word)) trie.add(form, id)
    }
    return id
  }
  const compile = (name: string): void => {
    if (compiled.has(name)) return
    const list: List = { byWords: new Map(), byList: new Map() }
    for (const pattern of lists[name] ?? []) {
      const [first, ...rest] = parsePattern(pattern).map(compileStep)
      if (first?.kind === 'words') append(list.byWords, first.id, { rest })
      if (first?.kind === 'list') append(list.byList, first.list, { rest })
    }
    compiled.set(name, list)
  }
  const compileStep = (step: Step): CompiledStep => {
    if (step.kind === 'words') return { kind: 'words', id: idOf(step.words) }
    compile(step.list)
    return step
  }
  for (const name of names) compile(name)

  return (words) => {
    const foundAt = words.map((_, start) => trie.findAt(words, start))
    const known = new Map<string, Spans>()
    const spans = (name: string): Spans => {
      const before = known.get(name)
      if (before) return before
      const result = spansOf(compiled.get(name) ?? noPhrases, words, foundAt, spans)
      known.set(name, result)
      return result
    }
    return { words, spans }
  }
}

const noPhrases: List = { byWords: new Map(), byList: new Map() }

const append = <Key>(lists: Map<Key, Phrase[]>, key: Key, phrase: Phrase) =>
  lists.set(key, [...(lists.get(key) ?? []), phrase])

/** The word and its plural. Short words and numbers have none: the one of `a` would be `as`. */
const formsOf = (word: string): string[] => {
  if (word.length < 3 || /\d/.test(word)) return [word]
  const forms = [word, `${word}s`]
  if (/(?:s|x|z|ch|sh)$/.test(word)) forms.push(`${word}es`)
  if (/[^aeiou]y$/.test(word)) forms.push(`${word.slice(0, -1)}ies`)
  return forms
}

const spansOf = (
  { byWords, byList }: List,
  words: readonly Word[],
  foundAt: readonly Found[][],
  spans: (list: string) => Spans,
): Spans => {
  const result = new Map<number, number>()

  /** Where a step ends that begins at a word, or undefined when it does not begin there. */
  const stepEnd = (step: CompiledStep, at: number): number | undefined => {
    if (at >= words.length || words[at]?.opensClause) return undefined
    return step.kind === 'list' ? spans(step.list).get(at) : foundAt[at]?.findLast(({ id }) => id === step.id)?.end
  }

  const restEnd = ({ rest }: Phrase, firstEnd: number): number | undefined => {
    let at = firstEnd
    for (const step of rest) {
      const isRepeated = step.kind === 'list' && step.isRepeated
      for (let round = 0; round < (isRepeated ? repeatsMax : 1); round++) {
        const end = stepEnd(step, at)
        if (end === undefined && !isRepeated) return undefined
        if (end === undefined) break
        at = end
      }
    }
    return at
  }

  const note = (phrase: Phrase, start: number, firstEnd: number) => {
    const end = restEnd(phrase, firstEnd)
    if (end !== undefined) result.set(start, Math.max(end, result.get(start) ?? 0))
  }
  for (const [start, found] of foundAt.entries()) {
    for (const { id, end } of found) for (const phrase of byWords.get(id) ?? []) note(phrase, start, end)
  }
  for (const [list, phrases] of byList) {
    for (const [start, end] of spans(list)) for (const phrase of phrases) note(phrase, start, end)
  }
  return result
}
