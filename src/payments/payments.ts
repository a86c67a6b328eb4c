import { setTimeout as wait } from 'node:timers/promises'
import { decimalFromNanos } from '#catalog/prices.js'
import type { Clock } from '#plumbing/clock.js'
import type { StopSignal } from '#plumbing/stop-signal.js'
import type { Sql } from '#store/sql.js'
import { nanosPerUnit } from './credit.js'
import { fingerprintOf } from './fingerprint.js'
import type { NetworkFeeWallet, PaymentHooks } from './hooks.js'
import { type Claim, createJournal, type PaymentRow } from './journal.js'
import { readPaymentHeader } from './payment-header.js'
import { failureOf } from './payment-response.js'
import type { Rail, Requirements, SignedPayment } from './rail.js'
import { brief, createSettlement, type Ending, endingOf } from './settlement.js'
import { createUpkeep } from './upkeep.js'

export type TopUpReceipt = {
  paymentId: string
  walletAddress: string
  network: string
  transaction: string
  amountUsdNanos: bigint
  /** After this payment was credited; also when it is told again later. */
  balanceUsdNanos: bigint
  /** It was credited before, or for another request with the same payment. */
  isReplay: boolean
}

/**
 * Takes USDC for credit. A payment is credited exactly once if the chain has it, and never otherwise, with any number of
 * processes on one database and whichever of them die on the way: each step is written down before it is taken.
 */
export type Payments = {
  /** What can be paid now for this amount: the entries of `accepts`. */
  accepts(amountUsdNanos: bigint): Requirements[]
  /**
   * Takes the payment in a header, or says what became of it when it is sent again. Throws a `Failure`. Once the caller
   * has left, nothing is sent that was not sent before.
   */
  topUp(header: string, departure?: Departure): Promise<TopUpReceipt>
  /** Looks what became of payments that were sent, and whose process died or did not wait. */
  reconcile(): Promise<void>
  /** The purses that pay fees; those that cannot be asked right now are left out. */
  feeWallets(): Promise<NetworkFeeWallet[]>
  start(): void
  stop(): Promise<void>
}

type Needs = PaymentHooks & {
  sql: Sql
  clock: Clock
  rails: readonly Rail[]
  limits: () => { minimumUsdNanos: bigint; maximumUsdNanos: bigint }
  /** How long a payment is kept from others after its process has died. */
  leaseMs?: number
  /** How long a request waits for another one that has the same payment. */
  patienceMs?: number
  pollMs?: number
  creditPatienceMs?: number
  /** Payments that are worked on at once in this process. */
  workMax?: number
}

/** Tells whether a caller has left. */
type Departure = Pick<StopSignal, 'aborted'>

/** `callers` are all who wait for it. */
type Work = { ending: Promise<Ending>; callers: (Departure | undefined)[] }

const stopPatienceMs = 10_000

/** After an attempt that came to nothing, the same payment is not tried again before this. */
const restMs = 1_000

export const createPayments = ({
  sql,
  clock,
  rails,
  limits,
  leaseMs = 15_000,
  patienceMs = 50_000,
  pollMs = 100,
  creditPatienceMs = 10_000,
  workMax = 64,
  onPayment = () => {},
  onUnfinished = () => {},
  onFeeWallets = () => {},
  onTrouble = () => {},
}: Needs): Payments => {
  const journal = createJournal({ sql, clock, leaseMs })
  const settlement = createSettlement({ sql, journal, nowMs: clock.nowMs, leaseMs, creditPatienceMs, onTrouble })
  /** Requests with the same payment share one piece of work, here by its fingerprint and elsewhere by the lease. */
  const working = new Map<string, Work>()

  const counted = <Known extends Ending | undefined>(rail: Rail, ending: Known): Known => {
    if (ending) onPayment(rail.network, ending.kind)
    return ending
  }

  const advance = async (rail: Rail, claim: Claim, isWanted?: () => boolean) =>
    counted(rail, await settlement.advance(rail, claim, isWanted))

  /** Works on the payment, or waits for whoever does. */
  const workOrWait = async (
    rail: Rail,
    payment: SignedPayment,
    fingerprint: Buffer,
    isWanted: () => boolean,
  ): Promise<Ending> => {
    const deadlineMs = performance.now() + patienceMs
    for (let hasWaited = false; ; hasWaited = true) {
      const row = await journal.find(fingerprint)
      if (!row || isOpen(row, hasWaited)) {
        const claim = row ? await takeOver(row, payment) : await begin(rail, payment, fingerprint)
        const ending = claim && 'lease' in claim ? await advance(rail, claim, isWanted) : counted(rail, claim)
        if (ending) return ending
      } else if (row.leased_by === null) return endingOf(row)
      else if (performance.now() > deadlineMs) return row.state === 'broadcast' ? endingOf(row) : { kind: 'busy' }
      await wait(pollMs)
    }
  }

  const begin = async (
    rail: Rail,
    payment: SignedPayment,
    fingerprint: Buffer,
  ): Promise<Claim | Ending | undefined> => {
    const requirements = rail.requirements(payment.amount)
    const unreachable: Ending = { kind: 'unreachable' }
    return (
      outOfBounds(payment.amount) ?? (requirements ? journal.begin(fingerprint, payment, requirements) : unreachable)
    )
  }

  const takeOver = async (row: PaymentRow, payment: SignedPayment): Promise<Claim | Ending | undefined> =>
    (row.state === 'refused' && outOfBounds(payment.amount)) || journal.takeOver(row, payment.payload)

  /** Whether whoever asks may work on it. Those who waited for an attempt take its outcome instead of trying again. */
  const isOpen = (row: PaymentRow, hasWaited: boolean): boolean => {
    if (row.state === 'credited' || row.state === 'settled') return false
    if (row.leased_by !== null) return row.leased_until.getTime() <= clock.nowMs()
    if (hasWaited) return false
    if (row.state === 'refused') return row.tx_hash === null
    return row.state !== 'broadcast' || row.changed_at.getTime() + restMs <= clock.nowMs()
  }

  const outOfBounds = (amount: bigint): Ending | undefined => {
    const { minimumUsdNanos, maximumUsdNanos } = limits()
    const nanos = amount * nanosPerUnit
    if (nanos >= minimumUsdNanos && nanos <= maximumUsdNanos) return undefined
    const says = `${decimalFromNanos(nanos)} USD is not between ${decimalFromNanos(minimumUsdNanos)} and ${decimalFromNanos(maximumUsdNanos)} USD`
    return { kind: 'refused', reason: 'invalid_payment_requirements', says, transaction: null }
  }

  const join = (
    rail: Rail,
    payment: SignedPayment,
    departure: Departure | undefined,
  ): { ending: Promise<Ending>; isFirst: boolean } => {
    const fingerprint = fingerprintOf(payment)
    const name = fingerprint.toString('hex')
    const running = working.get(name)
    if (running) {
      running.callers.push(departure)
      return { ending: running.ending, isFirst: false }
    }
    if (working.size >= workMax)
      return { ending: Promise.resolve(counted<Ending>(rail, { kind: 'busy' })), isFirst: true }
    const callers = [departure]
    const isWanted = () => callers.some((caller) => !caller?.aborted)
    const ending = workOrWait(rail, payment, fingerprint, isWanted).finally(() => working.delete(name))
    working.set(name, { ending, callers })
    return { ending, isFirst: true }
  }

  const topUp = async (header: string, departure?: Departure): Promise<TopUpReceipt> => {
    const { rail, payment } = readPaymentHeader(header, rails)
    const { ending, isFirst } = join(rail, payment, departure)
    const ended = await ending
    if (ended.kind !== 'credited') throw failureOf(ended, payment)
    const { row } = ended
    return {
      paymentId: row.id,
      walletAddress: row.payer,
      network: row.network,
      transaction: row.tx_hash as string,
      amountUsdNanos: row.amount * nanosPerUnit,
      balanceUsdNanos: row.balance_after as bigint,
      isReplay: ended.isReplay || !isFirst,
    }
  }

  const feeWallets = async () => {
    const found = await Promise.all(
      rails.map(async (rail) => {
        try {
          const wallet = await rail.feeWallet()
          return wallet ? [{ network: rail.network, ...wallet }] : []
        } catch (error) {
          onTrouble(`the fee wallet on ${rail.network} cannot be read: ${brief(error)}`)
          return []
        }
      }),
    )
    return found.flat()
  }

  const upkeep = createUpkeep({ journal, rails, advance, feeWallets, onUnfinished, onFeeWallets, onTrouble })

  return {
    accepts: (amountUsdNanos) => {
      // A started unit counts, so that what is paid is never less than what was asked for.
      const amount = (amountUsdNanos + nanosPerUnit - 1n) / nanosPerUnit
      return rails.flatMap((rail) => rail.requirements(amount) ?? [])
    },
    topUp,
    reconcile: upkeep.reconcile,
    feeWallets,
    start: upkeep.start,
    async stop() {
      const finished = Promise.allSettled([upkeep.stop(), ...[...working.values()].map(({ ending }) => ending)])
      await Promise.race([finished, wait(stopPatienceMs, undefined, { ref: false })])
    },
  }
}
