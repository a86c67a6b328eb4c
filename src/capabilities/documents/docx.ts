import { readArchive } from './archive.js'
import { scanMarkup } from './markup.js'
import { createTextWriter, type TextWriter } from './text-writer.js'

const parts = ['word/document.xml', 'word/footnotes.xml', 'word/endnotes.xml']

const writePart = (xml: string, writer: TextWriter): void => {
  let isText = false
  /** Inside properties a tab is a tab stop, and inside a fallback is a second version of what was already told. */
  let skipping: string | undefined
  let cells = 0
  for (const event of scanMarkup(xml)) {
    if (event.kind === 'text') {
      if (isText) writer.write(event.text)
      continue
    }
    const { kind, name } = event
    if (skipping !== undefined) {
      if (skipping === 'pPr' && kind === 'open' && name === 'numPr') writer.write('- ')
      if (kind === 'close' && name === skipping) skipping = undefined
      continue
    }
    if (kind === 'open') {
      if ((name === 'pPr' || name === 'Fallback') && !event.isEmpty) skipping = name
      else if (name === 't') isText = !event.isEmpty
      else if (name === 'tab') writer.write('\t')
      else if (name === 'br' || name === 'cr') writer.write('\n')
      else if (name === 'noBreakHyphen') writer.write('-')
      else if (name === 'tc') cells++
    } else if (name === 't') isText = false
    else if (name === 'p') cells > 0 ? writer.write(' ') : writer.endLine()
    else if (name === 'tc') {
      cells--
      writer.write('\t')
    } else if (name === 'tr') writer.endLine()
    else if (name === 'tbl') writer.endParagraph()
  }
  writer.endParagraph()
}

/** Paragraphs as lines, tables as rows of cells between tabs, notes at the end. */
export const readDocx = (bytes: Uint8Array): string => {
  const archive = readArchive(bytes, (name) => parts.includes(name))
  const writer = createTextWriter()
  for (const part of parts) writePart(archive.get(part) ?? '', writer)
  return writer.text().replace(/[ \t]+$/gm, '')
}
