/** A word of a prompt, in the form in which it is looked up. */
export type Word = {
  /** Lower case, without diacritics; letters that stand for others are kept, and a row of them is one and `letterAgain`. */
  text: string
  hasLetter: boolean
  sentence: number
  /** Its number among the words as a reader counts them, who sees one in n-u-d-e. */
  place: number
  /** Something like a comma stands before it, so that no phrase reaches over from the word before. */
  opensClause: boolean
  /** May be the same word as the one before, taken apart: n-u-d-e, n u d e, na-ked. */
  mayContinue: boolean
}

/** The letter before it may be there once more, or not. Three letters or more in a row mean any number: `nuuude`. */
export const letterAgain = '\u0001'
/** No word has more of the same in a row, not even with signs: `k1111ng`. */
const rowMax = 4

/** Splits a prompt into words, undoing what hides them from readers of plain text. Takes linear time. */
export const readWords = (prompt: string): Word[] => {
  const text = plainText(prompt)
  const words: Word[] = []
  let sentence = 0
  let end = 0
  let wasAlone = false
  let place = 0
  for (const { 0: found, index } of text.matchAll(wordPattern)) {
    const word = wordText(found)
    const between = text.slice(end, index)
    const isSpace = between === ' '
    const isSingle = word.length === 1
    const isTight = words.length > 0 && !isSpace && tightPattern.test(between)
    const mayContinue = isTight || (isSingle && wasAlone)
    const isSeparate = !isSpace && !mayContinue
    if (!mayContinue) place++
    if (isSeparate && sentenceEnd.test(between)) sentence++
    words.push({
      text: word,
      hasLetter: letterPattern.test(word),
      sentence,
      place,
      opensClause: isSeparate && clauseBreak.test(between),
      mayContinue,
    })
    end = index + found.length
    // In `hig-h s-chool` two words were cut; the `h` and the `s` do not belong together.
    wasAlone = isSingle && (!isTight || wasAlone)
  }
  return words
}

/** Signs that stand for letters count as words of their own, so that the word after an exclamation mark is seen, too. */
const wordPattern = /[\p{L}\p{N}]+(?:['’][\p{L}\p{N}]+)*|[@$!|+*€](?=[@$!|+*€\p{L}\p{N}])|(?<=[\p{L}\p{N}@$!])[@$]/gu
const letterPattern = /\p{L}/u
const tightPattern = /^[-._~^`·/\\:]?$/
const clauseBreak = /[,;:.!?()[\]{}"“”…—–]/
const sentenceEnd = /[.!?;…]\s|\n\s*\n/

/** Lower case, and every letter as a plain one. */
export const plainText = (text: string): string => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant, and it needs no more than this
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase()
  return (
    text
      .replace(longLigature, ' ')
      // Before and after: to put thousands of marks on one letter in order would take long.
      .replace(invisible, '')
      .normalize('NFKD')
      .toLowerCase()
      .replace(invisible, '')
      .replace(lookalike, (letter) => lookalikes[letter] ?? letter)
  )
}

/** Single characters that stand for whole Arabic phrases: the form without them stays about as long as the prompt. */
const longLigature = /[\ufdf0-\ufdfd]/g

/** Marks on letters, zero-width characters, soft hyphens, and letters without ink. */
const invisible = /[\p{M}\p{Cf}\u115f\u1160\u3164\uffa0]/gu

/** Letters of other alphabets that look like ours, each before the one it looks like. */
const lookalikes: Record<string, string> = Object.fromEntries(
  [
    'аa вb еe зe иu іi јj кk мm нh оo пn рp сc тt уy хx ԁd һh ѕs ԛq ԝw ӏl',
    'αa βb γy εe ηn ιi κk νv οo ρp τt υu χx ωw ϲc ϳj',
    'øo łl đd ıi ŧt ħh ɑa ɡg ɩi ɴn ᴀa ᴄc ᴅd ᴇe ᴊj ᴋk ᴍm ᴏo ᴘp ᴛt ᴜu ᴠv ᴡw ᴢz',
  ].flatMap((pairs) => pairs.split(' ').map((pair) => [...pair])),
)
const lookalike = new RegExp(`[${Object.keys(lookalikes).join('')}]`, 'gu')

const wordText = (found: string): string => {
  if (!/['’]|(.)\1\1/su.test(found)) return found
  const word = found.replace(/['’][s5]$/, '').replace(/['’]/g, '')
  if (!letterPattern.test(word)) return word
  return word.replace(/(.)\1{2,}/gsu, (row, letter) => letter + letterAgain.repeat(Math.min(row.length, rowMax) - 1))
}
