import { isUtf8 } from 'node:buffer'
import type { FastifyInstance } from 'fastify'
import { fail } from '#contract/errors.js'
import { explainJsonError } from '#plumbing/json-position.js'

/** With parameters or without: many clients add `; charset=utf-8`. */
export const jsonTypes = /^application\/([\w.+-]+\+)?json *(;.*)?$/i

/** A broken body is refused with the place of the mistake. */
export const parseJson = (body: Buffer): unknown => {
  // Some clients label even an empty DELETE as JSON; a route that needs a body says so itself.
  if (body.length === 0) return undefined
  if (!isUtf8(body)) throw fail('malformedJson', 'it is not UTF-8')
  const text = body.toString('utf8').replace(/^\uFEFF/, '')
  try {
    return JSON.parse(text)
  } catch {
    throw fail('malformedJson', explainJsonError(text))
  }
}

/** JSON is the only body we take unless a route says otherwise. */
export const readJsonBodies = (app: FastifyInstance) => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>(jsonTypes, { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, parseJson(body))
    } catch (error) {
      done(error as Error)
    }
  })
}
