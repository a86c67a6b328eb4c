import { scanMarkup } from './markup.js'
import { createTextWriter, type TextWriter } from './text-writer.js'

const hidden = new Set(['script', 'style', 'noscript', 'template', 'svg', 'math', 'iframe', 'object', 'head'])
const paragraphs = new Set(
  'p div section article main header footer nav aside blockquote pre h1 h2 h3 h4 h5 h6 ul ol dl table figure form hr'.split(
    ' ',
  ),
)
const lines = new Set(['li', 'tr', 'dt', 'dd', 'caption', 'figcaption', 'option', 'title'])
/** In these a < means nothing until their own end tag. */
const raw = new Set(['script', 'style'])

/** Writes what a reader of the page would see. */
export const writeHtml = (source: string, writer: TextWriter): void => {
  let skipping: string | undefined
  let depth = 0
  let preformatted = 0
  for (const event of scanMarkup(source, raw)) {
    if (event.kind === 'text') {
      if (skipping !== undefined) continue
      const text = preformatted > 0 ? event.text : event.text.replace(/\s+/g, ' ')
      writer.write(preformatted === 0 && writer.isAtSpace() ? text.trimStart() : text)
      continue
    }
    const name = event.name.toLowerCase()
    if (skipping !== undefined) {
      if (name === skipping) depth += event.kind === 'close' ? -1 : event.isEmpty ? 0 : 1
      if (depth === 0) skipping = undefined
      continue
    }
    if (event.kind === 'open' && hidden.has(name) && !event.isEmpty) {
      skipping = name
      depth = 1
    } else if (name === 'br') writer.write('\n')
    else if (paragraphs.has(name)) writer.endParagraph()
    else if (lines.has(name)) {
      writer.endLine()
      if (event.kind === 'open' && name === 'li') writer.write('- ')
    } else if ((name === 'td' || name === 'th') && event.kind === 'close') writer.write('\t')
    if (name === 'pre') preformatted = Math.max(0, preformatted + (event.kind === 'open' ? 1 : -1))
  }
  writer.endParagraph()
}

export const readHtml = (source: string): string => {
  const writer = createTextWriter()
  writeHtml(source, writer)
  return writer.text().replace(/[ \t]+$/gm, '')
}
