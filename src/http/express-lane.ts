import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Authenticate } from '#guard/authenticate.js'
import type { BalanceReader } from '#ledger/credit/balance-reader.js'
import type { Others } from '#limits/others.js'
import { newRequestId } from '#plumbing/ids.js'
import type { CommonHeaders } from './common-headers.js'
import type { Observer } from './observe.js'
import { choose, type Prebuilt } from './prebuilt.js'

/**
 * Answers that stay the same for a while, such as the list of models, need neither routing nor validation the second
 * time. The lane remembers the exact addresses that were answered before and answers them straight on node:http, with
 * the same authentication, headers, log line and metrics. Whatever is not plain takes the usual way.
 */
export type ExpressLane = {
  /** From now on this address is answered with what `current` gives. */
  remember(address: string, route: string, current: () => Prebuilt): void
  /** True when it answered. */
  handle(request: IncomingMessage, response: ServerResponse): boolean
  /** The server is draining: the usual way tells clients that their connection ends. */
  close(): void
}

type Needs = {
  authenticate: Authenticate
  balances: BalanceReader
  others: Others
  commonHeaders: CommonHeaders
  observer: Observer
}

/** Callers choose addresses, so only some are kept. */
const addressesMax = 200
const addressLengthMax = 200

export const createExpressLane = ({ authenticate, balances, others, commonHeaders, observer }: Needs): ExpressLane => {
  const answers = new Map<string, { route: string; current: () => Prebuilt }>()
  let isOpen = true

  return {
    remember(address, route, current) {
      if (!isOpen || address.length > addressLengthMax) return
      // Somebody invents addresses: start afresh, and those that are really in use are back at once.
      if (answers.size >= addressesMax) answers.clear()
      answers.set(address, { route, current })
    },
    handle(request, response) {
      if (request.method !== 'GET') return false
      const answer = answers.get(request.url ?? '')
      if (answer === undefined) return false
      const startedMs = performance.now()
      const { headers } = request
      let keyId: string | undefined
      let balance: readonly string[] | undefined
      let standing: Record<string, string> | undefined
      if (headers.authorization !== undefined) {
        try {
          const caller = authenticate(headers.authorization, request.socket)
          // The database has to be asked: that is not plain.
          if (caller instanceof Promise) {
            caller.catch(() => {})
            return false
          }
          keyId = caller.keyId
          balance = balances.peek(caller.accountId)
          if (balance === undefined) return false
          standing = others.look(caller)
        } catch {
          return false
        }
      }
      const requestId = newRequestId()
      const { body, headers: own } = choose(answer.current(), headers['accept-encoding'])
      const flat = commonHeaders.pairs(requestId, headers)
      for (const name in own) flat.push(name, own[name as keyof typeof own] as string)
      if (balance !== undefined) flat.push(...balance)
      for (const name in standing) flat.push(name, standing[name] as string)
      flat.push('content-length', String(body.length))
      response.writeHead(200, flat)
      response.end(body)
      const ms = performance.now() - startedMs
      observer.answered({ requestId, method: 'GET', route: answer.route, status: 200, ms, keyId })
      return true
    },
    close() {
      isOpen = false
      answers.clear()
    },
  }
}
