import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '#accounts/caller.js'
import { nanosFromDecimal } from '#catalog/prices.js'
import type { ModelType } from '#contract/models.js'
import { type BalanceHeaders, type BalanceReader, remainingHeader } from '#ledger/credit/balance-reader.js'
import type { Reading, Window } from '#limits/count.js'
import type { Limits } from '#limits/limits.js'
import type { Others } from '#limits/others.js'
import { limitHeaders } from '#limits/standing.js'
import type { Clock } from '#plumbing/clock.js'
import { modelNamed } from './model-named.js'

/** What a refusal says about the limits of its caller: for the model that the request named, if there is such a one. */
export type Standings = {
  of(caller: Caller, model: { name: string; type: ModelType } | undefined): Promise<Record<string, string>>
  /** What a refusal says when it knows itself how long to wait. */
  resetIn(ms: number): Record<string, string>
}

type Needs = { limits: Limits; others: Others; look(windows: readonly Window[]): Promise<Reading[]>; clock: Clock }

export const createStandings = ({ limits, others, look, clock }: Needs): Standings => ({
  async of(caller, model) {
    const modelId = model && limits.modelNamed(model.name, model.type)
    if (modelId === undefined) return others.look(caller)
    const count = limits.countOf(caller, modelId, 0)
    return count === undefined ? {} : limitHeaders(await look(count.windows), clock.nowMs())
  },
  resetIn: (ms) => ({ 'x-ratelimit-reset-requests': String(Math.ceil((clock.nowMs() + ms) / 1000)) }),
})

/**
 * Every answer to a caller we know tells where they stand: what they can spend, and how much they may still ask. A route
 * that charges has told both itself, unless it refused before it came to that.
 */
export const tellStanding = (
  app: FastifyInstance,
  { balances, standings }: { balances: BalanceReader; standings: Standings },
) => {
  app.addHook('onSend', (request, reply, payload, done) => {
    const { caller } = request
    if (caller === null) return done(null, payload)
    const balance = reply.hasHeader('x-svc-balance-diem')
      ? undefined
      : (request.balance ?? balances.read(caller).catch(() => undefined))
    const limits =
      hasLimits(reply) || request.routeOptions.config.hasOwnLimits
        ? undefined
        : (request.standing ?? standings.of(caller, modelNamedBy(request)).catch(() => undefined))
    void Promise.all([balance, limits]).then(([balanceHeaders, limitHeaders]) => {
      if (balanceHeaders) add(reply, { ...balanceHeaders, ...remainingOf(caller, balanceHeaders) })
      if (limitHeaders !== undefined) reply.headers({ ...limitHeaders, ...waitOf(reply, standings) })
      done(null, payload)
    })
  })
}

/** What was told already stays: it is what the answer was decided by. */
const add = (reply: FastifyReply, headers: Record<string, string>) => {
  for (const name in headers) if (!reply.hasHeader(name)) reply.header(name, headers[name])
}

const remainingOf = ({ kind }: Caller, headers: BalanceHeaders) =>
  kind === 'wallet' ? remainingHeader(nanosFromDecimal(headers['x-svc-balance-usd'])) : {}

/** docs/specification.md, Errors 3: with 429 it is when to come again, also where no limit is in the way. */
const waitOf = (reply: FastifyReply, standings: Standings) => {
  const waitMs = reply.statusCode === 429 ? reply.getHeader('retry-after-ms') : undefined
  return waitMs === undefined ? {} : standings.resetIn(Number(waitMs))
}

/** A refusal for too many failures tells about that instead. */
const hasLimits = (reply: FastifyReply) => reply.hasHeader('x-ratelimit-type') || reply.hasHeader('x-ratelimit-resets')

const modelNamedBy = ({ body, routeOptions }: FastifyRequest) => {
  const { modelType: type, modelNameOf } = routeOptions.config
  if (type === undefined) return undefined
  const name = modelNameOf ? nameOrNone(() => modelNameOf(body)) : modelNamed(body, type)
  return name === undefined ? undefined : { name, type }
}

/** A request that was refused may name anything. */
const nameOrNone = (nameOf: () => string): string | undefined => {
  try {
    return nameOf()
  } catch {
    return undefined
  }
}
