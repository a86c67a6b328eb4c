import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { KeyCaller } from '#accounts/caller.js'
import type { Authenticate } from '#guard/authenticate.js'
import { newRequestId } from '#plumbing/ids.js'
import { hasSignIn } from './access.js'
import type { CommonHeaders } from './common-headers.js'
import { type Exchange, flatten } from './exchange.js'
import { jsonTypes } from './json-body.js'
import type { Observer } from './observe.js'

/** A request that the lane could not answer, and why. The usual way knows how to refuse it. */
export type HandedOver = { id: string; caller: KeyCaller; error: unknown }

type Served = {
  prefix: string
  route: string
  otherRoutes: readonly string[]
  answer(exchange: Exchange, word: string): Promise<void>
}

/**
 * Small paid requests whose body stays bytes, such as calls of blockchain nodes. Routing, hooks and parsers of the
 * framework would be a fifth of what they cost, so what is plain (a known key, a short body of JSON, an address as it is
 * documented) is answered straight on node:http, with the same authentication, headers, log line and metrics. Everything
 * else, and everything that fails, takes the usual way.
 */
export type PaidLane = {
  /** Addresses that are `prefix` and one plain word go to `answer`, but for words that are other routes. */
  serve(served: Served): void
  /** True when it answers. */
  handle(request: IncomingMessage, response: ServerResponse): boolean
  /** The server is draining: the usual way tells clients that their connection ends. */
  close(): void
}

type Needs = {
  authenticate: Authenticate
  commonHeaders: CommonHeaders
  observer: Observer
  handOver(request: IncomingMessage, response: ServerResponse, why: HandedOver): void
}

type Known = { caller: KeyCaller; id: string; served: Served; word: string }

const bodyBytesMax = 64 * 1024
const plainWord = /^[a-z0-9-]{1,64}$/

/** A short body of JSON, and not packed. */
const isPlain = (headers: IncomingHttpHeaders) =>
  Number(headers['content-length'] ?? Number.NaN) <= bodyBytesMax &&
  headers['content-encoding'] === undefined &&
  jsonTypes.test(headers['content-type'] ?? '')

export const createPaidLane = ({ authenticate, commonHeaders, observer, handOver }: Needs): PaidLane => {
  const routes: Served[] = []
  let isOpen = true

  /** Whoever is not known at once takes the usual way, which also says what is wrong with a key. */
  const callerOf = ({ headers, socket }: IncomingMessage): KeyCaller | undefined => {
    if (headers.authorization === undefined || hasSignIn(headers)) return undefined
    try {
      const caller = authenticate(headers.authorization, socket)
      if (!(caller instanceof Promise)) return caller
      caller.catch(() => {})
    } catch {}
    return undefined
  }

  const exchangeOf = (request: IncomingMessage, response: ServerResponse, body: Buffer, known: Known): Exchange => ({
    id: known.id,
    caller: known.caller,
    method: 'POST',
    url: request.url as string,
    route: known.served.route,
    headers: request.headers,
    body,
    uploads: null,
    isForm: false,
    response,
    begin(status, ...headers) {
      response.writeHead(status, flatten(headers, commonHeaders.pairs(known.id, request.headers)))
    },
    abandon() {},
  })

  const answer = async (request: IncomingMessage, response: ServerResponse, body: Buffer, known: Known) => {
    const { id, caller, served, word } = known
    try {
      await served.answer(exchangeOf(request, response, body, known), word)
    } catch (error) {
      // Half an answer cannot become another one.
      if (response.headersSent) return void response.destroy()
      handOver(request, response, { id, caller, error })
    }
  }

  return {
    serve(served) {
      routes.push(served)
    },
    handle(request, response) {
      if (!isOpen || request.method !== 'POST') return false
      const { url = '', headers } = request
      const served = routes.find(({ prefix }) => url.startsWith(prefix))
      if (served === undefined) return false
      const word = url.slice(served.prefix.length)
      if (!plainWord.test(word) || served.otherRoutes.includes(word) || !isPlain(headers)) return false
      const caller = callerOf(request)
      if (caller === undefined) return false
      const id = newRequestId()
      const startedMs = performance.now()
      const keyId = () => caller.keyId
      const { route } = served
      observer.watch({ response, requestId: id, method: 'POST', route, startedMs, keyId })
      const known = { caller, id, served, word }
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', () => {
        const body = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
        void answer(request, response, body, known)
      })
      return true
    },
    close() {
      isOpen = false
    },
  }
}
