import { isUtf8 } from 'node:buffer'
import type { FastifyInstance } from 'fastify'
import { fail } from '#contract/errors.js'
import { explainJsonError } from '#plumbing/json-position.js'

/** JSON is the only body we take unless a route says otherwise; a broken one is refused with the place of the mistake. */
export const readJsonBodies = (app: FastifyInstance) => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>(
    /^application\/([\w.+-]+\+)?json$/i,
    { parseAs: 'buffer' },
    (_request, body, done) => {
      // Some clients label even an empty DELETE as JSON; a route that needs a body says so itself.
      if (body.length === 0) return done(null, undefined)
      if (!isUtf8(body)) return done(fail('malformedJson', 'it is not UTF-8'))
      const text = body.toString('utf8').replace(/^\uFEFF/, '')
      try {
        done(null, JSON.parse(text))
      } catch {
        done(fail('malformedJson', explainJsonError(text)))
      }
    },
  )
}
