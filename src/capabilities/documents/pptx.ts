import { type Archive, readArchive, relationsOf } from './archive.js'
import { attributeOf, scanMarkup } from './markup.js'
import { createTextWriter, type TextWriter } from './text-writer.js'

const presentation = 'ppt/presentation.xml'
const wanted = /^ppt\/(?:presentation\.xml|slides\/[^/]+\.xml|notesSlides\/[^/]+\.xml|(?:slides\/)?_rels\/[^/]+\.rels)$/

/** Slides in the order in which they are shown. */
const slidesOf = (archive: Archive): string[] => {
  const relations = relationsOf(archive, presentation)
  const slides: string[] = []
  for (const event of scanMarkup(archive.get(presentation) ?? '')) {
    if (event.kind !== 'open' || event.name !== 'sldId') continue
    // It also has an id without a prefix, which is only a number.
    const relation = /\sr:id\s*=\s*["']([^"']+)["']/.exec(event.attributes)?.[1] ?? attributeOf(event.attributes, 'id')
    const slide = relations.get(relation ?? '')?.target
    if (slide !== undefined) slides.push(slide)
  }
  return slides
}

const writeShapes = (xml: string, writer: TextWriter): void => {
  let isText = false
  let isField = false
  for (const event of scanMarkup(xml)) {
    if (event.kind === 'text') {
      if (isText && !isField) writer.write(event.text)
    } else if (event.name === 't') isText = event.kind === 'open' && !event.isEmpty
    // Fields are slide numbers and dates.
    else if (event.name === 'fld') isField = event.kind === 'open'
    else if (event.name === 'br' && event.kind === 'open') writer.write('\n')
    else if (event.name === 'p' && event.kind === 'close') writer.endLine()
    else if (event.name === 'tc' && event.kind === 'close') writer.write('\t')
  }
}

/** Slides one after the other, each with its number and its notes. */
export const readPptx = (bytes: Uint8Array): string => {
  const archive = readArchive(bytes, (name) => wanted.test(name))
  const writer = createTextWriter()
  slidesOf(archive).forEach((slide, index) => {
    const own = createTextWriter()
    writeShapes(archive.get(slide) ?? '', own)
    const notes = createTextWriter()
    for (const { type, target } of relationsOf(archive, slide).values())
      if (type === 'notesSlide') writeShapes(archive.get(target) ?? '', notes)
    if (own.text().trim() === '' && notes.text().trim() === '') return
    writer.write(`Slide ${index + 1}\n${own.text()}`)
    if (notes.text().trim() !== '') {
      writer.endLine()
      writer.write(`Notes: ${notes.text()}`)
    }
    writer.endParagraph()
  })
  return writer.text()
}
