import type { KeyCaller } from '#accounts/caller.js'
import type { Rate } from '#catalog/config/model-entry.js'
import { RateLimitLog, RateLimitsAnswer } from '#contract/rate-limits.js'
import type { Balances } from '#ledger/credit/balances.js'
import type { Usage } from '#ledger/usage/usage.js'
import { windowEndMs } from '#limits/count.js'
import type { LimitList, Limits } from '#limits/limits.js'
import type { RefusalLog } from '#limits/refusal-log.js'
import type { Clock } from '#plumbing/clock.js'
import { callerOf, keyCallerOf } from '../access.js'
import type { Server } from '../server.js'
import { balanceAnswer } from './billing-payloads.js'

type Needs = { limits: Limits; refusals: RefusalLog; usage: Usage; clock: Clock }

const tags = ['API Keys']

export const rateLimitRoutes = (app: Server, { limits, refusals, usage, clock }: Needs) => {
  app.get(
    '/api_keys/rate_limits',
    {
      config: { access: 'key' },
      schema: {
        tags,
        summary: 'The limits of the key that asks',
        description: 'Of every model, and those that are not of one model.',
        response: { 200: RateLimitsAnswer },
      },
    },
    async (request) => {
      const caller = keyCallerOf(request)
      return rateLimitsAnswer(caller, await usage.balances(caller.accountId), limits.list(caller), clock.nowMs())
    },
  )

  app.get(
    '/api_keys/rate_limits/log',
    {
      config: { access: 'admin' },
      schema: {
        tags,
        summary: 'The newest 50 requests of the account that hit limits',
        response: { 200: RateLimitLog },
      },
    },
    async (request) => ({
      object: 'list' as const,
      data: (await refusals.list(callerOf(request).accountId)).map(({ keyId, modelId, tier, type, at }) => ({
        apiKeyId: keyId,
        modelId,
        rateLimitTier: tier,
        rateLimitType: type,
        timestamp: at.toISOString(),
      })),
    }),
  )
}

const rateLimitsAnswer = (
  { tier, expiresAt }: KeyCaller,
  balances: Balances,
  list: readonly LimitList[],
  nowMs: number,
): RateLimitsAnswer => {
  const { canConsume, balances: shown } = balanceAnswer(balances)
  return {
    data: {
      accessPermitted: canConsume,
      apiTier: { id: tier, isCharged: true },
      balances: {
        ...(shown.usd !== null && { USD: shown.usd }),
        ...(shown.diem !== null && { DIEM: shown.diem }),
      },
      keyExpiration: expiresAt?.toISOString() ?? null,
      nextEpochBegins: new Date(windowEndMs('day', nowMs)).toISOString(),
      rateLimits: list
        // What is not of one model is only worth telling where there is a limit.
        .filter(({ modelId, rate }) => modelId !== undefined || Object.keys(rate).length > 0)
        .map(({ modelId, scope, rate }) => ({
          ...(modelId !== undefined && { apiModelId: modelId }),
          scope,
          rateLimits: amounts(rate),
        })),
    },
  }
}

const amounts = ({ rpm, rpd, tpm }: Rate) => [
  ...(rpm === undefined ? [] : [{ amount: rpm, type: 'RPM' as const }]),
  ...(rpd === undefined ? [] : [{ amount: rpd, type: 'RPD' as const }]),
  ...(tpm === undefined ? [] : [{ amount: tpm, type: 'TPM' as const }]),
]
