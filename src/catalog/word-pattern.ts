/**
 * How the words of a content policy are written. A pattern is one word or a phrase of several, and each of its steps is
 *
 *     nude            this word, or its plural
 *     porn*           every word that begins so
 *     nude|naked      one of these words
 *     1..17           one of these numbers; 1..17yo with something behind it
 *     <clothes>       whatever another list finds
 *     <filler>*       as much of it as there is, or nothing
 */
export type Step = { kind: 'words'; words: readonly string[] } | { kind: 'list'; list: string; isRepeated: boolean }

export const parsePattern = (pattern: string): Step[] => pattern.trim().split(/\s+/).map(parseStep)

/** What is wrong with a pattern, to finish the sentence that begins with its place. */
export const patternProblem = (pattern: string): string | undefined => {
  const steps = pattern.trim().split(/\s+/)
  for (const step of steps) {
    if (listStep.test(step)) continue
    if (/[<>]/.test(step)) return `'${step}' is not a list: write '<its-name>', or '<its-name>*' for any number of it`
    const wrong = step.split('|').find((word) => !wordStep.test(word) && !isSmallRange(word))
    if (wrong !== undefined) return wordProblem(wrong)
  }
  return steps[0]?.endsWith('>*') ? `cannot begin with '${steps[0]}', which may be nothing` : undefined
}

const listStep = /^<([A-Za-z][A-Za-z0-9_-]*)>(\*?)$/
/** Shorter beginnings would find half of the language. */
const wordStep = /^(?:[\p{L}\p{N}]+|[\p{L}\p{N}]{3,}\*)$/u
const rangeStep = /^(\d{1,4})\.\.(\d{1,4})([\p{L}]*)$/u
const rangeSizeMax = 200

const isSmallRange = (word: string): boolean => {
  const [, low = '', high = ''] = rangeStep.exec(word) ?? []
  return low !== '' && Number(low) <= Number(high) && Number(high) - Number(low) < rangeSizeMax
}

const wordProblem = (word: string): string => {
  if (/^[\p{L}\p{N}]{1,2}\*$/u.test(word)) return `'${word}' finds too much: give at least 3 letters before the '*'`
  if (word.includes('..')) return `'${word}' is not a range of at most ${rangeSizeMax} numbers, such as 1..17`
  if (/[-'’.]/.test(word)) return `'${word}': write it in words apart; 'bare chested' finds 'bare-chested', too`
  return `'${word}' is not a word, such as nude, nude|naked or porn*`
}

const parseStep = (step: string): Step => {
  const [, list, star] = listStep.exec(step) ?? []
  if (list !== undefined) return { kind: 'list', list, isRepeated: star === '*' }
  return { kind: 'words', words: step.split('|').flatMap(rangeOrWord) }
}

const rangeOrWord = (word: string): string[] => {
  const [, low, high, ending = ''] = rangeStep.exec(word) ?? []
  if (low === undefined) return [word]
  const numbers = Array.from({ length: Number(high) - Number(low) + 1 }, (_, index) => Number(low) + index)
  return numbers.map((number) => `${number}${ending}`)
}
