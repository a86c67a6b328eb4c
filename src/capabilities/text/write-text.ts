import type { Caller } from '#accounts/caller.js'
import { fail } from '#contract/errors.js'
import type { EngineRequest, TextCall, TokenUsage } from '#engines/text.js'
import type { Answer } from '#ledger/answers.js'
import type { Charge, Cost, Sealed, Settled } from '#ledger/charge.js'
import { spendingHeaders } from '#ledger/credit/balance-reader.js'
import type { Metered } from '#ledger/metered.js'
import type { Clock } from '#plumbing/clock.js'
import type { StopSignal } from '#plumbing/stop-signal.js'
import { json, routeHeaders, unheard } from '../answer.js'
import type { Switchboard } from '../switchboard.js'
import type { Finished, Opening, Voice } from './dialect.js'
import { engineFailure } from './failures.js'
import type { Outlet } from './outlet.js'
import type { Prepared } from './prepare.js'
import { createTally, tallyAnswer } from './tally.js'
import { chatUsage, outputLine, promptLines, promptTokensOf, textLines } from './text-bill.js'
import { createThinkingFilter, withoutThinking } from './thinking-filter.js'

type Needs = { metered: Metered; switchboard: Sealed<Switchboard>; clock: Clock }

export type Asked = { requestId: string; caller: Caller; prepared: Prepared }

/** Writes text: holds the price, asks the engine, settles what it used. Everything about text that costs is here. */
export const createWriteText = ({ metered, switchboard, clock }: Needs) => {
  const openingOf = ({ requestId, prepared }: Asked): Opening => ({
    requestId,
    model: prepared.model.id,
    created: Math.floor(clock.nowMs() / 1000),
    echo: prepared.parameters,
    estimatePromptTokens: () => prepared.size.tokensAbout,
  })

  /** Runs in the gate: the charge is taken already. `render` makes what is sent as JSON, which then is paid for. */
  const whole = async (
    asked: Asked,
    charge: Charge,
    signal: StopSignal,
    render: (finished: Finished) => object,
  ): Promise<Settled<Answer>> => {
    const { prepared } = asked
    const { model } = prepared
    if (signal.aborted) throw fail('callerLeft')
    const routed = await charge
      .open(switchboard)
      .answer(model, callOf(prepared, charge, signal))
      .catch((error) => {
        // The caller has left and nobody knows how far the engine came: what is certain is that it was asked.
        if (signal.aborted) return undefined
        throw engineFailure(error, model)
      })
    if (routed === undefined) {
      const { usage, countedBy } = createTally(prepared.size.tokensAbout).result(false)
      return charge.settle({ ...finishOf(prepared, usage), countedBy, outcome: 'aborted' }, unheard)
    }
    const { answer, target, retries } = routed
    const usage = answer.usage ?? tallyAnswer(answer.choices, prepared.size.tokensAbout)
    const finish = finishOf(prepared, usage)
    const finished: Finished = {
      ...openingOf(asked),
      choices: withoutThinking(answer.choices, prepared.parameters),
      usage: chatUsage(usage),
      cost: amounts(charge.costOf(finish.lines)),
      system_fingerprint: answer.system_fingerprint,
    }
    const reply: Answer = {
      status: 200,
      headers: { ...json, ...prepared.headers, ...routeHeaders(target, retries) },
      body: JSON.stringify(render(finished)),
    }
    return charge.settle({ ...finish, countedBy: answer.usage ? 'upstream' : 'estimate' }, reply)
  }

  /** Tells the answer while it is written. Resolves when all is said and settled; throws when it failed. */
  const stream = ({ requestId, caller, prepared }: Asked, outlet: Outlet, voice: Voice): Promise<void> => {
    const { model, parameters } = prepared
    return metered.run({ ...prepared.order, requestId, caller }, async (charge) => {
      const { signal } = outlet
      // Nobody was asked yet, so there is nothing to pay.
      if (signal.aborted) throw fail('callerLeft')
      const tally = createTally(prepared.size.tokensAbout)
      const filter = createThinkingFilter(parameters)
      outlet.announce({ ...prepared.headers, ...spendingHeaders(charge.before), ...metered.standingOf(charge) })
      try {
        const { pieces, target, retries } = await charge
          .open(switchboard)
          .stream(model, callOf(prepared, charge, signal))
        // The first word may have taken a while.
        outlet.begin({ ...routeHeaders(target, retries), ...metered.standingOf(charge) })
        for await (const together of pieces) {
          let text = ''
          for (const piece of together) {
            tally.add(piece)
            text += voice.piece(filter === undefined ? piece : filter(piece))
          }
          const room = text === '' ? undefined : outlet.write(text)
          if (room !== undefined) await room
        }
      } catch (error) {
        if (!signal.aborted) throw engineFailure(error, model)
        const { usage, countedBy } = tally.result(false)
        return charge.settle({ ...finishOf(prepared, usage), countedBy, outcome: 'aborted' })
      }
      const { usage, countedBy } = tally.result(true)
      const settled = await charge.settle({ ...finishOf(prepared, usage), countedBy })
      outlet.end(voice.end({ usage: chatUsage(usage), cost: amounts(settled.cost) }))
      return settled
    })
  }

  return { openingOf, whole, stream }
}

export type WriteText = ReturnType<typeof createWriteText>

/** A limit nobody asked for is left out where it may not fit beside the prompt; see `TextCall`. */
const roomFactor = 1.25
const roomTokens = 64

/** What the engine is asked. A caller who cannot pay for the longest answer gets a shorter one. */
const callOf = (prepared: Prepared, charge: Charge, signal: StopSignal): Omit<TextCall, 'model'> => {
  const { model, request, size, limit, choices, isLimitAsked, cacheKey } = prepared
  const { quantity: _quantity, ...output } = outputLine(model, size.tokensMost, 0)
  const most = BigInt(limit) * BigInt(choices)
  const paid = charge.affordable(promptLines(model, size.tokensMost), output, most)
  const isLowered = paid < most
  const fits = size.tokensAbout * roomFactor + limit + roomTokens <= (model.contextTokens ?? Number.POSITIVE_INFINITY)
  return {
    request: {
      ...request,
      max_completion_tokens: isLowered ? Math.max(1, Math.floor(Number(paid) / choices)) : limit,
    } as EngineRequest,
    isLimitLoose: !isLimitAsked && !isLowered && !fits,
    cacheKey,
    signal,
  }
}

const finishOf = ({ model }: Prepared, usage: TokenUsage) => ({
  lines: textLines(model, usage),
  promptTokens: promptTokensOf(usage),
  completionTokens: usage.completion,
})

const nanosPerUnit = 1e9

/** Exact up to nine million USD: both numbers are whole, and the division is rounded once. */
const amounts = ({ usd, diem }: Cost) => ({ usd: Number(usd) / nanosPerUnit, diem: Number(diem) / nanosPerUnit })
