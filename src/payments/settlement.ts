import { setTimeout as wait } from 'node:timers/promises'
import { messageOf } from '#plumbing/message-of.js'
import { Unavailable } from '#plumbing/unavailable.js'
import type { Sql } from '#store/sql.js'
import { creditPayment } from './credit.js'
import { type Claim, type Journal, type Lease, type PaymentRow, paymentOf } from './journal.js'
import type { Trouble } from './payment-response.js'
import { type Outcome, type Rail, type RecordAttempt, shownTransaction } from './rail.js'

export type Ending = { kind: 'credited'; row: PaymentRow; isReplay: boolean } | Trouble

type Needs = {
  sql: Sql
  journal: Journal
  nowMs: () => number
  leaseMs: number
  /** How long crediting is tried while the database is away: the money has moved, and only this is missing. */
  creditPatienceMs: number
  onTrouble: (trouble: string) => void
}

/** What x402 says of a transfer that was made already. */
const spentReason = 'invalid_exact_evm_nonce_already_used'
const leastPauseMs = 2_000
const mostPauseMs = 60_000

/** What is done with a payment under a lease. */
export const createSettlement = ({ sql, journal, nowMs, leaseMs, creditPatienceMs, onTrouble }: Needs) => {
  /**
   * Brings a payment as far as it goes now: checks and sends it, or, if it was sent before, looks what became of it.
   * Undefined when the lease was lost on the way, and somebody else has the answer. Nothing is sent for the first time
   * once nobody wants it any more.
   */
  const advance = async (
    rail: Rail,
    { row, lease }: Claim,
    isWanted: () => boolean = () => true,
  ): Promise<Ending | undefined> => {
    // A process that is slow, but alive, keeps its lease; this is how it shows that it lives.
    const timer = setInterval(() => void journal.renew(lease).catch(() => {}), leaseMs / 3).unref()
    const notes = takeNotes(row, lease, isWanted)
    try {
      return await (row.state === 'broadcast' ? look(rail, row, notes) : send(rail, row, notes))
    } catch (error) {
      // The next comer may go on at once. If even this fails, the lease ends by itself.
      await journal.release(lease, { isSent: false, lookAgainMs: 0 }).catch(() => {})
      // Whoever has paid must not hear that something went wrong and pay again.
      if (notes.lastSent() === null) throw error
      tell(row, 'was sent and is left to be looked at', error)
      return { kind: 'pending', transaction: shownTransaction(notes.lastSent()) }
    } finally {
      clearInterval(timer)
    }
  }

  const send = async (rail: Rail, row: PaymentRow, notes: Notes): Promise<Ending | undefined> => {
    const payment = paymentOf(row)
    const { lease } = notes
    const verdict = await rail.verify(payment).catch((error: unknown) => tell(row, 'could not be verified', error))
    if (!verdict) return giveBack(row, lease, { isSent: false })
    // It was good before, so whoever spent it has done so since then, and may have paid us with it.
    if (row.state === 'verified' && !verdict.isGood && verdict.reason === spentReason) return look(rail, row, notes)
    if (!verdict.isGood) return refuse(lease, verdict)
    const mark = await journal.markVerified(lease)
    if (mark === 'lost') return undefined
    if (mark === 'taken') return refuse(lease, takenVerdict(row))
    if (mark === 'wasteful') return refuse(lease, wastefulVerdict)
    if (mark === 'busy') return (await journal.release(lease, { isSent: false, lookAgainMs: 0 })) && { kind: 'busy' }
    const outcome = await rail.settle(payment, notes.record).catch((error: unknown) => tell(row, 'was cut off', error))
    // Whatever cut it off, nothing is sent that is not written down.
    return outcome ? conclude(row, lease, outcome) : giveBack(row, lease, { isSent: false })
  }

  const look = async (rail: Rail, row: PaymentRow, notes: Notes): Promise<Ending | undefined> => {
    const attempts = await journal.attempts(row.id)
    const outcome = await rail
      .look(paymentOf(row), attempts, notes.record)
      .catch((error: unknown) => tell(row, 'could not be looked up', error))
    return conclude(row, notes.lease, outcome ?? { state: 'pending' })
  }

  /** Writes attempts down, and remembers the last. */
  const takeNotes = (row: PaymentRow, lease: Lease, isWanted: () => boolean) => {
    let lastSent = row.tx_hash
    const record: RecordAttempt = async (attempt, within) => {
      if (lastSent === null && !isWanted()) throw new Error('whoever sent it is gone')
      await journal.recordAttempt(lease, attempt, within)
      lastSent = attempt.transaction
    }
    return { lease, record, lastSent: () => lastSent }
  }
  type Notes = ReturnType<typeof takeNotes>

  const conclude = (row: PaymentRow, lease: Lease, outcome: Outcome): Promise<Ending | undefined> => {
    switch (outcome.state) {
      case 'settled':
        return credit(row, lease, outcome.transaction)
      case 'failed':
        return refuse(lease, outcome)
      case 'pending':
        return giveBack(row, lease, { isSent: true })
    }
  }

  const credit = async (row: PaymentRow, lease: Lease, transaction: string): Promise<Ending> => {
    const deadlineMs = performance.now() + creditPatienceMs
    for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, 1_000)) {
      try {
        const { row: found, isNew } = await creditPayment(sql, { paymentId: row.id, transaction, nowMs: nowMs() })
        if (found.state === 'credited') return { kind: 'credited', row: found, isReplay: !isNew }
        onTrouble(`payment ${row.id} is settled and not credited: ${found.reason}`)
        return { kind: 'pending', transaction }
      } catch (error) {
        // Whether it was credited is unknown, and asking again is safe: it happens once.
        if (error instanceof Unavailable && performance.now() + pauseMs < deadlineMs) {
          await wait(pauseMs)
          continue
        }
        tell(row, 'is settled and could not be credited yet', error)
        await journal.release(lease, { isSent: true, lookAgainMs: leastPauseMs }).catch(() => {})
        return { kind: 'pending', transaction }
      }
    }
  }

  const refuse = async (lease: Lease, verdict: { reason: string; says: string }): Promise<Ending | undefined> => {
    const row = await journal.refuse(lease, verdict)
    return row && endingOf(row)
  }

  /** `isSent` when it may have been, also by others; what we wrote down is known to the journal anyway. */
  const giveBack = async (
    row: PaymentRow,
    lease: Lease,
    { isSent }: { isSent: boolean },
  ): Promise<Ending | undefined> => {
    const ageMs = nowMs() - row.created_at.getTime()
    const lookAgainMs = Math.min(Math.max(ageMs / 5, leastPauseMs), mostPauseMs)
    const released = await journal.release(lease, { isSent, lookAgainMs })
    return released && endingOf(released)
  }

  const tell = (row: PaymentRow, what: string, error: unknown): undefined => {
    onTrouble(`payment ${row.id} on ${row.network} ${what}: ${brief(error)}`)
    return undefined
  }

  return { advance }
}

/** What a payment on which nobody works is answered with. */
export const endingOf = (row: PaymentRow): Ending => {
  const transaction = shownTransaction(row.tx_hash)
  switch (row.state) {
    case 'credited':
      return { kind: 'credited', row, isReplay: true }
    case 'refused':
      return { kind: 'refused', reason: row.reason ?? 'unknown', says: row.says ?? 'it is not valid', transaction }
    case 'broadcast':
    case 'settled':
      return { kind: 'pending', transaction }
    case 'received':
    case 'verified':
      return { kind: 'unreachable' }
  }
}

const takenVerdict = ({ network }: PaymentRow) => ({
  reason: network.startsWith('eip155:') ? spentReason : 'duplicate_settlement',
  says: 'the transfer that was signed is already being settled for another payload',
})

const wastefulVerdict = {
  reason: 'too_many_failed_payments',
  says: 'too many payments of this wallet have come to nothing; try again in an hour',
}

/** One line without what was signed: libraries put the arguments of a failed call, signatures and all, into messages. */
export const brief = (error: unknown): string =>
  (messageOf(error).split('\n')[0] as string).replace(/[A-Za-z0-9+/_=-]{60,}/g, '[...]').slice(0, 200)
