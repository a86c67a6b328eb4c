import { setTimeout as wait } from 'node:timers/promises'
import { Type } from 'typebox'
import { callerOf } from '../src/http/access.js'
import { exchangeOf } from '../src/http/exchange.js'
import { answerPaid } from '../src/http/paid.js'
import type { Server } from '../src/http/server.js'
import type { Line } from '../src/ledger/bill.js'
import { Sealed } from '../src/ledger/charge.js'
import { spendingHeaders } from '../src/ledger/credit/balance-reader.js'
import type { Metered } from '../src/ledger/metered.js'
import { createTabs } from '../src/ledger/tabs.js'

/** One unit costs a millionth of a USD. */
export const unitNanos = 1_000n

const goods = { model: 'test-model', modelType: 'LLM', unitType: 'tokens' } as const

/** No model has this name, so nobody is limited. */
const tabGoods = { ...goods, model: 'test-tab' }

/** A config file that knows the model these routes sell, so that they are limited. Nobody asks its upstream. */
export const paidConfig = (limits: string) => `
upstreams:
  nobody: { kind: openai, baseUrl: "http://127.0.0.1:1/v1" }
models:
  - { id: ${goods.model}, type: text, engine: { upstream: nobody }, size: S, contextTokens: 1000, pricing: { input: "0", output: "0" } }
limits:
${limits}`

export const unitLine = (quantity: number | bigint): Line => ({
  sku: 'test-model-llm-output-mtoken',
  part: 'Output',
  quantity: BigInt(quantity),
  usdPerMillion: unitNanos * 1_000_000n,
  diemPerMillion: unitNanos * 1_000_000n,
  per: 'million',
})

/** Stands in for a model, so that the gate can be tested before and apart from any engine. */
const engine = Sealed.seal({
  async work(delayMs: number, isFailing: boolean) {
    if (delayMs > 0) await wait(delayMs)
    if (isFailing) throw new Error('the engine failed')
    return 'done'
  },
})

const count = (maximum = 1_000_000_000) => Type.Integer({ minimum: 0, maximum })

const PaidRequest = Type.Object({
  quantity: count(),
  /** What is held; as much as the work costs unless it says otherwise. */
  worst: Type.Optional(count()),
  /** The least that may be held. */
  least: Type.Optional(count()),
  delayMs: Type.Optional(count(60_000)),
  fails: Type.Optional(Type.Boolean()),
})

const StreamRequest = Type.Object({
  /** How many events, each of one unit. */
  events: count(100_000),
  /** How many units are held at a time. */
  step: count(),
  pauseMs: Type.Optional(count(10_000)),
  failsAfter: Type.Optional(count()),
})

/**
 * Routes that charge: a whole answer, one that is paid together with others, and a stream. What real ones do with an engine,
 * these do with a pause.
 */
export const paidRoutes = (app: Server, { metered }: { metered: Metered }) => {
  const tabs = createTabs({ metered })
  app.post(
    '/test/tab',
    { config: { access: 'key', isPaid: true }, schema: { hide: true, body: PaidRequest } },
    async (request) => {
      const { quantity, worst = quantity, delayMs = 0, fails = false } = request.body
      const { quantity: _, ...line } = unitLine(0)
      const order = { requestId: request.id, caller: callerOf(request), goods: tabGoods, line, units: BigInt(worst) }
      const { result } = await tabs.run(order, async (charge) => ({
        units: BigInt(quantity),
        result: await charge.open(engine).work(delayMs, fails),
      }))
      return { text: result, units: quantity, isWhole: true }
    },
  )

  app.post(
    '/test/paid',
    { config: { access: 'key', isPaid: true }, schema: { hide: true, body: PaidRequest } },
    (request, reply) => {
      const { quantity, worst = quantity, least = worst, delayMs = 0, fails = false } = request.body
      const order = { goods, least: [unitLine(least)], most: [unitLine(worst)] }
      return answerPaid(metered, exchangeOf(request, reply), order, async (charge) => {
        const text = await charge.open(engine).work(delayMs, fails)
        const lines = [unitLine(quantity)]
        const { usd, diem } = charge.costOf(lines)
        const body = Buffer.from(
          JSON.stringify({ id: request.id, text, cost: { usd: String(usd), diem: String(diem) } }),
        )
        const answer = { status: 200, headers: { 'content-type': 'application/json; charset=utf-8' }, body }
        return charge.settle({ lines, countedBy: 'upstream', completionTokens: quantity }, answer)
      })
    },
  )

  app.post(
    '/test/stream',
    { config: { access: 'key', isPaid: true }, schema: { hide: true, body: StreamRequest } },
    async (request, reply) => {
      const { events, step, pauseMs = 0, failsAfter } = request.body
      const order = { goods, least: [unitLine(1)], most: [unitLine(step)] }
      const response = reply.raw
      let isGone = false
      response.on('close', () => {
        isGone = !response.writableFinished
      })
      const whole = { ...order, requestId: request.id, caller: callerOf(request) }
      const ended = metered.run(whole, async (charge) => {
        await charge.open(engine).work(pauseMs, failsAfter === 0)
        reply.hijack()
        response.writeHead(200, {
          'content-type': 'text/event-stream',
          'x-request-id': request.id,
          ...spendingHeaders(charge.before),
        })
        let sent = 0
        let reason = 'stop'
        while (sent < events && !isGone) {
          const isPaid = charge.affords([unitLine(sent + 1)]) || (await charge.extend([unitLine(step)], [unitLine(1)]))
          if (!isPaid) {
            reason = 'length'
            break
          }
          if (sent === failsAfter) throw new Error('the engine failed in the middle')
          if (pauseMs > 0) await wait(pauseMs)
          response.write(`data: ${sent++}\n\n`)
        }
        const outcome = isGone ? 'aborted' : 'completed'
        const settled = await charge.settle({ lines: [unitLine(sent)], countedBy: 'running stats', outcome })
        const cost = { usd: String(settled.cost.usd), diem: String(settled.cost.diem) }
        response.end(`data: ${JSON.stringify({ reason, sent, cost })}\n\ndata: [DONE]\n\n`)
        return settled
      })
      await ended.catch((error) => {
        if (!reply.sent) throw error
        // The head is out: a broken connection is the only honest end left.
        response.destroy()
      })
    },
  )
}
