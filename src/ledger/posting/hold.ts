import type { Count, Counted, Reading } from '#limits/count.js'
import { createBatcher } from '#plumbing/batcher.js'
import type { Clock } from '#plumbing/clock.js'
import { arrayText, type Sql } from '#store/sql.js'
import type { Amounts, Price } from '../bill.js'
import { countColumns, readCounted, withoutLimits } from './count-columns.js'

/** Asks to set credit aside for a request: at least this much, at most that much. */
export type HoldOrder = {
  requestId: string
  accountId: string
  /** Null for callers without a key. */
  apiKeyId: string | null
  model: string
  least: Price
  most: Price
  /** More for a request that already has a hold. */
  isExtension?: boolean
  /** For requests that carry an Idempotency-Key. */
  claim?: { keyHash: string; fingerprint: string } | undefined
  /** The rate limits that it is counted on first. */
  count?: Count | undefined
}

/** What is set aside, and the ledger accounts it comes from. */
export type Held = Amounts & { accounts: { usd: bigint; bundled: bigint | null; diem: bigint | null } }

/** What the account could spend before this request. USD includes bundled credits. */
export type Before = { usd: bigint; diem: bigint }

export type Refusal = 'balance' | 'usd limit' | 'diem limit'

export type HoldResult = (
  | { outcome: 'held'; held: Held; before: Before }
  /** Refused; or the Idempotency-Key was used before; or there is no hold that could be extended. */
  | { outcome: Refusal | 'replay' | 'gone'; before: Before }
  /** A rate limit is in the way. */
  | { outcome: 'limited'; refusal: NonNullable<Counted['refusal']> }
) & {
  /** What is used of each of its limits, with this request; absent where they could not be counted. */
  readings?: Reading[] | undefined
}

/** The columns of a hold that say what is set aside. */
export type HeldRow = Amounts & { usd_account: bigint; bundled_account: bigint | null; diem_account: bigint | null }

export const heldFromRow = ({ usd, bundled, diem, ...row }: HeldRow): Held => ({
  ...{ usd, bundled, diem },
  accounts: { usd: row.usd_account, bundled: row.bundled_account, diem: row.diem_account },
})

type HoldRow = HeldRow & {
  request_id: string
  outcome: HoldResult['outcome']
  before_usd: bigint
  before_diem: bigint
  counted: string | null
}

/** Request ids are 32 hex characters everywhere but in the database, which writes them as UUIDs. */
export const requestIdFromUuid = (uuid: string): string => uuid.replaceAll('-', '')

/** What both directions of the ledger need. */
export type Batches = {
  sql: Sql
  clock: Clock
  /** How many requests share a commit at most. */
  sizeMax?: number | undefined
  onBatch?: ((size: number, ms: number) => void) | undefined
  /** Rate limits are counted in the database; otherwise somebody else counts them. */
  isCounting?: boolean
  /** Told when they could not be counted; whoever asked was let in. */
  onTrouble?: ((trouble: string) => void) | undefined
}

type Needs = Batches & { holdMs: number }

/** Takes holds, in batches; the decisions are made in the database (ledger_hold_batch). */
export const createHolds = ({ sql, clock, holdMs, sizeMax, isCounting, onBatch, onTrouble = () => {} }: Needs) =>
  createBatcher<HoldOrder, HoldResult>({
    sizeMax,
    keyOf: ({ requestId, accountId, claim }) => (claim ? `${accountId} ${claim.keyHash}` : requestId),
    onBatch,
    async run(orders) {
      const nowMs = clock.nowMs()
      const column = (read: (order: HoldOrder) => string | bigint | boolean | null) => arrayText(orders.map(read))
      const holds = [
        arrayText([...new Set(orders.map(({ accountId }) => accountId))]),
        column(({ requestId }) => requestId),
        column(({ accountId }) => accountId),
        column(({ apiKeyId }) => apiKeyId),
        column(({ model }) => model),
        column(({ isExtension }) => isExtension === true),
        column(({ least }) => least.usd),
        column(({ least }) => least.diem),
        column(({ most }) => most.usd),
        column(({ most }) => most.diem),
        column(({ claim }) => claim?.keyHash ?? null),
        column(({ claim }) => claim?.fingerprint ?? null),
        new Date(nowMs),
        new Date(nowMs + holdMs),
      ]
      const uncounted = () => sql.call<HoldRow>('ledger_hold_batch', holds)
      const counted = () =>
        sql.call<HoldRow>('ledger_hold_batch', [...holds, ...countColumns(orders.map(({ count }) => count))])
      const isCounted = isCounting && orders.some(({ count }) => count !== undefined)
      const rows = await (isCounted ? withoutLimits(counted, uncounted, onTrouble) : uncounted())
      const byRequest = new Map(rows.map((row) => [requestIdFromUuid(row.request_id), row]))
      return orders.map(({ requestId, count }) => fromRow(byRequest.get(requestId) as HoldRow, count))
    },
  })

const fromRow = (row: HoldRow, count: Count | undefined): HoldResult => {
  const { outcome, counted } = row
  const { readings, refusal } = count && counted !== null ? readCounted(count, counted) : nothing
  if (outcome === 'limited') return { outcome, refusal: refusal as NonNullable<Counted['refusal']>, readings }
  const before = { usd: row.before_usd, diem: row.before_diem }
  if (outcome !== 'held') return { outcome, before, readings }
  return { outcome, held: heldFromRow(row), before, readings }
}

const nothing = { readings: undefined, refusal: undefined }
