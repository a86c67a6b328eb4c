import type { ContentPolicy } from '#catalog/catalog.js'
import type { Word } from './read-words.js'
import { compileLists, type Reading, type Spans } from './word-lists.js'

type Rule = ContentPolicy['rules'][number]
type Span = { start: number; end: number }

/** Whether the words of a prompt break a policy. */
export type PolicyTest = (words: readonly Word[]) => boolean

export const compilePolicy = ({ rules, harmless = [], negations = [], words: lists }: ContentPolicy): PolicyTest => {
  const named = [...rules.flatMap(({ all, unless = [] }) => [...all, ...unless]), ...harmless, ...negations]
  const read = compileLists(lists, named)
  return (words) => {
    const reading = read(words)
    const counting = spansThatCount(reading, harmless, negations)
    return rules.some((rule) => isBroken(rule, reading.words, counting))
  }
}

/** What a list finds, without what is harmless and, unless it does not matter, without what is negated. */
type Counting = (list: string, evenNegated: boolean) => Span[]

const spansThatCount = (reading: Reading, harmless: readonly string[], negations: readonly string[]): Counting => {
  const harmlessWords = new Set(harmless.flatMap((list) => toSpans(reading.spans(list)).flatMap(indexesIn)))
  const isHarmless = (span: Span) => harmlessWords.size > 0 && indexesIn(span).some((index) => harmlessWords.has(index))
  const counting = (list: string) => toSpans(reading.spans(list)).filter((span) => !isHarmless(span))
  const negationEnds = new Set(negations.flatMap(counting).map(({ end }) => end))
  const isNegated = ({ start }: Span) => negationEnds.has(start) && !reading.words[start]?.opensClause
  return (list, evenNegated) => {
    const spans = counting(list)
    return evenNegated ? spans : spans.filter((span) => !isNegated(span))
  }
}

const isBroken = (
  { all, near, unless = [], evenNegated = false }: Rule,
  words: readonly Word[],
  counting: Counting,
) => {
  const found = all.map((list) => counting(list, evenNegated))
  if (found.some((spans) => spans.length === 0)) return false
  if (unless.some((list) => counting(list, false).length > 0)) return false
  return near === undefined ? isInOneSentence(found, words) : isWithin(near, found)
}

const isInOneSentence = (found: readonly Span[][], words: readonly Word[]): boolean => {
  const [first = new Set<number>(), ...others] = found.map(
    (spans) => new Set(spans.map(({ start }) => words[start]!.sentence)),
  )
  return [...first].some((sentence) => others.every((sentences) => sentences.has(sentence)))
}

/** Looks for one span of each list such that no two begin farther apart: drops the earliest until they do not. */
const isWithin = (distance: number, found: readonly Span[][]): boolean => {
  const positions = found.map(() => 0)
  for (;;) {
    const starts = found.map((spans, list) => spans[positions[list]!]?.start)
    if (starts.includes(undefined)) return false
    const earliest = Math.min(...(starts as number[]))
    if (Math.max(...(starts as number[])) - earliest <= distance) return true
    positions[starts.indexOf(earliest)]!++
  }
}

/** In the order of the prompt; what lists find through other lists is not. */
const toSpans = (spans: Spans): Span[] =>
  [...spans].map(([start, end]) => ({ start, end })).sort((one, other) => one.start - other.start)

const indexesIn = ({ start, end }: Span): number[] => Array.from({ length: end - start }, (_, index) => start + index)
