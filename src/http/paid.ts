import type { FastifyReply, FastifyRequest } from 'fastify'
import { fail } from '#contract/errors.js'
import type { Answer, Idempotency } from '#ledger/answers.js'
import type { Charge, Settled } from '#ledger/charge.js'
import { spendingHeaders } from '#ledger/credit/balance-reader.js'
import type { Metered, Order } from '#ledger/metered.js'
import { callerOf } from './access.js'

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
  const answer = await metered.answer(whole, work)
  reply.headers(spendingHeaders(answer.before))
  if (answer.isReplay) reply.header('idempotent-replayed', 'true')
  return reply.code(answer.status).headers(answer.headers).send(answer.body)
}

const idempotencyOf = (request: FastifyRequest): Idempotency | undefined => {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) throw fail('idempotencyKeyInvalid')
  return {
    key,
    credential: request.headers.authorization ?? '',
    request: `${request.method} ${request.url}\n${JSON.stringify(request.body)}`,
  }
}
