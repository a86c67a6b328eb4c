/** A word of a prompt, in the form in which it is looked up. */
export type Word = {
  /** Lower case, without diacritics; letters that stand for others are kept, and `letterAgain` follows a long row. */
  text: string
  hasLetter: boolean
  sentence: number
  /** Something like a comma stands before it, so that no phrase reaches over from the word before. */
  opensClause: boolean
  /** May be the same word as the one before, taken apart: n-u-d-e, n u d e, na-ked. */
  mayContinue: boolean
}

/** The letter before it stood there three times or more, which means once or twice: `nuuude`. */
export const letterAgain = '\u0001'

/** Splits a prompt into words, undoing what hides them from readers of plain text. Takes linear time. */
export const readWords = (prompt: string): Word[] => {
  const text = plainText(prompt)
  const words: Word[] = []
  let sentence = 0
  let end = 0
  let wasSingle = false
  for (const { 0: found, index } of text.matchAll(wordPattern)) {
    const between = text.slice(end, index)
    const isTight = tightPattern.test(between)
    const isSingle = found.length === 1
    if (sentenceEnd.test(between)) sentence++
    words.push({
      text: wordText(found),
      hasLetter: letterPattern.test(found),
      sentence,
      opensClause: !isTight && clauseBreak.test(between),
      mayContinue: words.length > 0 && (isTight || (isSingle && wasSingle)),
    })
    end = index + found.length
    wasSingle = isSingle
  }
  return words
}

/** A word of a list, as prompts are read. */
export const plainWord = (word: string): string => plainText(word)

/** Signs that stand for letters count as words of their own, so that the word after an exclamation mark is seen, too. */
const wordPattern = /[\p{L}\p{N}]+(?:['’]\p{L}+)*|[@$!|+*€](?=[@$!|+*€\p{L}\p{N}])/gu
const letterPattern = /\p{L}/u
const tightPattern = /^[-._~^`·/\\:]?$/
const clauseBreak = /[,;:.!?()[\]{}"“”…—–]/
const sentenceEnd = /[.!?;…]\s|\n\s*\n/

const plainText = (text: string): string => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant, and it needs no more than this
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase()
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(invisible, '')
    .replace(lookalike, (letter) => lookalikes[letter] ?? letter)
}

/** Marks on letters, zero-width characters, soft hyphens, and letters without ink. */
const invisible = /[\p{M}\p{Cf}\u115f\u1160\u3164\uffa0]/gu

const lookalikes: Record<string, string> = Object.fromEntries(
  [
    ['абвдеезиіјкмноӏпрстуухԁһѕԛԝ', 'a6bdee3uijkmho1nрctyyxdhsqw'],
    ['αβγεηικνορτυχωϲϳ', 'abyenikvoptuxwcj'],
    ['øłđıŧħɑɡɩʀʏᴀᴄᴅᴇᴊᴋᴍɴᴏᴘᴛᴜᴠᴡᴢ', 'oldithagiryacdejkmnoptuvwz'],
  ].flatMap(([from = '', to = '']) => [...from].map((letter, index) => [letter, [...to][index] ?? letter])),
)
const lookalike = new RegExp(`[${Object.keys(lookalikes).join('')}]`, 'gu')

const wordText = (found: string): string => {
  const word = found.replace(/['’]s$/, '').replace(/['’]/g, '')
  return letterPattern.test(word) ? word.replace(/(.)\1{2,}/gsu, `$1${letterAgain}`) : word
}
