import { createBatcher } from '#plumbing/batcher.js'
import { arrayText, type Sql } from '#store/sql.js'
import { type Amounts, linesToText, type PaidLine } from '../bill.js'
import type { Goods } from '../goods.js'
import { type Correction, correctionColumns, withoutLimits } from './count-columns.js'
import type { Batches, Held } from './hold.js'
import { summarise } from './summarise.js'

/** How a request ended. `expired`: nobody ended it, so its hold was given back. */
export type Outcome = 'completed' | 'aborted' | 'failed' | 'expired'

/** Who counted the units: the engine said it, we counted while it ran, or they are reckoned from the length of the text. */
export type CountedBy = 'upstream' | 'running stats' | 'estimate'

/** The end of a request: what it cost, and why. */
export type Settlement = {
  requestId: string
  accountId: string
  apiKeyId: string | null
  goods: Goods
  held: Held
  paid: Amounts
  lines: PaidLine[]
  outcome: Outcome
  countedBy: CountedBy | null
  beganAtMs: number
  promptTokens: bigint | null
  completionTokens: bigint | null
  /** For requests that carry an Idempotency-Key: the answer to keep, or null to let the next try run afresh. */
  claim?: { answer: Buffer | null } | undefined
  /** Only if the hold's time is up; it may have been renewed meanwhile. */
  onlyIfExpired?: boolean
  /** What it turned out to use of its rate limits, beyond the estimate. */
  correction?: Correction | undefined
  /** The request whose hold it is a part of; that one goes on with the rest. */
  partOf?: string | undefined
  /** Other requests that are settled with it, and how many of its units are theirs. */
  shares?: readonly Share[] | undefined
}

export type Share = { requestId: string; units: bigint }

/** `already`: an earlier try did it. `gone`: there is no hold to pay from; it expired. */
export type SettleResult = 'settled' | 'already' | 'gone'

type SettleRow = { ledger_settle_batch: SettleResult }

/** Settles requests, in batches, each exactly once (ledger_settle_batch). */
export const createSettlements = ({ sql, clock, sizeMax, isCounting, onBatch, onTrouble = () => {} }: Batches) => {
  let earned: Promise<EarnedAccounts> | undefined
  const earnedAccounts = () => {
    earned ??= readEarnedAccounts(sql)
    // Not remembered when it could not be read.
    earned.catch(() => {
      earned = undefined
    })
    return earned
  }

  return createBatcher<Settlement, SettleResult>({
    sizeMax,
    keyOf: ({ requestId }) => requestId,
    onBatch,
    async run(unordered) {
      // The function looks its arrays up by bisection.
      const settlements = unordered.toSorted(byRequestId)
      const { owners, entries, paid, parts, keys, claims } = summarise(settlements, await earnedAccounts())
      const column = (read: (settlement: Settlement) => string | bigint | boolean | Date | null) =>
        arrayText(settlements.map(read))
      const values = [
        arrayText(owners),
        new Date(clock.nowMs()),
        column(({ requestId }) => requestId),
        column(({ accountId }) => accountId),
        column(({ apiKeyId }) => apiKeyId),
        column(({ outcome }) => outcome),
        column(({ onlyIfExpired }) => onlyIfExpired === true),
        column(({ held }) => held.usd),
        column(({ held }) => held.bundled),
        column(({ held }) => held.diem),
        column(({ paid }) => paid.usd),
        column(({ paid }) => paid.bundled),
        column(({ paid }) => paid.diem),
        column(({ beganAtMs }) => new Date(beganAtMs)),
        column(({ goods }) => goods.model),
        column(({ countedBy }) => countedBy),
        settlements.map(({ lines }) => linesToText(lines)).join('\n'),
        column(({ promptTokens }) => promptTokens),
        column(({ completionTokens }) => completionTokens),
        arrayText(claims.map(({ requestId }) => requestId)),
        arrayText(claims.map(({ answer }) => answer)),
        arrayText(entries.map(({ requestId }) => requestId)),
        arrayText(entries.map(({ payer }) => payer)),
        arrayText(entries.map(({ payee }) => payee)),
        arrayText(entries.map(({ amount }) => amount)),
        arrayText(paid.map(({ account }) => account)),
        arrayText(paid.map(({ amount }) => amount)),
        arrayText(parts.map(({ accountId }) => accountId)),
        arrayText(parts.map(({ goods }) => goods.model)),
        arrayText(parts.map(({ part }) => part)),
        arrayText(parts.map(({ goods }) => goods.modelType)),
        arrayText(parts.map(({ goods }) => goods.unitType)),
        arrayText(parts.map(({ units }) => units)),
        arrayText(parts.map(({ usd }) => usd)),
        arrayText(parts.map(({ diem }) => diem)),
        arrayText(keys.map(({ accountId }) => accountId)),
        arrayText(keys.map(({ keyId }) => keyId)),
        arrayText(keys.map(({ units }) => units)),
        arrayText(keys.map(({ usd }) => usd)),
        arrayText(keys.map(({ diem }) => diem)),
      ]
      const corrections = isCounting ? settlements.flatMap(({ correction }) => correction ?? []) : []
      const steps = { values, splits: splitColumns(settlements), shares: shareColumns(settlements) }
      const settle = (correctionValues: unknown[] = []) => post(sql, { ...steps, corrections: correctionValues })
      const [row] = await (corrections.length === 0
        ? settle()
        : withoutLimits(() => settle(correctionColumns(corrections, clock.nowMs())), settle, onTrouble))
      return settlements.map(() => row?.ledger_settle_batch as SettleResult)
    },
  })
}

type Posted = { values: unknown[]; splits: unknown[]; shares: unknown[]; corrections: unknown[] }

/**
 * In one statement, so that nothing costs a round trip of its own: parts are split off, everything is settled, and if it
 * was, shares are written down and counters corrected. Each comes after the other because it is given what that returned.
 */
const post = (sql: Sql, { values, splits, shares, corrections }: Posted) => {
  if (splits.length + shares.length + corrections.length === 0)
    return sql.call<SettleRow>('ledger_settle_batch', values)
  let places = values.length
  const call = (name: string, some: unknown[], first: string[] = []) =>
    some.length === 0 ? undefined : `${name}(${[...first, ...some.map(() => `$${++places}`)]})`
  const split = call('ledger_split_holds', splits, ['$1'])
  const afterwards = [call('usage_share_out', shares), call('limits_correct', corrections)]
  const columns = afterwards.map((step) => (step ? `, case when s.result = 'settled' then ${step} end` : ''))
  const owners = split ? 'case when p.done then $1::uuid[] end' : '$1'
  const rest = values.slice(1).map((_, index) => `$${index + 2}`)
  const text = `select s.result ledger_settle_batch ${columns.join(' ')}
    from ${split ? `${split} as p(done), lateral` : ''} ledger_settle_batch(${[owners, ...rest]}) as s(result)`
  const name = `settle ${[split, ...afterwards].map((step) => (step ? 1 : 0)).join('')}`
  return sql.prepared<SettleRow>(name, text, [...values, ...splits, ...shares, ...corrections])
}

const splitColumns = (settlements: readonly Settlement[]): unknown[] => {
  const splits = settlements.filter(({ partOf }) => partOf !== undefined)
  if (splits.length === 0) return []
  return [
    arrayText(splits.map(({ partOf }) => partOf as string)),
    arrayText(splits.map(({ requestId }) => requestId)),
    arrayText(splits.map(({ held }) => held.usd)),
    arrayText(splits.map(({ held }) => held.bundled)),
    arrayText(splits.map(({ held }) => held.diem)),
  ]
}

const shareColumns = (settlements: readonly Settlement[]): unknown[] => {
  const shares = settlements.flatMap(({ requestId, shares = [] }) =>
    shares.map((share) => ({ ...share, settledWith: requestId })),
  )
  if (shares.length === 0) return []
  return [
    arrayText(shares.map(({ requestId }) => requestId)),
    arrayText(shares.map(({ settledWith }) => settledWith)),
    arrayText(shares.map(({ units }) => units)),
  ]
}

const byRequestId = (one: Settlement, other: Settlement) => (one.requestId < other.requestId ? -1 : 1)

/** The house's accounts that payments go to, one per currency. They are made once and never change. */
export type EarnedAccounts = Record<keyof Amounts, bigint>

const readEarnedAccounts = async (sql: Sql): Promise<EarnedAccounts> => {
  const rows = await sql<{ currency: string; id: bigint }>`
    select currency::text, id from ledger_account where owner is null and kind = 'earned'`
  const idOf = (currency: string) => rows.find((row) => row.currency === currency)?.id as bigint
  return { usd: idOf('USD'), bundled: idOf('BUNDLED_CREDITS'), diem: idOf('DIEM') }
}
