import { getDocumentProxy } from 'unpdf'
import { DocumentProblem } from './document.js'
import { createTextWriter } from './text-writer.js'

const isNamed = (error: unknown, name: string) => error instanceof Error && error.name === name

/** Pages one after the other, in lines as they stand on the page. */
export const readPdf = async (bytes: Uint8Array): Promise<string> => {
  const writer = createTextWriter()
  try {
    // A copy, since the reader keeps its input. Nothing in a file may be run, and its warnings would tell of its content.
    const pdf = await getDocumentProxy(Uint8Array.from(bytes), { isEvalSupported: false, verbosity: 0 })
    for (let number = 1; number <= pdf.numPages; number++) {
      const page = await pdf.getPage(number)
      const { items } = await page.getTextContent()
      for (const item of items) if ('str' in item) writer.write(item.hasEOL ? `${item.str}\n` : item.str)
      page.cleanup()
      writer.endParagraph()
    }
  } catch (error) {
    if (error instanceof DocumentProblem) throw error
    if (isNamed(error, 'PasswordException'))
      throw new DocumentProblem('unreadable', 'is a PDF that is protected by a password; remove it first')
    throw new DocumentProblem('unreadable', 'is not a PDF that can be read; it may be damaged', { cause: error })
  }
  return writer.text()
}
