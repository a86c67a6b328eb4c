import { colourWords, hueRangeOf } from './colours.js'
import { corrected } from './words.js'

const hexOf = (red: string, green: string, blue: string) =>
  `#${[red, green, blue].map((value) => Math.min(255, Number(value)).toString(16).padStart(2, '0')).join('')}`

const small =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const units = small.slice(1, 10).join('|')
const numberWords = `(?:(?:one|a)[ -]hundred(?:[ -](?:and[ -])?(?:${tens.join('|')}))?|(?:${tens.join('|')})(?:[ -](?:${units}))?|${small.join('|')})`

const numberOf = (words: string): string => {
  let sum = 0
  for (const word of words.split(/[ -]/)) {
    if (word === 'hundred') sum = Math.max(1, sum) * 100
    sum += tens.includes(word) ? (tens.indexOf(word) + 2) * 10 : Math.max(0, small.indexOf(word))
  }
  return String(sum)
}

type Spelling = [RegExp, string | ((...groups: string[]) => string)]

/** One spelling for what can be written in several ways. */
const spellings: Spelling[] = [
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
  [
    new RegExp(`\\b(${numberWords})(?=[ -](?:percent|per cent|degrees?|pixels?|stops?|times)\\b)`, 'g'),
    (_all, words) => numberOf(words as string),
  ],
  [/\b(?:half (?:a|an) |0?\.5 )stop\b/g, '0.5 stop'],
  [/\b(?:a|one) stop\b/g, '1 stop'],
  [/\bby (?:a |one )?half\b(?! stop)/g, 'by 50%'],
  [/\bby (?:a|one) third\b/g, 'by 33%'],
  [/\bby (?:a|one) quarter\b/g, 'by 25%'],
  [/(\d)\s*(?:percent|per cent|pct)\b/g, '$1%'],
  [/(\d)\s*(?:pixels?|px)\b/g, '$1px'],
  [/(\d)\s*(?:°|º|-?degrees?|deg)(?![a-z])/g, '$1°'],
  [/(\d)\s*[x×]\s*(\d)/g, '$1x$2'],
  [/(\d)\s?px?\s+by\s+(\d)/g, '$1x$2'],
  [/(\d)\s+by\s+(\d)/g, '$1x$2'],
  [/\b(\d{1,2})x(\d{1,2})(?= (?:aspect |crop|format|ratio))/g, '$1:$2'],
  [/(\d)\s?:\s?(\d)/g, '$1:$2'],
  [/\bblack\s*(?:and|&|n|'n'|\+|\/|-and-)\s*white\b|\bb\s?(?:&|\/|n|and)\s?w\b|\bb ?& ?w\b/g, 'blackwhite'],
  [/\bschwarz[ -]?wei(?:ß|ss)(?![a-z])|\bblanco y negro\b|\bnoir et blanc\b/g, 'blackwhite'],
  [/\bteal\s*(?:and|&|,|\/)\s*orange\b/g, 'tealorange'],
  [/\bbefore\s*(?:and|&|\/|-)\s*after\b/g, 'before-after'],
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

/** One way to say what can be said in several. */
const phrases: Spelling[] = [
  [
    /\b(?:apply|make|do|perform|carry out) (?:the following|these|the)(?: [a-z]+)? ?(?:edits|changes|adjustments|steps|modifications|operations|instructions)?(?: (?:to|on) (?:the|this|my) (?:image|photo|picture))?\s*[:?]/g,
    '\n',
  ],
  [/\b50 ?[/:-] ?50\b/g, 'equally'],
  [/\b(warmer|cooler|colder) (?:color )?temperatures?\b/g, '$1'],
  [/\bso (?:that )?only (?:the |my )?([a-z ]{2,30}?) (?:is|are|remains?) (?:visible|left|shown|seen)\b/g, 'to the $1'],
  [/\ba quarter(?: of a)? turn\b/g, '90°'],
  [/\bcut ((?:the |my )[a-z ]{2,20}?) out\b(?! of)/g, 'cut out $1'],
  [/\b(?:edit|photoshop|airbrush) out\b/g, 'remove'],
  [/\bunsharp mask(?:ing)?\b/g, 'sharpen'],
  [/\brecover (?:the )?(?:blown[ -]out|lost|burnt[ -]out) highlights\b/g, 'recover the highlights'],
  [/\bsoften (?:the )?(?:hard |harsh )?shadows\b/g, 'lift the shadows'],
  [/\btake (?!out|away)([^,.;⟦⟧]{2,40}?) (?:out|away)\b(?: of)?/g, 'remove $1'],
  [/\b(?:drain|strip|suck)(?: out)? (?:all )?(?:of )?(?:the )?colors?\b/g, 'remove the color'],
  [
    /\b(?:dark |black )?(vignett(?:e|ing))(?: effect)? (?:around|at|on|along|in|to) (?:all )?(?:the )?(?:edges|corners|borders|sides)\b/g,
    '$1',
  ],
  [/\b(?:dark|black) (vignett)/g, '$1'],
  [/\bdark(?:en|ened|er)? (?:the |its )?corners\b/g, 'vignette'],
  [/\b(?:color )?temperature (?:to )?(?:be )?(?=(?:\w+ ){0,3}(?:cooler|warmer|colder))/g, ''],
  [
    /\b(?:everything|anything|all|all things|whatever|(?:the )?parts)(?: that| which)?(?: is|'s| are) (?=[a-z]+ )/g,
    'the ',
  ],
  [/\b(?:anonymi[sz]e|hide|protect|censor|obscure)\b[^,.;⟦⟧]*\bby (?=blurring|pixelating)/g, ''],
  [
    /\bfor (?:my |a |an |the |our |your |use (?:in|on) )*(?:online |web |social |company |new )*(?:shop|store|website|web ?page|page|blog|profile|media|presentation|listing|catalog(?:ue)?|privacy|printing|print|linkedin|passport|cv|resume|amazon|ebay|etsy|e-?commerce|newsletter|portfolio)\b(?: (?:post|picture|photo|image|page|reasons))?/g,
    '',
  ],
]

const listMark = /^[^\S\n]*(?:\d{1,2}[.)]|[-*•]|step \d{1,2}\s*[:.)-])[^\S\n]+/gim
const isList = /(?:^|[\s:?.!])1[.)] /
const inlineMark = /(?:^|[^\S\n])\d{1,2}[.)][^\S\n]+(?=[a-z])/gi

/** Two colours that belong together stay in one clause. */
const colourPair = new RegExp(`(${colourWords})\\s*(?:and|&|,)\\s*(?=${colourWords})`, 'g')

const pluralColour = new RegExp(
  `\\b(?:all (?:the )?|the )([a-z]{3,8})s(?= (?:to |into |with |be )?(?:an? )?(?:${colourWords}))`,
  'g',
)

/** A prompt in the words that readers know, each on its lines. */
export const spelled = (text: string): string => {
  let prompt = isList.test(text) ? text.replace(inlineMark, '\n') : text
  prompt = prompt
    .replace(listMark, '')
    .toLowerCase()
    .replace(/[a-z]{5,18}/g, corrected)
  for (const [pattern, replacement] of spellings) prompt = prompt.replace(pattern, replacement as string)
  if (/gradient|tone\b|toning/.test(prompt)) prompt = prompt.replace(colourPair, '$1 to ')
  for (const [pattern, replacement] of phrases) prompt = prompt.replace(pattern, replacement as string)
  prompt = prompt.replace(pluralColour, (whole, word) => (hueRangeOf(word) ? `the ${word}` : whole))
  return prompt.replace(/[^\S\n]+/g, ' ')
}
