import { Worker } from 'node:worker_threads'
import { type FailureName, fail } from '#contract/errors.js'
import { type Document, DocumentProblem, type DocumentTrouble } from './document.js'
import { formOf, readPlainText } from './read-document.js'
import type { Outcome } from './worker.js'

export const documentBytesMax = 25 * 1024 * 1024

export type ExtractText = (
  document: Document & {
    /** What to call it when it cannot be read, such as `messages.0.content.1`. */
    place?: string
    signal?: AbortSignal
  },
) => Promise<string>

type Needs = {
  /** A document that takes longer to read was made to. */
  timeoutMs?: number
  /** Threads at a time; each may need a few hundred MB. */
  threadsMax?: number
  /** Documents that may wait for a thread. */
  waitingMax?: number
  deadline?: (ms: number) => AbortSignal
  startWorker?: (document: Document) => Worker
}

const startDocumentWorker = (document: Document) =>
  new Worker(new URL('./worker.js', import.meta.url), {
    workerData: document,
    resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 64 },
    // What a reader prints may quote the document.
    stdout: true,
    stderr: true,
  })

const failureOf = {
  unreadable: 'documentUnreadable',
  unsupported: 'documentUnsupported',
  excessive: 'documentExcessive',
} as const satisfies Record<DocumentTrouble, FailureName>

const whenAborted = (signal: AbortSignal, run: () => void): void => {
  if (signal.aborted) run()
  else signal.addEventListener('abort', run, { once: true })
}

const tooHard = 'takes too much time or memory to read'

/**
 * Turns documents into text. Everything but plain text is read in a thread of its own, which has a limit on memory and
 * time and ends with the document: a hostile file can waste its own thread and nothing else.
 */
export const createTextExtraction = ({
  timeoutMs = 20_000,
  threadsMax = 2,
  waitingMax = 64,
  deadline = AbortSignal.timeout,
  startWorker = startDocumentWorker,
}: Needs = {}): ExtractText => {
  let running = 0
  const waiting: (() => void)[] = []

  const takeTurn = (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted()
    if (running < threadsMax) {
      running++
      return Promise.resolve()
    }
    if (waiting.length >= waitingMax) throw fail('documentsBusy').retryAfterMs(5000)
    return new Promise((resolve, reject) => {
      const go = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        waiting.splice(waiting.indexOf(go), 1)
        reject(signal.reason)
      }
      signal.addEventListener('abort', leave, { once: true })
      waiting.push(go)
    })
  }

  const passTurn = () => {
    const next = waiting.shift()
    if (next) next()
    else running--
  }

  const readInThread = async (document: Document, signal: AbortSignal): Promise<string> => {
    await takeTurn(signal)
    const late = deadline(timeoutMs)
    const worker = startWorker(document)
    worker.stdout.resume()
    worker.stderr.resume()
    try {
      const outcome = await new Promise<Outcome>((resolve, reject) => {
        worker.once('message', resolve)
        // Out of memory, or a mistake that no reader caught.
        worker.once('error', (cause) => reject(new DocumentProblem('excessive', tooHard, { cause })))
        worker.once('exit', () => reject(new DocumentProblem('excessive', tooHard)))
        whenAborted(late, () => reject(new DocumentProblem('excessive', tooHard)))
        whenAborted(signal, () => reject(signal.reason))
      })
      if ('trouble' in outcome) throw new DocumentProblem(outcome.trouble, outcome.message)
      return outcome.text
    } finally {
      await worker.terminate()
      passTurn()
    }
  }

  return async ({ place = 'The file', signal = new AbortController().signal, bytes, contentType, filename }) => {
    if (bytes.length > documentBytesMax) throw fail('fileTooLarge', place, String(documentBytesMax / 1024 / 1024))
    const document = { bytes, contentType: contentType?.toLowerCase(), filename }
    try {
      const text = formOf(document) === 'text' ? readPlainText(document) : await readInThread(document, signal)
      if (text.trim() === '') throw fail('documentWithoutText', place)
      return text
    } catch (error) {
      if (error instanceof DocumentProblem) throw fail(failureOf[error.trouble], place, error.message).because(error)
      throw error
    }
  }
}
