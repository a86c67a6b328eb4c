import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import type { Caller } from '#accounts/caller.js'
import { type Failure, fail } from '#contract/errors.js'
import type { ModelType } from '#contract/models.js'
import type { Authenticate } from '#guard/authenticate.js'
import type { BalanceHeaders, BalanceReader } from '#ledger/credit/balance-reader.js'
import type { Others } from '#limits/others.js'
import { OperatorError } from '#plumbing/operator-error.js'
import { type Standings, tellStanding } from './tell-standing.js'

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
    /** The route charges, and so learns the balance on the way. */
    isPaid?: boolean
    /** What kind of model the `model` of the body names. */
    modelType?: ModelType
    /** Which model a body means, where that is not simply its `model`. May fail. */
    modelNameOf?: (body: unknown) => string
    /** Bodies may also be forms with files. */
    takesForms?: boolean
    /** The key may also come as `x-api-key`, as clients of Anthropic send it. */
    takesApiKeyHeader?: boolean
    /** A second name for the header with the request id, where clients look for it there. */
    requestIdHeader?: string
    /** The body of failures, for routes whose clients expect another shape than ours. */
    refusal?: { shape: TSchema; render(failure: Failure, requestId: string): object }
  }
  interface FastifyRequest {
    /** Set before the handler runs on every route that asks for a key. */
    caller: Caller | null
    /** What the answer says about the caller's balance; null on routes that charge, which know it from the charge. */
    balance: Promise<BalanceHeaders | undefined> | null
    /** The same about the caller's limits. */
    standing: Record<string, string> | null
  }
}

type Needs = { authenticate: Authenticate; balances: BalanceReader; others: Others; standings: Standings }

const kinds: readonly unknown[] = ['open', 'readable', 'key', 'admin'] satisfies Access[]

/** Lets callers in or turns them away, before the body is read. A route without `access` stops the start-up. */
export const guardRoutes = (app: FastifyInstance, { authenticate, balances, others, standings }: Needs) => {
  app.decorateRequest('caller', null)
  app.decorateRequest('balance', null)
  app.decorateRequest('standing', null)

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
    const authorization = credentialOf(request)
    if (access === 'open' || (access === 'readable' && authorization === undefined)) return done()
    const admit = (caller: Caller) => {
      request.caller = caller
      if (request.routeOptions.config.isPaid !== true) {
        // What anybody may read is not limited for those who say who they are.
        request.standing = access === 'readable' ? others.look(caller) : others.take(caller)
        // Read beside the work, not before it. An answer without these headers is better than no answer.
        request.balance = balances.read(caller.accountId).catch(() => undefined)
      }
      if (access === 'admin' && caller.keyType !== 'ADMIN') throw fail('adminKeyRequired')
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
  tellStanding(app, { balances, standings })
}

const credentialOf = ({ headers, routeOptions }: FastifyRequest): string | undefined => {
  const key = headers['x-api-key']
  if (headers.authorization !== undefined || routeOptions.config.takesApiKeyHeader !== true)
    return headers.authorization
  return typeof key === 'string' ? `Bearer ${key}` : undefined
}

/** The caller of a route that asks for a key. */
export const callerOf = (request: { caller: Caller | null }): Caller => {
  if (request.caller === null) throw new Error('this route needs access: key or admin')
  return request.caller
}
