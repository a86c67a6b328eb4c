import { posix } from 'node:path'
import { readArchive } from './archive.js'
import { DocumentProblem } from './document.js'
import { writeHtml } from './html.js'
import { attributeOf, scanMarkup } from './markup.js'
import { createTextWriter } from './text-writer.js'

const wanted = /\.(?:opf|xhtml|html?|xml)$/i

/** A reference inside the package; a name that is not well encoded is taken as it stands. */
const targetOf = (folder: string, href: string): string => {
  const path = href.split('#', 1)[0] ?? ''
  try {
    return posix.join(folder, decodeURIComponent(path))
  } catch {
    return posix.join(folder, path)
  }
}

/** Chapters in reading order. */
export const readEpub = (bytes: Uint8Array): string => {
  const archive = readArchive(bytes, (name) => wanted.test(name))
  let packagePath: string | undefined
  for (const event of scanMarkup(archive.get('META-INF/container.xml') ?? ''))
    if (event.kind === 'open' && event.name === 'rootfile') packagePath ??= attributeOf(event.attributes, 'full-path')
  const packageXml = archive.get(packagePath ?? '')
  if (packagePath === undefined || packageXml === undefined)
    throw new DocumentProblem('unreadable', 'is not a complete EPUB: its list of chapters is missing')

  const files = new Map<string, string>()
  const writer = createTextWriter()
  for (const event of scanMarkup(packageXml)) {
    if (event.kind !== 'open') continue
    if (event.name === 'item') {
      const href = attributeOf(event.attributes, 'href') ?? ''
      files.set(attributeOf(event.attributes, 'id') ?? '', targetOf(posix.dirname(packagePath), href))
    } else if (event.name === 'itemref') {
      const file = files.get(attributeOf(event.attributes, 'idref') ?? '')
      writeHtml(archive.get(file ?? '') ?? '', writer)
    }
  }
  return writer.text().replace(/[ \t]+$/gm, '')
}
