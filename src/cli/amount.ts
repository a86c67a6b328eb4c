import { decimalFromNanos, nanosFromDecimal } from '#catalog/prices.js'
import { type Balances, noBalances, readBalances } from '#ledger/credit/balances.js'
import { systemClock } from '#plumbing/clock.js'
import { OperatorError } from '#plumbing/operator-error.js'
import type { Sql } from '#store/sql.js'

/** An amount as a person types it, in nanos. */
export const readAmount = (option: string, text: string): bigint => {
  if (!/^\d{1,9}(\.\d{1,9})?$/.test(text))
    throw new OperatorError(
      `${option} is '${text}', but must be a plain number below 1,000,000,000 with at most 9 decimals.`,
      `Such as: ${option} 25, or ${option} 0.5`,
    )
  return nanosFromDecimal(text)
}

/** What an account can spend, as exact decimals. */
export type BalanceText = { usd: string; bundled: string; diem: string | null }

export const balanceText = ({ usd, bundled, diem }: Balances): BalanceText => ({
  usd: decimalFromNanos(usd),
  bundled: decimalFromNanos(bundled),
  diem: diem === null ? null : decimalFromNanos(diem),
})

export const readBalanceText = async (sql: Sql, accountId: string): Promise<BalanceText> =>
  balanceText((await readBalances(sql, [accountId], systemClock.nowMs())).get(accountId) ?? noBalances)

export const balanceSentence = ({ usd, bundled, diem }: BalanceText): string =>
  `It can spend ${usd} USD, ${bundled} bundled credits and ${diem ?? 0} diem today.`
