import type { ContentPolicy } from '#catalog/catalog.js'
import type { Word } from './read-words.js'
import type { Reading, Spans } from './word-lists.js'

type Rule = ContentPolicy['rules'][number]
type Span = { start: number; end: number }

/** Whether a prompt breaks a policy, given what the lists of the policy find in it. */
export const breaksPolicy = ({ rules, harmless = [], negations = [] }: ContentPolicy, reading: Reading): boolean => {
  // Nearly every prompt ends here, before anybody asks what its words mean together.
  const inQuestion = rules.filter(({ all }) => all.every((list) => reading.spans(list).size > 0))
  if (inQuestion.length === 0) return false
  const meaning = meaningOf(reading, harmless, negations)
  return inQuestion.some((rule) => isBroken(rule, reading.words, meaning))
}

type Meaning = {
  /** What a list finds, without what is harmless and, unless that does not matter, without what is negated. */
  counting(list: string, evenNegated: boolean): Span[]
  isExcused(lists: readonly string[]): boolean
}

const meaningOf = (reading: Reading, harmless: readonly string[], negations: readonly string[]): Meaning => {
  const found = (list: string) => inOrder(reading.spans(list))
  const excusing = (list: string) => found(list).filter((span) => isWritten(span, reading.words))
  const harmlessWords = new Set(harmless.flatMap(excusing).flatMap(wordsOf))
  const isHarmless = (span: Span) => wordsOf(span).some((index) => harmlessWords.has(index))
  const negationEnds = new Set(
    negations
      .flatMap(excusing)
      .filter((span) => !isHarmless(span))
      .map(({ end }) => end),
  )
  const isNegated = ({ start }: Span) => negationEnds.has(start) && !reading.words[start]?.opensClause
  return {
    counting: (list, evenNegated) =>
      found(list).filter((span) => !isHarmless(span) && (evenNegated || !isNegated(span))),
    isExcused: (lists) => lists.some((list) => excusing(list).some((span) => !isHarmless(span) && !isNegated(span))),
  }
}

/** Letters taken apart can spell anything together with their neighbours, so they never excuse: p i a n o n u d e. */
const isWritten = (span: Span, words: readonly Word[]): boolean =>
  !wordsOf(span).some((index) => words[index]!.mayContinue && words[index]!.text.length === 1)

const isBroken = (
  { all, near, unless = [], evenNegated = false }: Rule,
  words: readonly Word[],
  { counting, isExcused }: Meaning,
): boolean => {
  const found = all.map((list) => counting(list, evenNegated))
  if (found.some((spans) => spans.length === 0)) return false
  if (isExcused(unless)) return false
  return near === undefined ? isInOneSentence(found, words) : isWithin(near, found, words)
}

const isInOneSentence = (found: readonly Span[][], words: readonly Word[]): boolean => {
  const [first = new Set<number>(), ...others] = found.map(
    (spans) => new Set(spans.map(({ start }) => words[start]!.sentence)),
  )
  return [...first].some((sentence) => others.every((sentences) => sentences.has(sentence)))
}

/** Looks for one span of each list so that no two begin farther apart, dropping the earliest as long as two do. */
const isWithin = (distance: number, found: readonly Span[][], words: readonly Word[]): boolean => {
  const places = found.map((spans) => spans.map(({ start }) => words[start]!.place))
  const positions = found.map(() => 0)
  for (;;) {
    const starts = places.map((list, index) => list[positions[index]!] ?? Infinity)
    const earliest = Math.min(...starts)
    const latest = Math.max(...starts)
    if (latest - earliest <= distance) return true
    if (latest === Infinity) return false
    positions[starts.indexOf(earliest)]!++
  }
}

const inOrder = (spans: Spans): Span[] =>
  [...spans]
    .flatMap(([start, ends]) => ends.map((end) => ({ start, end })))
    .sort((one, other) => one.start - other.start)

const wordsOf = ({ start, end }: Span): number[] => Array.from({ length: end - start }, (_, index) => start + index)
