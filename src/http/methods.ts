import type { FastifyInstance, HTTPMethods } from 'fastify'
import { fail } from '#contract/errors.js'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/**
 * Answers, on every path that exists, the methods that do not: 405 with `Allow`, and OPTIONS for browsers (CORS) and
 * the curious. Called before the routes; it adds its own once all of them are known.
 */
export const answerOtherMethods = (app: FastifyInstance) => {
  const known = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method, config }) => {
    if (config?.access === undefined) return
    const taken = known.get(url) ?? new Set()
    for (const name of [method].flat()) taken.add(name)
    known.set(url, taken)
  })

  return () => {
    for (const [url, taken] of [...known]) {
      if (taken.has('OPTIONS') || url === '*') continue
      const allowed = [...taken, 'OPTIONS'].sort().join(', ')
      app.route({
        url,
        method: methods.filter((method) => !taken.has(method)) as HTTPMethods[],
        config: { access: 'open' },
        schema: { hide: true },
        handler: (request) => {
          throw fail('methodNotAllowed', request.method, allowed).withHeaders({ allow: allowed })
        },
      })
      app.options(url, { config: { access: 'open' }, schema: { hide: true } }, (request, reply) => {
        void reply
          .code(204)
          .headers({
            allow: allowed,
            'access-control-allow-methods': allowed,
            'access-control-allow-headers': request.headers['access-control-request-headers'] ?? '*, authorization',
            'access-control-max-age': '86400',
          })
          .send()
      })
    }
  }
}
