import type { FastifyReply, FastifyRequest } from 'fastify'
import { fail } from '#contract/errors.js'
import type { Answer, Idempotency } from '#ledger/answers.js'
import type { Charge, Settled } from '#ledger/charge.js'
import { spendingHeaders } from '#ledger/credit/balance-reader.js'
import type { Metered, Order } from '#ledger/metered.js'
import { callerOf, credentialOf } from './access.js'

type PaidOrder = Omit<Order, 'requestId' | 'caller' | 'idempotency'>

/**
 * Answers a paid request as a whole: the caller's credit is held, the work runs, the answer leaves once it is paid for.
 * With an `Idempotency-Key`, a retry within 24 hours gets the same answer again and pays nothing.
 */
export const answerPaid = async (
  metered: Metered,
  request: FastifyRequest,
  reply: FastifyReply,
  order: PaidOrder,
  work: (charge: Charge) => Promise<Settled<Answer>>,
) => {
  const whole = { ...order, requestId: request.id, caller: callerOf(request), idempotency: idempotencyOf(request) }
  const { status, headers, body, before, isReplay } = await metered.answer(whole, work)
  const all = { ...headers, ...spendingHeaders(before), ...(isReplay && { 'idempotent-replayed': 'true' }) }
  if (request.headers['accept-encoding'] !== undefined && body.length >= compressedFrom)
    return reply.code(status).headers(all).send(body)
  // Nothing is left to decide, so the rest of the framework would only cost time.
  reply.hijack()
  const length = String(Buffer.byteLength(body))
  reply.raw.writeHead(status, { ...(reply.getHeaders() as object), ...all, 'content-length': length })
  reply.raw.end(body)
}

/** Below this, compressing saves nothing. */
export const compressedFrom = 1024

const idempotencyOf = (request: FastifyRequest): Idempotency | undefined => {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) throw fail('idempotencyKeyInvalid')
  return {
    key,
    credential: credentialOf(request) ?? '',
    request: `${request.method} ${request.url}\n${JSON.stringify(request.body)}`,
  }
}
