import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Dialect } from '#capabilities/text/dialect.js'
import type { createPrepare } from '#capabilities/text/prepare.js'
import type { WriteText } from '#capabilities/text/write-text.js'
import type { Metered } from '#ledger/metered.js'
import { neverStops } from '#plumbing/stop-signal.js'
import { callerOf } from './access.js'
import { createEventOutlet, departureOf } from './event-outlet.js'
import { createLateFailure } from './failures.js'
import { answerPaid } from './paid.js'

type Needs = { metered: Metered; prepare: ReturnType<typeof createPrepare>; writeText: WriteText; log: Logger }

/** Answers a request for text in the dialect in which it was asked, whole or as a stream. */
export const createTextReply = ({ metered, prepare, writeText, log }: Needs) => {
  const lateFailure = createLateFailure(log)

  return async <Body>(request: FastifyRequest, reply: FastifyReply, dialect: Dialect<Body>): Promise<void> => {
    const body = request.body as Body
    const chat = dialect.read(body)
    const departure = departureOf(reply)
    const prepared = await prepare(callerOf(request), chat, departure)
    const asked = { requestId: request.id, caller: callerOf(request), prepared }

    if (chat.stream !== true) {
      // Who sends an Idempotency-Key comes back for the answer, so it is worth finishing.
      const signal = request.headers['idempotency-key'] === undefined ? departure : neverStops
      await answerPaid(metered, request, reply, prepared.order, (charge) =>
        writeText.whole(asked, charge, signal, (finished) => dialect.answer(finished, body)),
      )
      return
    }

    const outlet = createEventOutlet(reply, departure)
    const voice = dialect.voice(writeText.openingOf(asked), body)
    try {
      await writeText.stream(asked, outlet, voice)
      // The caller left before anything was sent: there is nobody to answer.
      if (!outlet.hasBegun) reply.hijack()
    } catch (error) {
      if (!outlet.hasBegun) throw error
      outlet.end(voice.failed(lateFailure(error, request)))
    } finally {
      outlet.close()
    }
  }
}

export type TextReply = ReturnType<typeof createTextReply>
