import { colourWords } from './colours.js'
import { corrected } from './words.js'

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

const hexOf = (red: string, green: string, blue: string) =>
  `#${[red, green, blue].map((value) => Math.min(255, Number(value)).toString(16).padStart(2, '0')).join('')}`

/** One spelling for what can be written in several ways. */
const spellings: [RegExp, string | ((...groups: string[]) => string)][] = [
  [/[’`´]/g, "'"],
  [/[–—]/g, ' - '],
  [
    /\brgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)/g,
    (_all, red, green, blue) => hexOf(red as string, green as string, blue as string),
  ],
  [/\bcolour/g, 'color'],
  [/\bgray/g, 'grey'],
  [/\bgreyscale\b|\bgrey-scale\b|\bgrey scale\b/g, 'greyscale'],
  [/\bcentre/g, 'center'],
  [/\bpolarized?\b(?= (?:frame|photo))/g, 'polaroid'],
  [/(\d)\s*(?:percent|per cent|pct)\b/g, '$1%'],
  [/(\d)\s*(?:pixels?|px)\b/g, '$1px'],
  [/(\d)\s*(?:°|º|degrees?|deg)(?![a-z])/g, '$1°'],
  [/\bninety[ -]degrees?\b/g, '90°'],
  [/\b(?:one hundred and eighty|hundred eighty)[ -]degrees?\b/g, '180°'],
  [/(\d)\s*[x×]\s*(\d)/g, '$1x$2'],
  [/(\d)\s?px?\s+by\s+(\d)/g, '$1x$2'],
  [/(\d)\s+by\s+(\d)/g, '$1x$2'],
  [/(\d)\s?:\s?(\d)/g, '$1:$2'],
  [/\bblack\s*(?:and|&|n|'n'|\+|\/|-and-)\s*white\b|\bb\s?(?:&|\/|n|and)\s?w\b|\bb ?& ?w\b/g, 'blackwhite'],
  [/\bschwarz[ -]?wei(?:ß|ss)(?![a-z])|\bblanco y negro\b|\bnoir et blanc\b/g, 'blackwhite'],
  [/\bteal\s*(?:and|&|,|\/)\s*orange\b/g, 'teal-orange'],
  [
    /[,;]?\s+(?:and |but )?(?=(?:make |turn )?(?:everything else|the rest) (?:in |to |is )?(?:blackwhite|greyscale))/g,
    ' ',
  ],
  [/\bto zero\b/g, 'to 0%'],
  [/\btop\s*(?:and|&)\s*bottom\b/g, 'topbottom'],
  [/\bleft\s*(?:and|&)\s*right\b/g, 'leftright'],
  [/\b(?:in front) and back\b/g, 'front'],
  [/(\d(?:%|px)?)\s*,\s*(?=\d)/g, '$1_'],
  [/\be\.g\.|\bi\.e\./g, ' '],
]

/** Two colours that belong together stay in one clause. */
const colourPair = new RegExp(`(${colourWords})\\s*(?:and|&|,)\\s*(?=${colourWords})`, 'g')

const normalised = (text: string): string => {
  let spelled = text.toLowerCase()
  for (const [pattern, replacement] of spellings) spelled = spelled.replace(pattern, replacement as string)
  if (/gradient|tone\b|toning/.test(spelled)) spelled = spelled.replace(colourPair, '$1 to ')
  return spelled.replace(/[a-z]{5,18}/g, corrected).replace(/[^\S\n]+/g, ' ')
}

const separators =
  /([,;!?\n]+|\.(?=\s|$)|\s-\s|\b(?:and then|then|after that|afterwards|also|finally|followed by|as well as|and|plus)\b|&|\+(?=\s))/

/** Takes a prompt apart. */
export const clausesOf = (prompt: string): Clauses => {
  const { text, quotes } = lift(prompt.normalize('NFC').replace(/\s+/g, (space) => (space.includes('\n') ? '\n' : ' ')))
  const pieces = normalised(text).split(separators)
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
