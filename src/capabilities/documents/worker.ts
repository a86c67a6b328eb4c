import { parentPort, workerData } from 'node:worker_threads'
import { boundAllocations } from './bound-allocations.js'
import { type Document, DocumentProblem, type DocumentTrouble } from './document.js'
import { readDocument } from './read-document.js'

export type Outcome = { text: string } | { trouble: DocumentTrouble; message: string }

const run = async (document: Document): Promise<Outcome> => {
  try {
    return { text: await readDocument(document) }
  } catch (error) {
    if (error instanceof DocumentProblem) return { trouble: error.trouble, message: error.message }
    return { trouble: 'unreadable', message: 'cannot be read; it may be damaged' }
  }
}

boundAllocations(128 * 1024 * 1024)
parentPort?.postMessage(await run(workerData as Document))
