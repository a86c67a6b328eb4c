import { namesInArchive } from './archive.js'
import { decodeText } from './decode-text.js'
import { type Document, DocumentProblem } from './document.js'
import { readDocx } from './docx.js'
import { readEpub } from './epub.js'
import { readHtml } from './html.js'
import { readPdf } from './pdf.js'
import { readPptx } from './pptx.js'
import { readXlsx } from './xlsx.js'

/** Text formats need no thread of their own; the others are programs in disguise. */
export type Form = 'text' | 'html' | 'pdf' | 'zip' | 'compound'

const startsWith = (bytes: Uint8Array, ...mark: number[]) => mark.every((byte, index) => bytes[index] === byte)

const extensionOf = (filename: string | undefined) => /\.([A-Za-z0-9]+)$/.exec(filename ?? '')?.[1]?.toLowerCase() ?? ''

/** The content decides; the name and the declared type only where the content could be several things. */
export const formOf = ({ bytes, contentType, filename }: Document): Form => {
  if (startsWith(bytes, 0x50, 0x4b, 0x03, 0x04) || startsWith(bytes, 0x50, 0x4b, 0x05, 0x06)) return 'zip'
  if (startsWith(bytes, 0xd0, 0xcf, 0x11, 0xe0)) return 'compound'
  const extension = extensionOf(filename)
  // Readers allow some bytes before the mark; a text that quotes one is still a text.
  const mark = Buffer.from(bytes.subarray(0, 1024)).indexOf('%PDF-')
  if (mark === 0 || (mark > 0 && (extension === 'pdf' || contentType === 'application/pdf'))) return 'pdf'
  // A program that writes a web page is not a web page: where there is a name, it knows better than the type.
  const isHtml = extension === '' ? /\b(?:html|xhtml\+xml)\b/.test(contentType ?? '') : /^x?html?$/.test(extension)
  return isHtml ? 'html' : 'text'
}

const readZip = (bytes: Uint8Array): string => {
  const names = new Set(namesInArchive(bytes))
  if (names.has('word/document.xml')) return readDocx(bytes)
  if (names.has('ppt/presentation.xml')) return readPptx(bytes)
  if (names.has('xl/workbook.xml')) return readXlsx(bytes)
  if (names.has('META-INF/container.xml')) return readEpub(bytes)
  throw new DocumentProblem(
    'unsupported',
    'is an archive that is not a DOCX, PPTX, XLSX or EPUB; send its files instead',
  )
}

/** Office documents before 2007, and newer ones with a password, are of the same outer form. */
const refuseCompound = ({ bytes, filename }: Document): never => {
  if (Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(Buffer.from('EncryptedPackage', 'utf16le')))
    throw new DocumentProblem('unreadable', 'is protected by a password; remove it first')
  const newer = { doc: 'DOCX', ppt: 'PPTX' }[extensionOf(filename)] ?? 'XLSX'
  const older = newer.slice(0, 3)
  throw new DocumentProblem('unsupported', `is in the legacy ${older} format; convert it to ${newer} and send that`)
}

const binaryNames = new Set(['pdf', 'docx', 'pptx', 'xlsx', 'epub', 'xls', 'doc', 'ppt'])

export const readPlainText = ({ bytes, filename }: Document): string => {
  const text = decodeText(bytes)
  if (text !== undefined) return text
  const extension = extensionOf(filename)
  throw binaryNames.has(extension)
    ? new DocumentProblem('unreadable', `is not a ${extension.toUpperCase()} that can be read; it may be damaged`)
    : new DocumentProblem(
        'unsupported',
        'is not in a format that is read here: PDF, DOCX, PPTX, XLSX, EPUB, HTML, or text in UTF-8 or UTF-16',
      )
}

/** The text of a document. Throws `DocumentProblem`; whatever else is thrown means that a reader met something hostile. */
export const readDocument = async (document: Document): Promise<string> => {
  switch (formOf(document)) {
    case 'pdf':
      return readPdf(document.bytes)
    case 'zip':
      return readZip(document.bytes)
    case 'compound':
      return refuseCompound(document)
    case 'html':
      return readHtml(readPlainText(document))
    case 'text':
      return readPlainText(document)
  }
}
