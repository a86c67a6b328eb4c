import { openWallet } from '#accounts/wallets/wallets.js'
import { readBalances, spendableUsd } from '#ledger/credit/balances.js'
import { grantCredit } from '#ledger/credit/grant.js'
import type { Sql } from '#store/sql.js'
import type { PaymentRow } from './journal.js'

/** A base unit is a millionth of a dollar. */
export const nanosPerUnit = 1_000n

/** `isNew` when it was credited just now. */
export type Credited = { row: PaymentRow; isNew: boolean }

type Settled = { paymentId: string; transaction: string; nowMs: number }

/**
 * Credits a payment that the chain has, in one transaction of the database: the state, the payer's account and what the
 * payer is told. It needs no lease, for the money has moved, whoever noticed; it happens once, however many do. What
 * must not be credited, because the books or another payment have it already, ends as "settled" with a reason.
 */
export const creditPayment = (sql: Sql, { paymentId, transaction, nowMs }: Settled): Promise<Credited> =>
  sql.transaction(async (sql) => {
    const row = await sql.one<PaymentRow>`select * from x402_payment where id = ${paymentId} for update`
    if (row.state === 'credited' || row.state === 'settled') return { row, isNew: false }
    const now = new Date(nowMs)
    const idempotencyKey = `x402:${row.payment_key}`
    const obstacle = await findObstacle(sql, row, transaction, idempotencyKey)
    if (obstacle) {
      const odd = await sql.one<PaymentRow>`
        update x402_payment
        set state = 'settled', reason = ${obstacle}, says = ${`the chain has it as ${transaction}`}, leased_by = null,
            changed_at = ${now}
        where id = ${paymentId} returning *`
      return { row: odd, isNew: false }
    }
    const wallet = await openWallet(sql, row.payer, nowMs)
    const isPaid = await grantCredit(sql, {
      accountId: wallet.accountId,
      kind: 'top-up',
      amountNanos: row.amount * nanosPerUnit,
      idempotencyKey,
      note: `x402 ${row.network} ${transaction}`,
      nowMs,
    })
    // Somebody credited it since we asked. Undo everything, and look again later.
    if (!isPaid) throw new Error(`payment ${paymentId} was credited by somebody else`)
    const balances = (await readBalances(sql, [wallet.accountId], nowMs)).get(wallet.accountId)
    const credited = await sql.one<PaymentRow>`
      update x402_payment
      set state = 'credited', tx_hash = ${transaction}, reason = null, says = null, payload = null, leased_by = null,
          balance_after = ${balances ? spendableUsd(balances) : 0n}, changed_at = ${now}
      where id = ${paymentId} returning *`
    return { row: credited, isNew: true }
  })

/** Unique indexes guard against the same; this tells an operator what is odd, instead of failing again and again. */
const findObstacle = async (sql: Sql, row: PaymentRow, transaction: string, idempotencyKey: string) => {
  const paid = await sql`select id from ledger_transfer where idempotency_key = ${idempotencyKey}`
  if (paid.length > 0) return 'already_credited'
  // Anybody can put what several payers signed into one transaction of an EVM chain.
  if (row.network.startsWith('eip155:')) return undefined
  const other = await sql`
    select id from x402_payment where network = ${row.network} and tx_hash = ${transaction} and id <> ${row.id}`
  return other.length > 0 ? 'transaction_of_another_payment' : undefined
}
