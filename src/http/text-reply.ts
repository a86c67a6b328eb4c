import type { Logger } from 'pino'
import type { ChosenModel } from '#capabilities/model-choice.js'
import type { Dialect } from '#capabilities/text/dialect.js'
import type { createPrepare } from '#capabilities/text/prepare.js'
import type { WriteText } from '#capabilities/text/write-text.js'
import type { Metered } from '#ledger/metered.js'
import type { Budgets } from '#limits/budgets.js'
import { neverStops } from '#plumbing/stop-signal.js'
import { createEventOutlet, departureOf } from './event-outlet.js'
import type { Exchange } from './exchange.js'
import { createLateFailure } from './failures.js'
import { answerPaid } from './paid.js'

type Needs = {
  metered: Metered
  budgets: Budgets
  prepare: ReturnType<typeof createPrepare>
  writeText: WriteText
  log: Logger
}

/** Answers a request for text in the dialect in which it was asked, whole or as a stream. */
export const createTextReply = ({ metered, budgets, prepare, writeText, log }: Needs) => {
  const lateFailure = createLateFailure(log)

  return async <Body>(exchange: Exchange, chosen: ChosenModel<'text'>, dialect: Dialect<Body>): Promise<void> => {
    const { id: requestId, caller } = exchange
    const body = exchange.body as Body
    const chat = dialect.read(body)
    const departure = departureOf(exchange.response)
    const prepared = await prepare(chosen, chat, departure)
    const asked = { requestId, caller, prepared }

    if (chat.stream !== true) {
      // Who sends an Idempotency-Key comes back for the answer, so it is worth finishing.
      const signal = exchange.headers['idempotency-key'] === undefined ? departure : neverStops
      return answerPaid(metered, exchange, prepared.order, (charge) =>
        writeText.whole(asked, charge, signal, (finished) => dialect.answer(finished, body)),
      )
    }

    const outlet = createEventOutlet(exchange, departure)
    const voice = dialect.voice(writeText.openingOf(asked), body)
    try {
      await writeText.stream(asked, outlet, voice)
      if (!outlet.hasBegun) exchange.abandon()
    } catch (error) {
      if (!outlet.hasBegun) throw error
      budgets.note(caller, chosen.model.id, error)
      outlet.end(voice.failed(lateFailure(error, exchange)))
    } finally {
      outlet.close()
    }
  }
}

export type TextReply = ReturnType<typeof createTextReply>
