import { type Failure, paymentFailure } from '#contract/errors.js'
import type { SignedPayment } from './rail.js'

/** The header that tells x402 clients how their payment ended, whatever the body says. */
export const paymentResponseHeader = 'PAYMENT-RESPONSE'

const encode = (response: object) => Buffer.from(JSON.stringify(response)).toString('base64')

export const successResponse = (receipt: { transaction: string; network: string; walletAddress: string }): string =>
  encode({
    success: true,
    transaction: receipt.transaction,
    network: receipt.network,
    payer: receipt.walletAddress,
  })

/** How a payment ended, or stands, other than credited. */
export type Trouble =
  | { kind: 'refused'; reason: string; says: string; transaction: string | null }
  | { kind: 'pending'; transaction: string | null }
  | { kind: 'unreachable' }
  | { kind: 'busy' }

const retryMs = { pending: 5_000, unreachable: 5_000, busy: 2_000 }

/** The answer to a payment that was read, with everything that clients of x402 look for. */
export const failureOf = (trouble: Trouble, { network, payer }: SignedPayment): Failure => {
  const transaction = 'transaction' in trouble ? (trouble.transaction ?? '') : ''
  const respond = (failure: Failure, errorReason: string) =>
    failure.withHeaders({
      [paymentResponseHeader]: encode({ success: false, errorReason, transaction, network, payer }),
    })
  switch (trouble.kind) {
    case 'refused': {
      const details = { reason: trouble.reason, ...(transaction && { transaction, network }) }
      return respond(paymentFailure('paymentRefused', trouble.says, details), trouble.reason)
    }
    case 'pending': {
      const details = { reason: 'settlement_pending', transaction, network }
      const failure = paymentFailure('settlementPending', '', details).retryAfterMs(retryMs.pending)
      return respond(failure, 'settlement_pending')
    }
    case 'unreachable': {
      const details = { reason: 'unexpected_verify_error', network }
      const failure = paymentFailure('chainUnreachable', network, details).retryAfterMs(retryMs.unreachable)
      return respond(failure, 'unexpected_verify_error')
    }
    case 'busy': {
      const details = { reason: 'unexpected_verify_error', network }
      const failure = paymentFailure('paymentsBusy', '', details).retryAfterMs(retryMs.busy)
      return respond(failure, 'unexpected_verify_error')
    }
  }
}
