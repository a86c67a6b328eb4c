import { setTimeout as wait } from 'node:timers/promises'
import type { ClientConfig } from 'pg'
import type { Reading, Window } from '#limits/count.js'
import { createCounters } from '#limits/counters.js'
import type { Clock } from '#plumbing/clock.js'
import { Unavailable } from '#plumbing/unavailable.js'
import { createDatabase } from '#store/sql.js'
import { forgetOldAnswers } from './answers.js'
import { countHere } from './counting/count-here.js'
import { countTogether } from './counting/count-together.js'
import { findExpiredHolds, renewHolds } from './posting/expired.js'
import { createHolds, type HoldOrder, type HoldResult } from './posting/hold.js'
import { createSettlements, type Settlement, type SettleResult } from './posting/settle.js'

/**
 * Moves credit: sets it aside before the work and settles it afterwards. Exact with any number of processes on one
 * database, because every decision is made there, under a lock on the owner.
 */
export type Ledger = {
  /** Counts the request on its rate limits, if it has any, and sets its price aside. */
  hold(order: HoldOrder): Promise<HoldResult>
  /** Tries for as long as `patienceMs` while the database is away: the work is done, and only this is missing. */
  settle(settlement: Settlement, patienceMs?: number): Promise<SettleResult>
  /** What is used of rate limits. */
  look(windows: readonly Window[]): Promise<Reading[]>
  /** The same at no cost: as far as this process knows. */
  recall(windows: readonly Window[]): Reading[]
  /** From now on, until it is settled, the hold of this request is kept from expiring. */
  keep(requestId: string): void
  /** Gives back the holds whose time is up. Returns how many. */
  sweep(): Promise<number>
  start(): void
  /** Waits for requests that are still to be settled, within a bound, and lets go of the database. */
  stop(): Promise<void>
}

type Needs = {
  connection: ClientConfig
  clock: Clock
  /** How long a hold outlives the process that took it. While that process lives, it renews. */
  holdMs?: number
  /** How many requests share a commit at most: few enough that we prepare the next while the database works on one. */
  batchSizeMax?: number
  /** Rate limits are shared with other processes on the same database, instead of being counted in this one. */
  sharesLimits?: boolean
  onSweepFailed?: (error: unknown) => void
  /** Rate limits could not be counted, and whoever asked was let in. */
  onLimitTrouble?: (trouble: string) => void
  onSwept?: (holds: number) => void
  onBatch?: (operation: 'hold' | 'settle', size: number, ms: number) => void
}

const sweepBatch = 500
const stopPatienceMs = 10_000

export const createLedger = ({
  connection,
  clock,
  holdMs = 60_000,
  batchSizeMax = 128,
  sharesLimits = false,
  onSweepFailed = () => {},
  onLimitTrouble = () => {},
  onSwept = () => {},
  onBatch = () => {},
}: Needs): Ledger => {
  // One connection for each direction: a long queue of one never delays the other. Kept, because the first request on a
  // new one waits until everything is planned.
  const holding = createDatabase(connection, { connectionsMax: 1, keepsIdle: true })
  const settling = createDatabase(connection, { connectionsMax: 1, keepsIdle: true })
  const told = (operation: 'hold' | 'settle') => (size: number, ms: number) => onBatch(operation, size, ms)
  const batches = { clock, sizeMax: batchSizeMax, isCounting: sharesLimits, onTrouble: onLimitTrouble }
  const steps = {
    hold: createHolds({ ...batches, sql: holding.sql, holdMs, onBatch: told('hold') }),
    settle: createSettlements({ ...batches, sql: settling.sql, onBatch: told('settle') }),
  }
  const counters = createCounters()
  const {
    hold,
    settle: settleOnce,
    look,
    recall,
    forget,
  } = sharesLimits
    ? countTogether({ steps, sql: settling.sql, counters })
    : countHere({ steps, counters, onTrouble: onLimitTrouble })
  const kept = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let upkeep = Promise.resolve()
  let isStopping = false

  const settle: Ledger['settle'] = async (settlement, patienceMs = 0) => {
    const deadlineMs = performance.now() + patienceMs
    try {
      for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, 1_000)) {
        try {
          return await settleOnce(settlement)
        } catch (error) {
          // Whether it was settled is unknown, and asking again is safe: it happens once.
          if (!(error instanceof Unavailable) || performance.now() + pauseMs > deadlineMs) throw error
          await wait(pauseMs)
        }
      }
    } finally {
      kept.delete(settlement.requestId)
    }
  }

  const renew = async () => {
    if (kept.size > 0) await renewHolds(settling.sql, [...kept], clock.nowMs() + holdMs)
  }

  const sweep = async () => {
    let swept = 0
    for (;;) {
      const expired = await findExpiredHolds(settling.sql, clock.nowMs(), sweepBatch)
      const results = await Promise.all(expired.map((settlement) => settleOnce(settlement)))
      swept += results.filter((result) => result === 'settled').length
      if (expired.length < sweepBatch) break
    }
    await forgetOldAnswers(settling.sql, clock.nowMs())
    await forget(clock.nowMs())
    return swept
  }

  /** Renews what runs, then gives back what nobody renewed: in this order, also after the database was away. */
  const tick = async () => {
    try {
      await renew()
      onSwept(await sweep())
    } catch (error) {
      onSweepFailed(error)
    }
    if (!isStopping) timer = setTimeout(tickLater, holdMs / 4).unref()
  }
  const tickLater = () => {
    upkeep = tick()
  }

  return {
    hold,
    settle,
    look,
    recall,
    sweep,
    keep: (requestId) => void kept.add(requestId),
    start: tickLater,
    async stop() {
      // A caller who left is gone from the server, but what was made for them is still being settled.
      const deadlineMs = performance.now() + stopPatienceMs
      while (kept.size > 0 && performance.now() < deadlineMs) await wait(20)
      isStopping = true
      clearTimeout(timer)
      await upkeep
      await holding.close()
      await settling.close()
    },
  }
}
