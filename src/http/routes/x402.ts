import { Type } from 'typebox'
import { normalAddress, walletPattern } from '#accounts/wallets/address.js'
import { DetailedError, Shared, StandardError } from '#contract/common.js'
import { type Failure, fail } from '#contract/errors.js'
import {
  PaymentError,
  PaymentOffer,
  TopUp,
  WalletBalance,
  WalletTransactions,
  WalletTransactionsQuery,
} from '#contract/x402.js'
import { type Balances, noBalances, spendable } from '#ledger/credit/balances.js'
import type { Movement } from '#ledger/credit/movements.js'
import type { Usage } from '#ledger/usage/usage.js'
import { successResponse } from '#payments/payment-response.js'
import type { Payments } from '#payments/payments.js'
import { departureOf } from '../event-outlet.js'
import { type PaymentRequired, paymentOf, uncached, usdOf, type WalletTerms } from '../payment-required.js'
import type { Server } from '../server.js'

type Needs = {
  /** Undefined where payments are not taken. */
  payments: () => Pick<Payments, 'topUp'> | undefined
  terms: () => WalletTerms | undefined
  paymentRequired: PaymentRequired
  usage: Pick<Usage, 'balances' | 'movements'>
}

const Payment = (description: string) => Type.Optional(Type.String({ description }))
const PaymentHeaders = Type.Object({
  'payment-signature': Payment('base64 of a signed payment for one of `accepts`'),
  'x-402-payment': Payment('An older name of the same'),
  'x-payment': Payment('The name in the first version of x402'),
})

const tags = ['x402']
const OwnWallet = Type.Object({ walletAddress: Type.String({ pattern: walletPattern }) })
const mismatch = { 403: { description: 'The wallet is not the one that signed in', ...Shared(StandardError) } }
const off = { 404: { description: 'This service takes no wallets', ...Shared(StandardError) } }

/** Programs that pay find the code in `error`, also of what is not about their payment. */
const trouble = {
  shape: PaymentError,
  render: ({ status, code, message, extra, body }: Failure): object =>
    body ?? (status >= 500 ? { error: code, message } : { error: message, code, ...extra }),
}

const topUpRoute = (app: Server, { payments, terms, paymentRequired }: Needs) => {
  // All that counts is in the headers. Some clients label the body that they do not send.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null, undefined))

  app.post(
    '/x402/top-up',
    {
      config: { access: 'open', refusal: trouble },
      schema: {
        tags,
        summary: 'Pay USDC in for a wallet',
        description:
          'Without a payment header: 402 with what can be paid, in the body and in `PAYMENT-REQUIRED`. With a signed payment in `PAYMENT-SIGNATURE` (also `X-402-Payment` or `X-PAYMENT`) of the smallest amount or more: settled on the chain and credited to the wallet that signed it, once, however often it is sent.',
        headers: PaymentHeaders,
        response: {
          200: TopUp,
          400: { description: 'The payment cannot be used; nothing was credited', ...Shared(PaymentError) },
          402: { description: 'What can be paid', ...Shared(PaymentOffer) },
          503: { description: 'The chain cannot be reached, or has not confirmed yet', ...Shared(PaymentError) },
          ...off,
        },
      },
    },
    async ({ headers }, reply) => {
      reply.headers(uncached)
      const payment = paymentOf(headers)
      if (payment === undefined) {
        const offer = paymentRequired.offerTopUp()
        return reply.code(402).headers(offer.headers).send(offer.body)
      }
      const desk = payments()
      // While the config file changes there is none for a moment.
      if (desk === undefined) throw terms() ? fail('paymentsNotReady').retryAfterMs(2_000) : fail('walletsOff')
      const receipt = await desk.topUp(payment, departureOf(reply.raw))
      const { paymentId, walletAddress, amountUsdNanos, balanceUsdNanos, isReplay } = receipt
      const settled = successResponse(receipt)
      // The second name is the one that clients of the first version read.
      reply.headers({ 'payment-response': settled, 'x-payment-response': settled })
      if (isReplay) reply.header('idempotent-replayed', 'true')
      const data = {
        walletAddress,
        amountCredited: usdOf(amountUsdNanos),
        newBalance: usdOf(balanceUsdNanos),
        paymentId,
      }
      return { success: true as const, data }
    },
  )
}

export const x402Routes = async (app: Server, needs: Needs): Promise<void> => {
  const { terms, usage } = needs
  await app.register(async (scope) => topUpRoute(scope as Server, needs))

  app.get(
    '/x402/balance/:walletAddress',
    {
      config: { access: 'wallet' },
      schema: {
        tags,
        summary: 'What a wallet can spend',
        description: 'The wallet itself must have signed in.',
        params: OwnWallet,
        response: { 200: WalletBalance, ...mismatch, ...off },
      },
    },
    async (request, reply) => {
      reply.headers(uncached)
      const wallet = ownWallet(request)
      const now = terms()
      if (now === undefined) throw fail('walletsOff')
      const caller = request.caller?.kind === 'wallet' ? request.caller : null
      const own: Balances = caller ? await usage.balances(caller.accountId) : noBalances
      const linked = caller?.diemAccountId ? await usage.balances(caller.diemAccountId) : undefined
      const { usd } = spendable(own)
      const diem = linked?.diem ?? null
      return {
        success: true as const,
        data: {
          walletAddress: wallet,
          balanceUsd: usdOf(usd),
          canConsume: usd >= now.minimumBalanceNanos || (diem !== null && diem > 0n),
          minimumTopUpUsd: usdOf(now.minimumTopUpNanos),
          suggestedTopUpUsd: usdOf(now.suggestedTopUpNanos),
          ...(diem !== null && { diemBalanceUsd: usdOf(diem) }),
        },
      }
    },
  )

  app.get(
    '/x402/transactions/:walletAddress',
    {
      config: { access: 'wallet' },
      schema: {
        tags,
        summary: 'What a wallet paid in and spent, newest first',
        description: 'The wallet itself must have signed in.',
        params: OwnWallet,
        querystring: WalletTransactionsQuery,
        response: {
          200: WalletTransactions,
          400: { description: 'The request is not valid', ...Shared(DetailedError) },
          ...mismatch,
          ...off,
        },
      },
    },
    async (request, reply) => {
      reply.headers(uncached)
      const walletAddress = ownWallet(request)
      const { limit, offset } = request.query
      const { balanceNanos, movements, hasMore } = request.caller
        ? await usage.movements(request.caller.accountId, { limit, offset })
        : { balanceNanos: 0n, movements: [], hasMore: false }
      return {
        success: true as const,
        data: {
          walletAddress,
          currentBalance: usdOf(balanceNanos),
          transactions: movements.map(transactionOf),
          pagination: { limit, offset, hasMore },
        },
      }
    },
  )
}

/** The wallet in the path, if it is the one that signed in. */
const ownWallet = ({ wallet, params }: { wallet: string | null; params: { walletAddress: string } }): string => {
  const asked = normalAddress(params.walletAddress)
  if (asked !== wallet) throw fail('walletMismatch')
  return asked
}

const types = { 'top-up': 'TOP_UP', charge: 'CHARGE', refund: 'REFUND' } as const

const transactionOf = ({ id, kind, amountNanos, balanceAfterNanos, at, requestId, model }: Movement) => ({
  id,
  amount: usdOf(amountNanos),
  balanceAfter: usdOf(balanceAfterNanos),
  type: types[kind],
  createdAt: at.toISOString(),
  requestId,
  modelId: model,
})
