import type { IncomingMessage } from 'node:http'
import busboy, { type BusboyHeaders, type BusboyInstance } from '@fastify/busboy'
import { fail, failField } from '#contract/errors.js'
import { pictureFields, type Uploads } from './uploads.js'

/** Files are under 25 MB (docs/specification.md, Limits 9); a text may hold one in base64. */
const fileBytesMax = 25 * 1024 * 1024
const textBytesMax = 34 * 1024 * 1024
const filesMax = 32
const textsMax = 64
/** How long the reader may take after the last byte. */
const patienceMs = 500

/** Forms, so that their values, which are all text, are turned into what the schema asks for. */
const forms = new WeakSet<object>()
export const isForm = (body: unknown): boolean => typeof body === 'object' && body !== null && forms.has(body)

type Needs = { bytesMax: number; uploads: Uploads }

/**
 * Reads a form while it arrives; what is too large is refused before it is there. Files are kept in `uploads`. A name that
 * occurs twice, or ends in `[]`, gives a list.
 */
export const readForm = (request: IncomingMessage, { bytesMax, uploads }: Needs): Promise<Record<string, unknown>> =>
  new Promise((resolve, reject) => {
    const body: Record<string, unknown> = Object.create(null)
    let bytes = 0
    const add = (name: string, value: string) => {
      const isList = name.endsWith('[]')
      const field = isList ? name.slice(0, -2) : name
      const known = body[field]
      // Python writes truth with a capital letter.
      const plain = field !== 'prompt' && /^(True|False)$/.test(value) ? value.toLowerCase() : value
      if (known === undefined) body[field] = isList ? [plain] : plain
      else body[field] = [known, plain].flat()
    }
    let cutOffTimer: NodeJS.Timeout | undefined
    const stop = (error: unknown) => {
      clearTimeout(cutOffTimer)
      request.unpipe(form)
      // The rest is read and forgotten, so that the caller gets to hear why.
      request.resume()
      reject(error)
    }

    const form = openForm(request)
    const stopEarly = (error: unknown) => {
      request.resume()
      reject(error)
    }
    if (request.destroyed) return reject(fail('callerLeft'))
    if (form === undefined) return stopEarly(fail('invalidRequest', 'The form has no boundary in its Content-Type'))
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > bytesMax) stop(fail('payloadTooLarge', String(bytesMax)))
    })
    request.on('aborted', () => stop(fail('callerLeft')))
    const cutOff = () => stop(fail('invalidRequest', 'The form is cut off or not well-formed'))
    const nameless = () => stop(fail('invalidRequest', 'The form has a part without a name'))
    // About some forms without a proper end the reader says nothing at all.
    request.on('end', () => {
      cutOffTimer = setTimeout(cutOff, patienceMs)
    })
    form.on('file', (name: string | undefined, file) => {
      if (name === undefined) return nameless()
      if (!pictureFields.has(name.replace(/\[\]$/, ''))) return stop(failField(name, 'must be text, not a file'))
      const chunks: Buffer[] = []
      file.on('data', (chunk: Buffer) => chunks.push(chunk))
      file.on('error', cutOff)
      file.on('limit', () => stop(fail('fileTooLarge', name, '25')))
      file.on('end', () => {
        // A file input that was left empty in a browser.
        if (chunks.length === 0) return stop(failField(name, 'must not be empty'))
        add(name, uploads.keep(inSharedMemory(chunks)))
      })
    })
    form.on('field', (name: string | undefined, value, _nameTruncated, valueTruncated) => {
      if (name === undefined) return nameless()
      if (valueTruncated) return stop(fail('fileTooLarge', name, '25'))
      add(name, value)
    })
    form.on('filesLimit', () => stop(fail('invalidRequest', `The form has more than ${filesMax} files`)))
    form.on('fieldsLimit', () => stop(fail('invalidRequest', `The form has more than ${textsMax} fields`)))
    form.on('error', cutOff)
    form.on('finish', () => {
      clearTimeout(cutOffTimer)
      forms.add(body)
      resolve(body)
    })
    request.pipe(form)
  })

/** Threads can read it there, too, so that a file is not copied for each that works on it. */
const inSharedMemory = (chunks: readonly Buffer[]): Buffer => {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  const whole = Buffer.from(new SharedArrayBuffer(length))
  let place = 0
  for (const chunk of chunks) place += chunk.copy(whole, place)
  return whole
}

const openForm = ({ headers }: IncomingMessage): BusboyInstance | undefined => {
  try {
    return new busboy.Busboy({
      headers: headers as BusboyHeaders,
      limits: {
        fileSize: fileBytesMax,
        fieldSize: textBytesMax,
        files: filesMax,
        fields: textsMax,
        fieldNameSize: 100,
      },
    })
  } catch {
    return undefined
  }
}
