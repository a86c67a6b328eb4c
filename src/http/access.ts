import type { FastifyInstance } from 'fastify'
import type { Caller } from '#accounts/caller.js'
import { fail } from '#contract/errors.js'
import type { Authenticate } from '#guard/authenticate.js'
import { OperatorError } from '#plumbing/operator-error.js'

/**
 * Who may call a route. Every route declares it:
 * - `open`: anybody; credentials are not looked at.
 * - `readable`: anybody, but a key that is sent must be good.
 * - `key`: a key of any type.
 * - `admin`: an ADMIN key.
 */
export type Access = 'open' | 'readable' | 'key' | 'admin'

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
  }
  interface FastifyRequest {
    /** Set before the handler runs on every route that asks for a key. */
    caller: Caller | null
  }
}

const kinds: readonly unknown[] = ['open', 'readable', 'key', 'admin'] satisfies Access[]

/** Lets callers in or turns them away, before the body is read. A route without `access` stops the start-up. */
export const guardRoutes = (app: FastifyInstance, authenticate: Authenticate) => {
  app.decorateRequest('caller', null)

  app.addHook('onRoute', ({ method, url, config }) => {
    if (!kinds.includes(config?.access))
      throw new OperatorError(
        `The route ${method} ${url} does not declare who may call it.`,
        `Give it config: { access: ... } with one of ${kinds.join(', ')}.`,
      )
  })

  app.addHook('onRequest', (request, _reply, done) => {
    // Only the not-found route has no declaration, and it tells everybody the same.
    const access = request.routeOptions.config.access ?? 'open'
    const { authorization } = request.headers
    if (access === 'open' || (access === 'readable' && authorization === undefined)) return done()
    const admit = (caller: Caller) => {
      if (access === 'admin' && caller.keyType !== 'ADMIN') throw fail('adminKeyRequired')
      request.caller = caller
      done()
    }
    try {
      const caller = authenticate(authorization, request.raw.socket)
      if (caller instanceof Promise) caller.then(admit).catch(done)
      else admit(caller)
    } catch (error) {
      done(error as Error)
    }
  })
}

/** The caller of a route that asks for a key. */
export const callerOf = (request: { caller: Caller | null }): Caller => {
  if (request.caller === null) throw new Error('this route needs access: key or admin')
  return request.caller
}
