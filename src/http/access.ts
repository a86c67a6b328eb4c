import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import type { Caller, KeyCaller } from '#accounts/caller.js'
import { type Failure, fail } from '#contract/errors.js'
import type { ModelType } from '#contract/models.js'
import type { Authenticate } from '#guard/authenticate.js'
import type { WalletDoor } from '#guard/wallet-door.js'
import type { BalanceHeaders, BalanceReader } from '#ledger/credit/balance-reader.js'
import { paymentRequired } from '#ledger/refusal.js'
import type { Others } from '#limits/others.js'
import { OperatorError } from '#plumbing/operator-error.js'
import { type PaymentRequired, paymentOf } from './payment-required.js'
import { type Standings, tellStanding } from './tell-standing.js'

/**
 * Who may call a route. Every route declares it:
 * - `open`: anybody; credentials are not looked at.
 * - `readable`: anybody, but a key that is sent must be good.
 * - `key`: a key of any type; on routes that charge also a wallet that signs in.
 * - `wallet`: only a wallet that signs in, known to us or not.
 * - `admin`: an ADMIN key.
 */
export type Access = 'open' | 'readable' | 'key' | 'wallet' | 'admin'

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    /** The route charges, and so learns the balance on the way. */
    isPaid?: boolean
    /** What kind of model the `model` of the body names. */
    modelType?: ModelType
    /** Which model a body means, where that is not simply its `model`. May fail. */
    modelNameOf?: (body: unknown) => string
    /** The route has limits of its own, so its answers say nothing of those that others have. */
    hasOwnLimits?: boolean
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
    /** The address that signed in, also of a wallet that never had anything to do with us. */
    wallet: string | null
    /** What the answer says about the caller's balance; null on routes that charge, which know it from the charge. */
    balance: Promise<BalanceHeaders | undefined> | null
    /** The same about the caller's limits. */
    standing: Record<string, string> | null
  }
}

type Needs = {
  authenticate: Authenticate
  /** Undefined where wallets are not taken. */
  walletDoor: () => WalletDoor | undefined
  payments: PaymentRequired
  balances: BalanceReader
  others: Others
  standings: Standings
}

const kinds: readonly unknown[] = ['open', 'readable', 'key', 'wallet', 'admin'] satisfies Access[]

/** Lets callers in or turns them away, before the body is read. A route without `access` stops the start-up. */
export const guardRoutes = (app: FastifyInstance, needs: Needs) => {
  const { authenticate, walletDoor, payments, balances, others, standings } = needs
  app.decorateRequest('caller', null)
  app.decorateRequest('wallet', null)
  app.decorateRequest('balance', null)
  app.decorateRequest('standing', null)

  app.addHook('onRoute', ({ method, url, config }) => {
    if (!kinds.includes(config?.access))
      throw new OperatorError(
        `The route ${method} ${url} does not declare who may call it.`,
        `Give it config: { access: ... } with one of ${kinds.join(', ')}.`,
      )
  })

  const know = (request: FastifyRequest, caller: Caller) => {
    const { access, isPaid } = request.routeOptions.config
    request.caller = caller
    if (isPaid === true) return
    // What anybody may read is not limited for those who say who they are.
    request.standing = access === 'readable' ? others.look(caller) : others.take(caller)
    // Read beside the work, not before it. An answer without these headers is better than no answer.
    request.balance = balances.read(caller).catch(() => undefined)
  }

  const enter = async (request: FastifyRequest, door: WalletDoor, signIn: string) => {
    const { address, caller } = await door(signIn)
    request.wallet = address
    if (caller !== null) know(request, caller)
    else if (request.routeOptions.config.isPaid === true) throw paymentRequired(0n)
  }

  app.addHook('onRequest', (request, _reply, done) => {
    const { isPaid = false, access = 'open' } = request.routeOptions.config
    // Only the not-found route has no declaration, and it tells everybody the same.
    if (access === 'open') return done()
    // Clients that cannot do without a key send any beside the sign-in, which is the more deliberate of the two.
    const signIn = isPaid || access === 'wallet' ? signInOf(request) : undefined
    const door = signIn === undefined && access !== 'wallet' ? undefined : walletDoor()
    if (access === 'wallet' && door === undefined) return done(fail('walletsOff'))
    if (access === 'wallet' && signIn === undefined) return done(missingSignIn())
    if (door !== undefined && signIn !== undefined) return void enter(request, door, signIn).then(() => done(), done)

    const authorization = credentialOf(request)
    if (authorization === undefined && access === 'readable') return done()
    if (isBlank(authorization)) return done(missingCredentials(request, signIn !== undefined))
    const admit = (caller: KeyCaller) => {
      know(request, caller)
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
  const missingCredentials = ({ url, headers, routeOptions }: FastifyRequest, hasSignIn: boolean) => {
    if (routeOptions.config.isPaid !== true) return fail('missingKey')
    // Clients that pay wherever they are told 402 would otherwise pay in anew with every call.
    if (paymentOf(headers) !== undefined) return fail('paymentElsewhere')
    return hasSignIn ? walletsNotTaken() : payments.missingKey(pathOf(url))
  }

  tellStanding(app, { balances, standings })
}

const isBlank = (text: string | undefined) => text === undefined || text.trim() === ''

export const pathOf = (url: string): string => url.split('?', 1)[0] as string

/** Something was sent that may be the sign-in of a wallet. */
export const hasSignIn = (headers: IncomingHttpHeaders): boolean =>
  headers['sign-in-with-x'] !== undefined || headers['x-sign-in-with-x'] !== undefined

const signInOf = ({ headers }: FastifyRequest): string | undefined => {
  const sent = headers['sign-in-with-x'] ?? headers['x-sign-in-with-x']
  if (sent === undefined) return undefined
  return [sent, headers['x-sign-in-with-x']].flat().find((one) => !isBlank(one))
}

const missingSignIn = () => fail('signInInvalid', "the header 'SIGN-IN-WITH-X' is missing").with({ reason: 'missing' })

const walletsNotTaken = () =>
  fail('signInInvalid', 'this service takes no wallets; send an API key').with({ reason: 'not_configured' })

const credentialOf = ({ headers, routeOptions }: FastifyRequest): string | undefined => {
  const key = headers['x-api-key']
  if (headers.authorization !== undefined || routeOptions.config.takesApiKeyHeader !== true)
    return headers.authorization
  return typeof key === 'string' ? `Bearer ${key}` : undefined
}

/** The caller of a route that takes nothing but keys. */
export const keyCallerOf = (request: { caller: Caller | null }): KeyCaller => {
  const caller = callerOf(request)
  if (caller.kind !== 'key') throw new Error('wallets are let in only where something costs')
  return caller
}

/** The caller of a route that asks for a key. */
export const callerOf = (request: { caller: Caller | null }): Caller => {
  if (request.caller === null) throw new Error('this route needs access: key or admin')
  return request.caller
}
