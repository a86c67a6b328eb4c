import { type Archive, readArchive, relationsOf } from './archive.js'
import { attributeOf, scanMarkup } from './markup.js'
import { createTextWriter, type TextWriter } from './text-writer.js'
import { dateOfSerial, dateStylesOf } from './xlsx-dates.js'

const workbook = 'xl/workbook.xml'
const wanted =
  /^xl\/(?:workbook\.xml|sharedStrings\.xml|styles\.xml|worksheets\/[^/]+\.xml|_rels\/workbook\.xml\.rels)$/
const columnsMax = 16_384

/** Texts that cells refer to by number. */
const sharedTextsOf = (archive: Archive): string[] => {
  const texts: string[] = []
  let isText = false
  let isPhonetic = false
  for (const event of scanMarkup(archive.get('xl/sharedStrings.xml') ?? '')) {
    if (event.kind === 'text') {
      if (isText && !isPhonetic) texts[texts.length - 1] += event.text
    } else if (event.name === 'si' && event.kind === 'open') texts.push('')
    else if (event.name === 'rPh') isPhonetic = event.kind === 'open'
    else if (event.name === 't') isText = event.kind === 'open' && !event.isEmpty && texts.length > 0
  }
  return texts
}

type Sheet = { name: string; part: string }

const sheetsOf = (archive: Archive): { sheets: Sheet[]; is1904: boolean } => {
  const relations = relationsOf(archive, workbook)
  const sheets: Sheet[] = []
  let is1904 = false
  for (const event of scanMarkup(archive.get(workbook) ?? '')) {
    if (event.kind !== 'open') continue
    if (event.name === 'workbookPr') is1904 = /^(?:1|true)$/.test(attributeOf(event.attributes, 'date1904') ?? '')
    if (event.name !== 'sheet') continue
    const relation = attributeOf(event.attributes, 'id') ?? ''
    sheets.push({
      name: attributeOf(event.attributes, 'name') ?? '',
      part: relations.get(relation)?.target ?? '',
    })
  }
  return { sheets, is1904 }
}

/** BC12 -> 54. Undefined when it is not said. */
const columnOf = (reference: string | undefined): number | undefined => {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0]
  if (letters === undefined) return undefined
  const column = Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
  return Math.min(column, columnsMax)
}

type Cell = { type: string; style: number; value: string; column: number }

const createCellReader = (archive: Archive, is1904: boolean) => {
  const texts = sharedTextsOf(archive)
  const dateStyles = dateStylesOf(archive.get('xl/styles.xml') ?? '')
  return ({ type, style, value }: Cell): string => {
    if (type === 's') return texts[Number(value)] ?? ''
    if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE'
    if ((type === '' || type === 'n') && value !== '' && dateStyles.has(style))
      return dateOfSerial(Number(value), is1904) ?? value
    return value
  }
}

const writeSheet = (xml: string, textOf: (cell: Cell) => string, writer: TextWriter): void => {
  let cell: Cell | undefined
  let isValue = false
  /** Where the text ends that was written last, and where a cell lies that does not say it. */
  let column = 0
  let next = 0
  for (const event of scanMarkup(xml)) {
    if (event.kind === 'text') {
      if (cell && isValue) cell.value += event.text
    } else if (event.name === 'row') {
      if (event.kind === 'close') writer.endLine()
      column = 0
      next = 0
    } else if (event.name === 'c' && event.kind === 'open') {
      const place = columnOf(attributeOf(event.attributes, 'r')) ?? next
      next = place + 1
      const type = attributeOf(event.attributes, 't') ?? ''
      const style = Number(attributeOf(event.attributes, 's') ?? 0)
      cell = event.isEmpty ? undefined : { type, style, value: '', column: place }
    } else if (event.name === 'c' && cell) {
      const text = textOf(cell).replace(/[\t\r\n]+/g, ' ')
      if (text !== '') {
        writer.write('\t'.repeat(Math.max(0, cell.column - column)) + text)
        column = Math.max(column, cell.column)
      }
      cell = undefined
    } else if (event.name === 'v' || event.name === 't') isValue = event.kind === 'open' && !event.isEmpty
  }
  writer.endLine()
}

/** Sheets by name, rows as lines, cells between tabs; what formulas came to, not the formulas. */
export const readXlsx = (bytes: Uint8Array): string => {
  const archive = readArchive(bytes, (name) => wanted.test(name))
  const { sheets, is1904 } = sheetsOf(archive)
  const textOf = createCellReader(archive, is1904)
  const writer = createTextWriter()
  for (const { name, part } of sheets) {
    const own = createTextWriter()
    writeSheet(archive.get(part) ?? '', textOf, own)
    if (own.text().trim() === '') continue
    writer.write(`Sheet: ${name}\n${own.text()}`)
    writer.endParagraph()
  }
  return writer.text()
}
