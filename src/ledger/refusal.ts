import { decimalFromNanos } from '#catalog/prices.js'
import type { LimitPeriod } from '#contract/api-keys.js'
import { type Failure, fail } from '#contract/errors.js'
import type { Sql } from '#store/sql.js'
import type { Price } from './bill.js'
import { remainingHeader, spendingHeaders } from './credit/balance-reader.js'
import type { Before, Refusal } from './posting/hold.js'

type Needs = { refusal: Refusal; least: Price; before: Before; apiKeyId: string | null; nowMs: number }

type KeyRow = {
  limit_usd: string | null
  limit_diem: string | null
  limit_period: LimitPeriod
  room_usd: bigint
  room_diem: bigint
}

/** Says precisely what stands in the way: how much is needed, how much is left, and when it begins anew. */
export const refusal = async (sql: Sql, needs: Needs): Promise<Failure> =>
  (await explain(sql, needs)).withHeaders(spendingHeaders(needs.before))

/** For a wallet: http completes it with how to top up. */
export const paymentRequired = (balanceUsdNanos: bigint): Failure => {
  const usd = decimalFromNanos(balanceUsdNanos)
  return (
    fail('paymentRequired')
      .with({ currentBalanceUsd: Number(usd) })
      // Read anew, it may be another meanwhile, and then the answer would contradict itself.
      .withHeaders({ 'x-svc-balance-usd': usd, ...remainingHeader(balanceUsdNanos) })
  )
}

const explain = async (sql: Sql, { refusal, least, before, apiKeyId, nowMs }: Needs): Promise<Failure> => {
  const needed = decimalFromNanos(least.usd)
  const key =
    refusal === 'balance'
      ? undefined
      : await sql.maybeOne<KeyRow>`
          select trim_scale(k.limit_usd)::text limit_usd, trim_scale(k.limit_diem)::text limit_diem, k.limit_period,
                 r.usd room_usd, r.diem room_diem
          from api_key k, ledger_key_room(k.account_id, k.id, k.limit_usd, k.limit_diem, k.limit_period,
                                          (${new Date(nowMs)} at time zone 'UTC')::date) r
          where k.id = ${apiKeyId}`
  // Without a key there is no limit; and a key may have vanished in this very moment.
  if (!key) return fail('insufficientBalance', needed, decimalFromNanos(before.usd), decimalFromNanos(before.diem))
  const isUsd = refusal === 'usd limit'
  return fail(
    isUsd ? 'keyUsdLimitReached' : 'keyDiemLimitReached',
    `${isUsd ? key.limit_usd : key.limit_diem} ${isUsd ? 'USD' : 'diem'} ${periodNames[key.limit_period]}`,
    decimalFromNanos(atLeastZero(isUsd ? key.room_usd : key.room_diem)),
    needed,
    resetOf(key.limit_period, nowMs),
  )
}

const atLeastZero = (nanos: bigint) => (nanos < 0n ? 0n : nanos)

const periodNames: Record<LimitPeriod, string> = {
  EPOCH: 'per UTC day',
  MONTH: 'per UTC month',
  LIFETIME: 'for its lifetime',
}

const resetOf = (period: LimitPeriod, nowMs: number): string => {
  const now = new Date(nowMs)
  switch (period) {
    case 'EPOCH':
      return `it begins anew at ${new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1)).toISOString()}`
    case 'MONTH':
      return `it begins anew at ${new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString()}`
    case 'LIFETIME':
      return 'it does not begin anew'
  }
}
