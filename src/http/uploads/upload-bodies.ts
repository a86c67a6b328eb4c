import type { FastifyInstance, FastifyRequest } from 'fastify'
import { fail } from '#contract/errors.js'
import { whenClosed } from '../event-outlet.js'
import { jsonTypes, parseJson } from '../json-body.js'
import { putBack, takeOutLongTexts } from './json-with-files.js'
import { readForm } from './read-form.js'
import { createUploadRoom, Uploads } from './uploads.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** What stands beside the body, on routes that take files. */
    uploads: Uploads | null
  }
}

/** Four files of 25 MB, a third larger in base64. */
export const uploadBytesMax = 140 * 1024 * 1024
/** Of a JSON body without its pictures; the longest prompts are 128 KB. */
const wordsBytesMax = 2 * 1024 * 1024

/** Lets the routes of a scope take JSON with pictures in it and, where they say so, forms with files. */
export const readUploads = (scope: FastifyInstance) => {
  const room = createUploadRoom()
  scope.decorateRequest('uploads', null)

  // Before the body is read: what does not fit is not received.
  scope.addHook('preParsing', (request, reply, payload, done) => {
    const { raw } = reply
    const refuse = (error: unknown) => {
      // Read and forgotten, so that the caller gets to hear why.
      payload.resume()
      done(error as Error)
    }
    try {
      if (request.raw.socket.destroyed) throw fail('callerLeft')
      // Who does not say how much there is may send as much as is possible.
      const announced = Number(request.headers['content-length'] ?? uploadBytesMax)
      if (announced > uploadBytesMax) throw fail('payloadTooLarge', String(uploadBytesMax))
      whenClosed(raw, room.enter(announced, request.caller?.accountId ?? ''))
      request.uploads = new Uploads()
      done(null, payload)
    } catch (error) {
      refuse(error)
    }
  })

  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser<Buffer>(jsonTypes, { parseAs: 'buffer' }, (request, body, done) => {
    try {
      done(null, readJson(body, uploadsOf(request)))
    } catch (error) {
      done(error as Error)
    }
  })
  scope.addContentTypeParser(/^multipart\/form-data\b/i, async (request: FastifyRequest) => {
    if (request.routeOptions.config.takesForms !== true) {
      request.raw.resume()
      throw fail('invalidContentType', 'multipart/form-data')
    }
    return readForm(request.raw, { bytesMax: uploadBytesMax, uploads: uploadsOf(request) })
  })
}

const uploadsOf = ({ uploads }: FastifyRequest): Uploads => {
  if (uploads === null) throw new Error('a body is read only after room was made for it')
  return uploads
}

const readJson = (body: Buffer, uploads: Uploads): unknown => {
  const rest = takeOutLongTexts(body, uploads)
  // Everything else is words and numbers; parsing more of them would hold up everybody.
  if (rest.length > wordsBytesMax) throw fail('wordsTooLarge', String(wordsBytesMax))
  return putBack(parseJson(rest), uploads)
}
