import { noRoom } from '#capabilities/rpc/render.js'
import type { PreparedCalls, Rpc, RpcResult } from '#capabilities/rpc/rpc.js'
import { fail } from '#contract/errors.js'
import type { Answer, Idempotency } from '#ledger/answers.js'
import type { Charge } from '#ledger/charge.js'
import { remainingHeader, spendingHeaders } from '#ledger/credit/balance-reader.js'
import type { Metered } from '#ledger/metered.js'
import type { Tabs } from '#ledger/tabs.js'
import type { RpcLimits } from '#limits/rpc/rpc-limits.js'
import { type Room, uncountedBytes } from '#plumbing/room.js'
import { neverStops } from '#plumbing/stop-signal.js'
import { departureOf, stalledMs, whenClosed } from './event-outlet.js'
import type { Exchange } from './exchange.js'
import { compressFromBytes, credentialOf, replayed, sendAnswer } from './paid.js'

type Needs = { rpc: Rpc; room: Room; limits: RpcLimits; tabs: Tabs; metered: Metered }

export type RpcAnswering = (exchange: Exchange, network: string) => Promise<void>

/** Answers calls of a blockchain node: limits, hold, work, settlement, answer. */
export const createRpcAnswering = ({ rpc, room, limits, tabs, metered }: Needs): RpcAnswering => {
  /** What was counted for the worst case is put right, however it ends. */
  const counted = async <Done extends { result: RpcResult }>(
    { caller }: Exchange,
    { worstCredits }: PreparedCalls,
    work: () => Promise<Done>,
  ): Promise<Done> => {
    await limits.take(caller, worstCredits)
    let credits = 0
    try {
      const done = await work()
      credits = done.result.credits
      return done
    } finally {
      limits.giveBack(caller, worstCredits - credits)
    }
  }

  /** An answer takes room until its caller has read it, and who does not read loses it. */
  const takeRoom = ({ caller, response }: Exchange, { changesChain }: PreparedCalls, bytes: number) => {
    if (bytes <= uncountedBytes) return
    const leave = room.enter(bytes, caller.accountId)
    // Of a transaction that was sent is told, however little room there is.
    if (leave === undefined && !changesChain) throw noRoom()
    response.setTimeout(stalledMs, () => response.destroy())
    // Before Node gives the connection to the next answer, which may take its time.
    response.prependOnceListener('finish', () => response.setTimeout(0))
    if (leave !== undefined) whenClosed(response, leave)
  }

  const run = (exchange: Exchange, calls: PreparedCalls, charge: Charge): Promise<RpcResult> => {
    const { id: requestId, caller, response } = exchange
    // Who sends a transaction and leaves has sent it all the same.
    const signal = calls.changesChain ? neverStops : departureOf(response)
    return rpc.run(calls, charge, { requestId, caller }, signal)
  }

  const payTogether = async (exchange: Exchange, calls: PreparedCalls): Promise<void> => {
    const { id: requestId, caller } = exchange
    const { goods, line } = calls
    const order = { requestId, caller, goods, line, units: BigInt(calls.worstCredits) }
    const pay = () =>
      tabs.run(order, async (charge) => {
        const result = await run(exchange, calls, charge)
        takeRoom(exchange, calls, result.body.length)
        return { units: BigInt(result.credits), result }
      })
    const { result, before, walletUsd } = await counted(exchange, calls, pay)
    const left = walletUsd === undefined ? {} : remainingHeader(walletUsd)
    await send(exchange, answerOf(calls, result), spendingHeaders(before), left)
  }

  /**
   * Its answer is kept with its settlement, so it has one of its own. Counted only when it runs: an answer that was paid for
   * is given again, however full the minute is.
   */
  const payAlone = async (exchange: Exchange, calls: PreparedCalls, idempotency: Idempotency): Promise<void> => {
    const { id: requestId, caller } = exchange
    const { goods, line } = calls
    const worst = [{ ...line, quantity: BigInt(calls.worstCredits) }]
    const order = { requestId, caller, goods, least: worst, most: worst, idempotency }
    const { before, standing, isReplay, ...answer } = await metered.answer(order, async (charge) => {
      const { result } = await counted(exchange, calls, async () => {
        const result = await run(exchange, calls, charge)
        takeRoom(exchange, calls, result.body.length)
        return { result }
      })
      const lines = [{ ...line, quantity: BigInt(result.credits) }]
      return charge.settle({ lines, countedBy: 'running stats' }, inBytes(answerOf(calls, result)))
    })
    if (isReplay) takeRoom(exchange, calls, answer.body.length)
    await sendAnswer(exchange, answer, spendingHeaders(before), standing, replayed(isReplay))
  }

  return (exchange, network) => {
    const calls = rpc.prepare(network, exchange.body)
    const idempotency = idempotencyOf(exchange)
    if (calls.worstCredits === 0) {
      exchange.begin(204, costHeaders(calls, 0))
      exchange.response.end()
      return Promise.resolve()
    }
    return idempotency === undefined ? payTogether(exchange, calls) : payAlone(exchange, calls, idempotency)
  }
}

type TextAnswer = Answer & Pick<RpcResult, 'body'>

const answerOf = (calls: PreparedCalls, { body, credits, cache }: RpcResult): TextAnswer => ({
  status: 200,
  headers: { 'content-type': 'application/json', ...costHeaders(calls, credits), 'x-svc-rpc-cache': cache },
  body,
})

/** Small answers leave as the text they are, together with their head; others may be worth compressing. */
const send = async (exchange: Exchange, answer: TextAnswer, ...more: Readonly<Record<string, string>>[]) => {
  const { status, headers, body } = answer
  if (body.length >= compressFromBytes) return sendAnswer(exchange, inBytes(answer), ...more)
  exchange.begin(status, headers, ...more, { 'content-length': String(body.length) })
  exchange.response.end(body, 'latin1')
}

const inBytes = (answer: TextAnswer): Answer => ({ ...answer, body: Buffer.from(answer.body, 'latin1') })

const costHeaders = ({ line }: PreparedCalls, credits: number) => ({
  'x-svc-rpc-credits': String(credits),
  'x-svc-rpc-cost-usd': usdWithEightDecimals(BigInt(credits) * line.usdPerMillion),
})

/** From nano-USD of a million, rounded to the nearest. */
const usdWithEightDecimals = (nanosTimesMillion: bigint): string => {
  const digits = ((nanosTimesMillion + 5_000_000n) / 10_000_000n).toString().padStart(9, '0')
  return `${digits.slice(0, -8)}.${digits.slice(-8)}`
}

const idempotencyOf = (exchange: Exchange): Idempotency | undefined => {
  const { headers, method, url, body } = exchange
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !/^[A-Za-z0-9_-]{1,255}$/.test(key)) throw fail('rpcIdempotencyKeyInvalid')
  return {
    key,
    credential: credentialOf(exchange),
    request: `${method} ${url}\n${(body as Buffer).toString('latin1')}`,
  }
}
