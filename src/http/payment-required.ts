import type { IncomingHttpHeaders } from 'node:http'
import { type Failure, fail } from '#contract/errors.js'
import type { PaymentOffer, SignInChallenge, WalletPaymentRequired } from '#contract/x402.js'
import type { Requirements } from '#payments/rail.js'
import { basePath } from './openapi.js'

/** What wallets are told about paying and signing in, as the config file says right now. */
export type WalletTerms = {
  /** Where clients reach us. */
  publicUrl: string
  /** The entries of `accepts` for an amount in nano-USD: chains that can be paid on now. */
  accepts(amountNanos: bigint): Requirements[]
  challenge(uri: string): SignInChallenge
  minimumTopUpNanos: bigint
  suggestedTopUpNanos: bigint
  minimumBalanceNanos: bigint
  /** Callers without any credentials are told how to pay, instead of that a key is missing. */
  answersMissingKeyWith402: boolean
}

/** Everything that we say with 402, and beside 401. `terms` gives nothing where wallets are not taken. */
export type PaymentRequired = {
  /** How to top up. */
  offerTopUp(): { body: PaymentOffer; headers: Record<string, string> }
  /** For callers without any credentials. */
  missingKey(path: string): Failure
  /** Tells a wallet whose credit is too small how to get on; other failures stay as they are. */
  complete(failure: Failure, path: string): Failure
}

/** Any of the three may carry any version of a payment. */
export const paymentOf = (headers: IncomingHttpHeaders): string | undefined => {
  const sent = headers['payment-signature'] ?? headers['x-402-payment'] ?? headers['x-payment']
  return Array.isArray(sent) ? sent[0] : sent
}

export const usdOf = (nanos: bigint): number => Number(nanos) / 1e9

const base64Json = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64')

/** Nobody may keep what is said about a payment: the next time it is another one. */
export const uncached = { 'cache-control': 'no-store' }

export const createPaymentRequired = (terms: () => WalletTerms | undefined): PaymentRequired => {
  const offer = ({ publicUrl, accepts }: WalletTerms, path: string, description: string, amountNanos: bigint) => ({
    x402Version: 2 as const,
    error: 'Payment required',
    resource: { url: `${publicUrl}${path}`, description, mimeType: 'application/json' },
    accepts: accepts(amountNanos),
  })
  // While no chain can be paid on, there is nothing to offer.
  const headersOf = (body: PaymentOffer) => ({
    ...(body.accepts.length > 0 && { 'payment-required': base64Json(body) }),
    ...uncached,
  })

  /** To call anything that costs, a wallet pays in first and then signs in. */
  const offerCall = (now: WalletTerms, path: string): PaymentOffer => ({
    ...offer(now, path, 'Prepaid credit for this API; pay it in at POST /x402/top-up', now.suggestedTopUpNanos),
    extensions: { 'sign-in-with-x': now.challenge(`${now.publicUrl}${path}`) },
  })

  return {
    offerTopUp() {
      const now = terms()
      if (now === undefined) throw fail('walletsOff')
      const body = offer(now, `${basePath}/x402/top-up`, 'Prepaid credit for this API', now.minimumTopUpNanos)
      if (body.accepts.length === 0) throw fail('paymentsNotReady').retryAfterMs(5_000)
      return { body, headers: headersOf(body) }
    },
    missingKey(path) {
      const now = terms()
      if (now === undefined) return fail('missingKey')
      const body = offerCall(now, path)
      if (!now.answersMissingKeyWith402) return fail('missingKey').withHeaders(headersOf(body))
      return fail('paymentRequired')
        .withHeaders(headersOf(body))
        .as({ ...body, authOptions: authOptions(now.publicUrl) })
    },
    complete(failure, path) {
      const now = failure.failure === 'paymentRequired' && failure.body === undefined ? terms() : undefined
      if (now === undefined) return failure
      const body = offerCall(now, path)
      return failure.withHeaders(headersOf(body)).as(instructions(now, failure, path))
    },
  }
}

const authOptions = (publicUrl: string) => ({
  apiKey: {
    header: 'Authorization: Bearer <key>',
    getKey: `${publicUrl}${basePath}/api_keys`,
    docs: `${publicUrl}/docs`,
  },
  x402Wallet: {
    header: 'SIGN-IN-WITH-X',
    legacyHeader: 'X-Sign-In-With-X',
    topUp: `${publicUrl}${basePath}/x402/top-up`,
    docs: `${publicUrl}/docs`,
  },
})

const chainNames = (accepts: readonly Requirements[]) =>
  accepts.map(({ network }) =>
    network.startsWith('solana:') ? 'solana' : network === 'eip155:8453' ? 'base' : network,
  )

const instructions = (now: WalletTerms, { extra }: Failure, path: string): WalletPaymentRequired => {
  const accepts = now.accepts(now.minimumTopUpNanos)
  const option = accepts[0]
  const currentBalanceUsd = Number(extra.currentBalanceUsd ?? 0)
  const minimumBalanceUsd = usdOf(now.minimumBalanceNanos)
  const minimumTopUpUsd = usdOf(now.minimumTopUpNanos)
  return {
    error: 'Payment required',
    code: 'PAYMENT_REQUIRED',
    reason: 'insufficient_balance',
    message:
      currentBalanceUsd < minimumBalanceUsd
        ? `The wallet has ${currentBalanceUsd} USD here, and at least ${minimumBalanceUsd} are needed; top up and retry`
        : `The wallet has ${currentBalanceUsd} USD here, which does not pay for this request; top up and retry`,
    currentBalanceUsd,
    minimumBalanceUsd,
    suggestedTopUpUsd: usdOf(now.suggestedTopUpNanos),
    minimumTopUpUsd,
    supportedTokens: ['USDC'],
    supportedChains: chainNames(accepts),
    topUpInstructions: {
      step1: `POST ${now.publicUrl}${basePath}/x402/top-up without a payment header to get the payment options`,
      step2: `Choose one of accepts and sign it, for ${minimumTopUpUsd} USD or any larger amount`,
      step3: 'Send the same request again with the signed payment, as base64, in the header PAYMENT-SIGNATURE',
      receiverWallet: option?.payTo ?? '',
      tokenAddress: option?.asset ?? '',
      tokenDecimals: 6,
      network: option?.network ?? '',
      minimumAmountUsd: minimumTopUpUsd,
    },
    siwxChallenge: now.challenge(`${now.publicUrl}${path}`),
  }
}
