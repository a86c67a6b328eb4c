import { randomUUID } from 'node:crypto'
import type { Clock } from '#plumbing/clock.js'
import { type Sql, sqlStateOf } from '#store/sql.js'
import type { Attempt, Requirements, SignedPayment } from './rail.js'

export type PaymentState = 'received' | 'verified' | 'broadcast' | 'settled' | 'credited' | 'refused'

export type PaymentRow = {
  id: string
  payment_key: string
  network: string
  payer: string
  amount: bigint
  state: PaymentState
  payload: Record<string, unknown> | null
  valid_until: Date | null
  tx_hash: string | null
  reason: string | null
  says: string | null
  balance_after: bigint | null
  leased_by: string | null
  leased_until: Date
  created_at: Date
  changed_at: Date
}

/** The right to work on a payment. Whoever lost it can change nothing any more, however late they notice. */
export type Lease = { paymentId: string; holder: string }

export type Claim = { row: PaymentRow; lease: Lease }

export type Journal = ReturnType<typeof createJournal>

type Needs = { sql: Sql; clock: Clock; leaseMs: number }

const hourMs = 3_600_000
const uniqueViolation = '23505'

/** As many payments are remembered for which nothing was ever sent, besides those that are worked on. */
const idleMax = 10_000
/** Of one payer: on their way at once, and come to nothing within an hour. */
const sentMax = 4n
const failedMax = 6n

/** The questions to `x402_payment`. Every change but that to "credited" is made under a lease. */
export const createJournal = ({ sql, clock, leaseMs }: Needs) => {
  const now = () => new Date(clock.nowMs())
  const leaseEnd = () => new Date(clock.nowMs() + leaseMs)
  const claimOf = (row: PaymentRow | undefined): Claim | undefined =>
    row && { row, lease: { paymentId: row.id, holder: row.leased_by as string } }

  return {
    find: (fingerprint: Buffer) =>
      sql.maybeOne<PaymentRow>`select * from x402_payment where fingerprint = ${fingerprint}`,

    /** Undefined when somebody else was faster. */
    async begin(fingerprint: Buffer, payment: SignedPayment, { asset, payTo }: Requirements) {
      const validUntil = payment.validUntilMs === null ? null : new Date(payment.validUntilMs)
      return claimOf(
        await sql.maybeOne<PaymentRow>`
          insert into x402_payment (id, fingerprint, payment_key, network, asset, payer, pay_to, amount, state, payload,
                                    valid_until, leased_by, leased_until, created_at, changed_at)
          values (${randomUUID()}, ${fingerprint}, ${payment.paymentKey}, ${payment.network}, ${asset}, ${payment.payer},
                  ${payTo}, ${payment.amount}, 'received', ${JSON.stringify(payment.payload)}, ${validUntil},
                  ${randomUUID()}, ${leaseEnd()}, ${now()}, ${now()})
          on conflict (fingerprint) do nothing returning *`,
      )
    },

    /**
     * Goes on with a payment on which nobody works, or whose process has died. One that was refused before anything was
     * sent begins anew. Undefined when somebody else was faster.
     */
    async takeOver({ id, state }: PaymentRow, payload: Record<string, unknown>) {
      return claimOf(
        await sql.maybeOne<PaymentRow>`
          update x402_payment
          set state = case when state = 'refused' then 'received' else state end, reason = null, says = null,
              payload = ${JSON.stringify(payload)}, leased_by = ${randomUUID()}, leased_until = ${leaseEnd()},
              changed_at = ${now()}
          where id = ${id} and state = ${state} and (leased_by is null or leased_until <= ${now()})
            and (state in ('received', 'verified', 'broadcast') or (state = 'refused' and tx_hash is null))
          returning *`,
      )
    },

    /** Payments that were sent, whose outcome nobody is waiting for, and which are due to be looked at. */
    async takeDue(networks: readonly string[], limit: number) {
      const rows = await sql<PaymentRow>`
        update x402_payment set leased_by = gen_random_uuid(), leased_until = ${leaseEnd()}
        where id in (
          select id from x402_payment
          where state = 'broadcast' and leased_until <= ${now()} and network = any(${networks})
          order by leased_until limit ${limit} for update skip locked)
        returning *`
      return rows.map((row) => claimOf(row) as Claim)
    },

    /** A slow settlement is not taken over while its process lives. */
    renew: ({ paymentId, holder }: Lease) =>
      sql`update x402_payment set leased_until = ${leaseEnd()} where id = ${paymentId} and leased_by = ${holder}`,

    /**
     * `taken` when another payload for the same transfer has come as far: only one of them gets on. `busy` while so many
     * payments of the payer are on their way that they may be for the same money, and `wasteful` when that many have
     * come to nothing: each that the chain takes and reverts costs us a fee, and the payer nothing.
     */
    async markVerified({ paymentId, holder }: Lease): Promise<'verified' | 'taken' | 'lost' | 'busy' | 'wasteful'> {
      try {
        return await sql.transaction(async (sql) => {
          const lately = new Date(clock.nowMs() - hourMs)
          await sql`
            select pg_advisory_xact_lock(hashtextextended(payer, 0)) from x402_payment where id = ${paymentId}`
          const { sent, failed } = await sql.one<{ sent: bigint; failed: bigint }>`
            select count(*) filter (where other.state = 'broadcast'
                                       or (other.state = 'verified' and other.leased_until > ${now()})) sent,
                   count(*) filter (where other.state = 'refused' and other.changed_at > ${lately}) failed
            from x402_payment p join x402_payment other on other.payer = p.payer and other.id <> p.id
            where p.id = ${paymentId} and (other.tx_hash is not null or other.state = 'verified')`
          if (failed >= failedMax) return 'wasteful'
          if (sent >= sentMax) return 'busy'
          const marked = await sql`
            update x402_payment set state = 'verified', changed_at = ${now()}
            where id = ${paymentId} and leased_by = ${holder} and state in ('received', 'verified') returning id`
          return marked.length === 1 ? 'verified' : 'lost'
        })
      } catch (error) {
        if (sqlStateOf(error) === uniqueViolation) return 'taken'
        throw error
      }
    },

    /** Throws when the lease was lost, so that nothing is sent. */
    async recordAttempt({ paymentId, holder }: Lease, { transaction, raw, feeNonce }: Attempt, within: Sql = sql) {
      await within.transaction(async (sql) => {
        const marked = await sql.maybeOne<{ network: string }>`
          update x402_payment set state = 'broadcast', tx_hash = ${transaction}, changed_at = ${now()}
          where id = ${paymentId} and leased_by = ${holder} and state in ('verified', 'broadcast') returning network`
        if (!marked) throw new Error(`payment ${paymentId} is worked on by another process`)
        const kept = await sql`
          insert into x402_broadcast (network, tx_hash, payment_id, fee_nonce, raw, signed_at)
          values (${marked.network}, ${transaction}, ${paymentId}, ${feeNonce}, ${raw}, ${now()})
          on conflict (network, tx_hash) do update set raw = excluded.raw
          where x402_broadcast.payment_id = excluded.payment_id returning payment_id`
        if (kept.length === 0) throw new Error(`transaction ${transaction} was sent for another payment`)
      })
    },

    attempts: async (paymentId: string): Promise<Attempt[]> =>
      (
        await sql<{ tx_hash: string; raw: string; fee_nonce: bigint | null }>`
          select tx_hash, raw, fee_nonce from x402_broadcast where payment_id = ${paymentId} order by signed_at, tx_hash`
      ).map(({ tx_hash, raw, fee_nonce }) => ({ transaction: tx_hash, raw, feeNonce: fee_nonce })),

    /** For good when something was sent. Undefined when the lease was lost. */
    refuse: ({ paymentId, holder }: Lease, { reason, says }: { reason: string; says: string }) =>
      sql.maybeOne<PaymentRow>`
        update x402_payment
        set state = 'refused', reason = ${reason}, says = ${says}, payload = null, leased_by = null,
            leased_until = ${now()}, changed_at = ${now()}
        where id = ${paymentId} and leased_by = ${holder} and state in ('received', 'verified', 'broadcast')
        returning *`,

    /** Nobody works on it now. If it may have been sent, it is looked at again after a while. */
    release: ({ paymentId, holder }: Lease, { isSent, lookAgainMs }: { isSent: boolean; lookAgainMs: number }) =>
      sql.maybeOne<PaymentRow>`
        update x402_payment
        set state = case when ${isSent} then 'broadcast' when state = 'verified' then 'received' else state end,
            leased_by = null, leased_until = ${new Date(clock.nowMs() + lookAgainMs)}, changed_at = ${now()}
        where id = ${paymentId} and leased_by = ${holder} and state in ('received', 'verified', 'broadcast')
        returning *`,

    /**
     * Payments that were never sent and to whose sender nobody can answer any more: it may have paid anew, so they are
     * not continued, unless the same bytes are sent again.
     */
    async expire() {
      await sql`
        update x402_payment
        set state = 'refused', reason = 'expired', says = 'it was not settled in time', payload = null, leased_by = null,
            changed_at = ${now()}
        where state in ('received', 'verified') and leased_until <= ${now()}
          and (valid_until <= ${now()} or changed_at <= ${new Date(clock.nowMs() - hourMs)})`
      // Anybody can send any number of them, each with a name of its own.
      const oldest = await sql.maybeOne<{ changed_at: Date }>`
        select changed_at from x402_payment where state in ('received', 'refused') and tx_hash is null
        order by changed_at desc offset ${idleMax} limit 1`
      const dayAgoMs = clock.nowMs() - 24 * hourMs
      await sql`
        delete from x402_payment
        where state in ('received', 'refused') and tx_hash is null and leased_by is null
          and changed_at <= ${new Date(Math.max(dayAgoMs, oldest?.changed_at.getTime() ?? dayAgoMs))}`
    },

    /** By network, also of networks that are no longer configured. */
    countUnfinished: () =>
      sql<{ network: string; payments: bigint }>`
        select network, count(*) payments from x402_payment
        where state in ('received', 'verified', 'broadcast', 'settled') group by network`,
  }
}

/** What was signed, as the rail read it when it came. */
export const paymentOf = (row: PaymentRow): SignedPayment => ({
  network: row.network,
  paymentKey: row.payment_key,
  payer: row.payer,
  amount: row.amount,
  validUntilMs: row.valid_until?.getTime() ?? null,
  payload: row.payload ?? {},
})
