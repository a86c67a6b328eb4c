import { spelled } from './spelling.js'

/** A clause as text, and whether it goes on with what the one before it began: "remove the dog and the cat". */
export type Part = { text: string; isContinued: boolean }

/** What a prompt quotes stands in its clauses as ⟦0⟧, so that words in it are not read. */
export type Clauses = { parts: Part[]; quotes: string[] }

const quoted = /"([^"]*)"|“([^“”]*)”|„([^„“”]*)[“”]|«([^«»]*)»|(?<=^|[\s(:,])['‘]([^'‘’\n]+)['’](?=$|[\s.,;:!?)])/g

/** Words for a text that come without quotation marks: "add the caption Summer in Rome at the bottom". */
const unquoted =
  /\b(?:text|caption|title|words?|heading|headline|label|slogan|watermark|writing|write|letters)\b(?:\s*(?:that\s+)?(?:says?|saying|reads?|reading|with the words)\b\s*:?|\s*:)\s*([^\n⟦⟧]+)/gi

/** Or begins with a capital letter, which says as much. */
const capitalised =
  /\b(?:[Tt]ext|[Cc]aption|[Tt]itle|[Ww]ords|[Hh]eading|[Hh]eadline|[Ww]rite|[Ww]atermark)\s+([A-Z0-9][^\n⟦⟧]*)/g

const textEnds =
  /\s*(?:[,;.](?:\s|$)|\s(?:at|in|on|to|near|across|over|along)\s+(?:the\s+)?(?:very\s+)?(?:top|bottom|upper|lower|left|right|cent(?:er|re)|middle|corner|image|photo|picture)\b|\s(?:in|with)\s+(?:a\s+)?(?:small|large|big|bold|huge|tiny|white|black|red|blue|green|yellow|dark|light|#)|\s(?:and|then)\s+(?:then\s+)?(?:make|add|crop|rotate|blur|apply|put|turn|convert|flip|resize|remove)\b)/i

const lift = (prompt: string): { text: string; quotes: string[] } => {
  const quotes: string[] = []
  const place = (text: string) => ` ⟦${quotes.push(text.replace(/\\n/g, '\n').trim()) - 1}⟧ `
  const lifted = prompt
    .replace(/[⟦⟧~]/g, ' ')
    .replace(quoted, (_whole, ...groups) => place(groups.slice(0, 5).find((group) => group !== undefined) ?? ''))
  const liftWords = (whole: string, words: string) => {
    const end = textEnds.exec(words)
    const kept = end ? words.slice(0, end.index) : words
    if (kept.trim() === '') return whole
    return whole.slice(0, whole.length - words.length) + place(kept) + words.slice(kept.length)
  }
  return { text: lifted.replace(unquoted, liftWords).replace(capitalised, liftWords), quotes }
}

const separators =
  /([,;!?\n]+|\.(?=\s|$)|\s-\s|\b(?:and then|then|after that|afterwards|also|finally|followed by|as well as|and|plus)\b|&|\+(?=\s))/

/** Takes a prompt apart. */
export const clausesOf = (prompt: string): Clauses => {
  const { text, quotes } = lift(prompt.normalize('NFC').replace(/\s+/g, (space) => (space.includes('\n') ? '\n' : ' ')))
  const pieces = spelled(text).split(separators)
  const parts: Part[] = []
  let isContinued = false
  for (const [index, piece] of pieces.entries()) {
    if (index % 2 === 1) {
      isContinued = /^(?:,|and|&|as well as|\+|plus|also)/.test(piece) && (isContinued || parts.length > 0)
      continue
    }
    const trimmed = piece.replace(/:(?=\s|$)/g, ' ').trim()
    if (trimmed === '') continue
    parts.push({ text: trimmed, isContinued: isContinued && parts.length > 0 })
    isContinued = true
  }
  return { parts, quotes }
}
