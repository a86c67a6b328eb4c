import { posix } from 'node:path'
import { unzipSync } from 'fflate'
import { decodeText } from './decode-text.js'
import { DocumentProblem } from './document.js'
import { attributeOf, scanMarkup } from './markup.js'

const entriesMax = 20_000
/** Of all files that are read, after unpacking. */
const bytesMax = 150_000_000

/** The files of a zip by name, as text. */
export type Archive = Map<string, string>

/** What a zip holds, without unpacking it. */
export const namesInArchive = (bytes: Uint8Array): string[] => {
  const names: string[] = []
  unpack(bytes, (name) => {
    names.push(name)
    return false
  })
  return names
}

/** Unpacks the files that are wanted, as long as they are not too many or too large. */
export const readArchive = (bytes: Uint8Array, isWanted: (name: string) => boolean): Archive => {
  let total = 0
  const files = unpack(bytes, (name, size) => {
    if (!isWanted(name)) return false
    // The unpacker never writes beyond the size that a file declares, so bounding these bounds memory.
    total += size
    if (total > bytesMax) throw new DocumentProblem('excessive', `unfolds into more than ${bytesMax} bytes`)
    return true
  })
  const archive: Archive = new Map()
  for (const [name, content] of Object.entries(files)) {
    const text = decodeText(content)
    if (text !== undefined) archive.set(name, text)
  }
  return archive
}

const unpack = (bytes: Uint8Array, isWanted: (name: string, size: number) => boolean): Record<string, Uint8Array> => {
  let entries = 0
  try {
    return unzipSync(bytes, {
      filter: ({ name, originalSize }) => {
        if (++entries > entriesMax) throw new DocumentProblem('excessive', `holds more than ${entriesMax} files`)
        return isWanted(name, originalSize)
      },
    })
  } catch (error) {
    if (error instanceof DocumentProblem) throw error
    throw new DocumentProblem('unreadable', 'is damaged: it begins like a zip archive, but cannot be unpacked', {
      cause: error,
    })
  }
}

export type Relation = { type: string; target: string }

/** What a part of an Office document refers to, by id; targets are names in the archive. */
export const relationsOf = (archive: Archive, part: string): Map<string, Relation> => {
  const relations = new Map<string, Relation>()
  const folder = posix.dirname(part)
  for (const event of scanMarkup(archive.get(`${folder}/_rels/${posix.basename(part)}.rels`) ?? '')) {
    if (event.kind !== 'open' || event.name !== 'Relationship') continue
    const target = attributeOf(event.attributes, 'Target') ?? ''
    relations.set(attributeOf(event.attributes, 'Id') ?? '', {
      type: posix.basename(attributeOf(event.attributes, 'Type') ?? ''),
      target: target.startsWith('/') ? target.slice(1) : posix.join(folder, target),
    })
  }
  return relations
}
