import type { LimitPeriod } from '#contract/api-keys.js'
import type { Amounts, Price } from '#ledger/bill.js'
import type { Clock } from '#plumbing/clock.js'

/** A key, or a caller without one (null). Limits are nanos; null means none. */
export type ModelKey = { id: string | null; limitUsd: bigint | null; limitDiem: bigint | null; period: LimitPeriod }

type ModelHold = Amounts & { key: ModelKey; diemDay: string | null; expiresMs: number }
type Spending = { key: ModelKey; atMs: number; usd: bigint; diem: bigint }

const min = (...values: bigint[]) => values.reduce((least, value) => (value < least ? value : least))
const max = (one: bigint, other: bigint) => (one > other ? one : other)
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
const monthOf = (ms: number) => new Date(ms).toISOString().slice(0, 7)
const unlimited = 10n ** 30n

/**
 * What the ledger must do for one account, said as plainly as possible: balances, holds and everything that was ever
 * spent, in memory. Nothing is clever here; whatever it disagrees with is wrong, or this page is.
 */
export const createModel = (clock: Clock) => {
  let usd = 0n
  let bundled = 0n
  let stake = 0n
  const diemByDay = new Map<string, { granted: bigint; left: bigint }>()
  const holds = new Map<string, ModelHold>()
  const spent: Spending[] = []
  const today = () => dayOf(clock.nowMs())

  const grantDiem = () => {
    const day = diemByDay.get(today()) ?? { granted: 0n, left: 0n }
    const due = max(0n, (stake < 100_000_000n ? 0n : stake) - day.granted)
    diemByDay.set(today(), { granted: day.granted + due, left: day.left + due })
  }

  /** A hold has the diem of one day only: of the first on which there was any. */
  const dayWithDiem = () => ((diemByDay.get(today())?.granted ?? 0n) > 0n ? today() : null)

  const held = (of: (hold: ModelHold) => bigint) => [...holds.values()].reduce((sum, hold) => sum + of(hold), 0n)

  const free = () => {
    const granted = diemByDay.get(today())?.left ?? (stake < 100_000_000n ? 0n : stake)
    return {
      usd: usd - held((hold) => hold.usd),
      bundled: bundled - held((hold) => hold.bundled),
      diem: granted - held((hold) => (hold.diemDay === today() ? hold.diem : 0n)),
    }
  }

  const room = (
    key: ModelKey,
    limit: bigint | null,
    of: (amounts: { usd: bigint; bundled: bigint; diem: bigint }) => bigint,
  ) => {
    if (limit === null) return unlimited
    const nowMs = clock.nowMs()
    const isInWindow = ({ atMs }: Spending) =>
      key.period === 'LIFETIME' ||
      (key.period === 'MONTH' ? monthOf(atMs) === monthOf(nowMs) : dayOf(atMs) === dayOf(nowMs))
    const used = spent
      .filter((each) => each.key === key && isInWindow(each))
      .reduce((sum, each) => sum + of({ ...each, bundled: 0n }), 0n)
    return limit - used - held((hold) => (hold.key === key ? of(hold) : 0n))
  }

  const rest = (price: Price, paidDiem: bigint) => {
    if (paidDiem === 0n) return price.usd
    if (paidDiem >= price.diem) return 0n
    return (price.usd * (price.diem - paidDiem) + price.diem - 1n) / price.diem
  }

  const take = (key: ModelKey, least: Price, most: Price, mayUseDiem: boolean) => {
    grantDiem()
    const now = free()
    const roomUsd = room(key, key.limitUsd, (amounts) => amounts.usd + amounts.bundled)
    const roomDiem = room(key, key.limitDiem, (amounts) => amounts.diem)
    const diem = mayUseDiem ? max(0n, min(most.diem, now.diem, roomDiem)) : 0n
    const isDiemSpent = diem < most.diem && roomDiem < now.diem && (key.limitUsd ?? 0n) === 0n
    const cap = isDiemSpent ? 0n : max(0n, min(now.usd + now.bundled, roomUsd))
    const total = min(rest(most, diem), cap)
    const need = rest(least, diem)
    const before = { usd: now.usd + now.bundled, diem: now.diem }
    if (total < need) {
      const outcome = isDiemSpent ? 'diem limit' : roomUsd < need ? 'usd limit' : 'balance'
      return { outcome, before }
    }
    const fromBundled = min(total, now.bundled)
    return { outcome: 'held', before, taken: { usd: total - fromBundled, bundled: fromBundled, diem } }
  }

  return {
    free,
    grant(amount: bigint, isBundled: boolean) {
      if (isBundled) bundled += amount
      else usd += amount
    },
    /** What was staked until now counts today in any case. */
    setStake(amount: bigint) {
      grantDiem()
      stake = amount
      grantDiem()
    },
    hold(requestId: string, key: ModelKey, least: Price, most: Price, holdMs: number) {
      const result = take(key, least, most, true)
      const expiresMs = clock.nowMs() + holdMs
      if (result.taken) holds.set(requestId, { ...result.taken, key, diemDay: dayWithDiem(), expiresMs })
      return result
    },
    extend(requestId: string, least: Price, most: Price, holdMs: number) {
      const hold = holds.get(requestId)
      if (!hold) return { outcome: 'gone' }
      const result = take(hold.key, least, most, hold.diemDay === null || hold.diemDay === today())
      if (result.taken) {
        hold.usd += result.taken.usd
        hold.bundled += result.taken.bundled
        hold.diem += result.taken.diem
        hold.diemDay ??= dayWithDiem()
        hold.expiresMs = Math.max(hold.expiresMs, clock.nowMs() + holdMs)
      }
      return result
    },
    /** False when the hold is gone. */
    settle(requestId: string, paid: Amounts): boolean {
      const hold = holds.get(requestId)
      if (!hold) return false
      holds.delete(requestId)
      usd -= paid.usd
      bundled -= paid.bundled
      const day = hold.diemDay === null ? undefined : diemByDay.get(hold.diemDay)
      if (day) day.left -= paid.diem
      spent.push({ key: hold.key, atMs: clock.nowMs(), usd: paid.usd + paid.bundled, diem: paid.diem })
      return true
    },
    sweep() {
      for (const [requestId, { expiresMs }] of holds) if (expiresMs <= clock.nowMs()) holds.delete(requestId)
    },
  }
}
