import type { Reading, Window } from '#limits/count.js'
import type { HoldOrder, HoldResult } from '../posting/hold.js'
import type { Settlement, SettleResult } from '../posting/settle.js'

/**
 * Counts requests on their rate limits when their price is set aside, and corrects the count when they are settled:
 * in this process, or in the database where several processes share it.
 */
export type Counting = {
  hold(order: HoldOrder): Promise<HoldResult>
  settle(settlement: Settlement): Promise<SettleResult>
  /** What is used, without counting anything. */
  look(windows: readonly Window[]): Promise<Reading[]>
  /** The same at no cost: as far as this process knows. */
  recall(windows: readonly Window[]): Reading[]
  /** Removes what no longer counts. */
  forget(nowMs: number): Promise<void>
}

/** The two steps as the ledger takes them. */
export type Steps = Pick<Counting, 'hold' | 'settle'>
