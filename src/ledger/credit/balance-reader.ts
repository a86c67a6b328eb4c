import { decimalFromNanos } from '#catalog/prices.js'
import { balanceHeaders } from '#contract/headers.js'
import { createBatcher } from '#plumbing/batcher.js'
import type { Clock } from '#plumbing/clock.js'
import type { Announcements } from '#store/announcements.js'
import type { Sql } from '#store/sql.js'
import { type Balances, noBalances, readBalances, spendable } from './balances.js'
import { balanceChanged } from './grant.js'

export type BalanceHeaders = ReturnType<typeof balanceHeaders>

/** What answers to callers with a key say about their balance. */
export type BalanceReader = {
  /** As it is now; all who ask at the same time cost one question. A wallet's diem is that of the account it is linked to. */
  read(caller: { accountId: string; diemAccountId?: string | null }): Promise<BalanceHeaders>
  /**
   * As it was within the last second, at no cost: names and values in turn. Undefined when it was not read. For answers
   * that cost less than reading it.
   */
  peek(accountId: string): readonly string[] | undefined
}

type Needs = { sql: Sql; clock: Clock; announcements: Announcements; nowMs?: () => number }

const freshMs = 1_000
const rememberedMax = 10_000

export const createBalanceReader = ({
  sql,
  clock,
  announcements,
  nowMs = () => performance.now(),
}: Needs): BalanceReader => {
  const remembered = new Map<string, { pairs: readonly string[]; readAtMs: number }>()
  announcements.on(balanceChanged, (accountId) => {
    if (accountId === undefined) remembered.clear()
    else remembered.delete(accountId)
  })

  const ask = createBatcher<string, Balances>({
    run: async (accountIds) => {
      const balances = await readBalances(sql, [...new Set(accountIds)], clock.nowMs())
      return accountIds.map((accountId) => balances.get(accountId) ?? noBalances)
    },
  })

  return {
    async read({ accountId, diemAccountId = null }) {
      const readAtMs = nowMs()
      const [own, linked] = await Promise.all([ask(accountId), diemAccountId === null ? undefined : ask(diemAccountId)])
      const headers = headersOf(linked ? { ...own, diem: linked.diem } : own)
      if (remembered.size >= rememberedMax) remembered.clear()
      remembered.set(accountId, { pairs: Object.entries(headers).flat(), readAtMs })
      return headers
    },
    peek(accountId) {
      const found = remembered.get(accountId)
      return found !== undefined && nowMs() - found.readAtMs < freshMs ? found.pairs : undefined
    },
  }
}

const headersOf = (balances: Balances) => spendingHeaders(spendable(balances))

/** docs/specification.md, X-Balance-Remaining: in whole units of USDC, which has six decimals. */
export const remainingHeader = (usdNanos: bigint): { 'x-balance-remaining': string } => {
  const units = (usdNanos < 0n ? 0n : usdNanos) / 1_000n
  return { 'x-balance-remaining': `${units / 1_000_000n}.${String(units % 1_000_000n).padStart(6, '0')}` }
}

export const spendingHeaders = ({ usd, diem }: { usd: bigint; diem: bigint }): BalanceHeaders =>
  balanceHeaders({ usd: decimalFromNanos(usd), diem: decimalFromNanos(diem) })
