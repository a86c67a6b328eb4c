import type { FastifyInstance, FastifyRequest } from 'fastify'
import { fail } from '#contract/errors.js'
import { jsonTypes, parseJson } from '../json-body.js'
import { putBack, takeOutLongTexts } from './json-with-files.js'
import { readForm } from './read-form.js'
import { createUploadRoom, Uploads } from './uploads.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** What stands beside the body, on routes that take files. */
    uploads: Uploads | null
    /** Told when the answer is out, or the caller gone. */
    leaveUploadRoom: (() => void) | null
  }
}

/** Four files of 25 MB, a third larger in base64. */
export const uploadBytesMax = 140 * 1024 * 1024

/** Of a JSON body without its pictures; the longest prompts are 128 KB. */
const wordsBytesMax = 2 * 1024 * 1024

/** Lets the routes of a scope take forms with files, and JSON with pictures in it. */
export const readUploads = (scope: FastifyInstance) => {
  const room = createUploadRoom()
  scope.decorateRequest('uploads', null)
  scope.decorateRequest('leaveUploadRoom', null)
  scope.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw
    const leave = () => {
      socket.off('close', leave)
      reply.raw.off('close', leave)
      request.leaveUploadRoom?.()
      request.leaveUploadRoom = null
    }
    reply.raw.once('close', leave)
    // An answer that waits behind another one on its connection is not told when that is gone.
    socket.once('close', leave)
    done()
  })

  const begin = (request: FastifyRequest, bytes: number): Uploads => {
    if (request.raw.socket.destroyed) throw fail('callerLeft')
    request.leaveUploadRoom = room.enter(bytes)
    request.uploads = new Uploads()
    return request.uploads
  }

  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser<Buffer>(jsonTypes, { parseAs: 'buffer' }, (request, body, done) => {
    try {
      const uploads = begin(request, body.length)
      const rest = takeOutLongTexts(body, uploads)
      // Everything else is words and numbers; parsing more of them would hold up everybody.
      if (rest.length > wordsBytesMax)
        throw fail('payloadTooLarge', `${wordsBytesMax} without its pictures, or ${uploadBytesMax}`)
      done(null, putBack(parseJson(rest), uploads))
    } catch (error) {
      done(error as Error)
    }
  })
  scope.addContentTypeParser(/^multipart\/form-data\b/i, async (request: FastifyRequest) => {
    const announced = Number(request.headers['content-length'] ?? uploadBytesMax)
    if (announced > uploadBytesMax) throw fail('payloadTooLarge', String(uploadBytesMax))
    return readForm(request.raw, { bytesMax: uploadBytesMax, uploads: begin(request, announced) })
  })
}
