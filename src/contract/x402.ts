import { type Static, Type } from 'typebox'
import { Nullable, StringEnum } from './common.js'

const closed = { additionalProperties: false }

const Usd = (description: string) => Type.Number({ description: `${description}, in USD` })

const PaymentOption = Type.Object(
  {
    scheme: StringEnum(['exact']),
    network: Type.String({ description: 'CAIP-2, such as eip155:8453' }),
    amount: Type.String({ description: 'In base units of the token: 5000000 is 5 USDC' }),
    asset: Type.String({ description: 'The token: USDC' }),
    payTo: Type.String(),
    maxTimeoutSeconds: Type.Integer(),
    extra: Type.Object({}, { additionalProperties: true, description: 'What a client needs to sign for this token' }),
  },
  closed,
)

const Resource = Type.Object(
  { url: Type.String(), description: Type.String(), mimeType: Type.String() },
  { ...closed, description: 'What is paid for' },
)

const SignInChallenge = Type.Object(
  {
    info: Type.Object(
      {
        domain: Type.String(),
        uri: Type.String(),
        version: Type.String(),
        nonce: Type.String(),
        issuedAt: Type.String(),
        expirationTime: Type.String(),
        statement: Type.String(),
      },
      { ...closed, description: 'The parts of a message to sign; any other nonce of one use is as good' },
    ),
    supportedChains: Type.Array(
      Type.Object({ chainId: Type.String(), type: StringEnum(['eip191', 'eip1271', 'ed25519']) }, closed),
    ),
  },
  closed,
)
export type SignInChallenge = Static<typeof SignInChallenge>

/** What x402 clients read, in the body and, as base64, in the header PAYMENT-REQUIRED. */
export const PaymentOffer = Type.Object(
  {
    x402Version: Type.Literal(2),
    error: Type.Optional(Type.String()),
    resource: Resource,
    accepts: Type.Array(PaymentOption, { description: 'Choose one, sign it, and send it as PAYMENT-SIGNATURE' }),
    extensions: Type.Optional(Type.Object({ 'sign-in-with-x': SignInChallenge }, closed)),
    authOptions: Type.Optional(
      Type.Object(
        {
          apiKey: Type.Object({ header: Type.String(), getKey: Type.String(), docs: Type.String() }, closed),
          x402Wallet: Type.Object(
            { header: Type.String(), legacyHeader: Type.String(), topUp: Type.String(), docs: Type.String() },
            closed,
          ),
        },
        { ...closed, description: 'The two ways to be let in' },
      ),
    ),
  },
  { $id: 'PaymentOffer', ...closed },
)
export type PaymentOffer = Static<typeof PaymentOffer>

/** A wallet has signed in, and has too little for what it asks. */
export const WalletPaymentRequired = Type.Object(
  {
    error: Type.Literal('Payment required'),
    code: Type.Literal('PAYMENT_REQUIRED'),
    reason: StringEnum(['insufficient_balance']),
    message: Type.String(),
    currentBalanceUsd: Usd('What the wallet has'),
    minimumBalanceUsd: Usd('What it must have to ask for anything'),
    suggestedTopUpUsd: Usd('A good amount'),
    minimumTopUpUsd: Usd('The smallest amount'),
    supportedTokens: Type.Array(Type.String()),
    supportedChains: Type.Array(Type.String()),
    topUpInstructions: Type.Object(
      {
        step1: Type.String(),
        step2: Type.String(),
        step3: Type.String(),
        receiverWallet: Type.String(),
        tokenAddress: Type.String(),
        tokenDecimals: Type.Integer(),
        network: Type.String(),
        minimumAmountUsd: Usd('The smallest amount'),
      },
      closed,
    ),
    siwxChallenge: SignInChallenge,
  },
  { $id: 'WalletPaymentRequired', ...closed },
)
export type WalletPaymentRequired = Static<typeof WalletPaymentRequired>

export const PaymentError = Type.Object(
  {
    error: Type.String({ description: 'X402_INVALID_PAYMENT, PAYMENT_VERIFICATION_FAILED, SETTLEMENT_PENDING, ...' }),
    message: Type.String({ description: 'The same for a person' }),
    details: Type.Optional(
      Type.Object(
        { reason: Type.Optional(Type.String()) },
        { additionalProperties: true, description: "In x402's words" },
      ),
    ),
  },
  { $id: 'PaymentError' },
)

const Success = Type.Literal(true)

export const TopUp = Type.Object(
  {
    success: Success,
    data: Type.Object(
      {
        walletAddress: Type.String({ description: 'Who paid; on EVM chains in lower case' }),
        amountCredited: Usd('What was paid in'),
        newBalance: Usd('What the wallet had right after that'),
        paymentId: Type.String(),
      },
      closed,
    ),
  },
  closed,
)
export type TopUp = Static<typeof TopUp>

export const WalletBalance = Type.Object(
  {
    success: Success,
    data: Type.Object(
      {
        walletAddress: Type.String(),
        balanceUsd: Usd('What can be spent now: credit, less what is held for requests that run'),
        canConsume: Type.Boolean({ description: 'Whether it is enough to ask for anything' }),
        minimumTopUpUsd: Usd('The smallest top-up'),
        suggestedTopUpUsd: Usd('A good amount'),
        diemBalanceUsd: Type.Optional(Usd('Diem of the linked account that is left today; it is spent first')),
      },
      closed,
    ),
  },
  closed,
)
export type WalletBalance = Static<typeof WalletBalance>

export const WalletTransactionsQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
  offset: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 }),
})

export const WalletTransactions = Type.Object(
  {
    success: Success,
    data: Type.Object(
      {
        walletAddress: Type.String(),
        currentBalance: Usd('Credit, with what is held for requests that run'),
        transactions: Type.Array(
          Type.Object(
            {
              id: Type.String(),
              amount: Usd('Positive for what came in'),
              balanceAfter: Usd('Credit after it'),
              type: StringEnum(['TOP_UP', 'CHARGE', 'REFUND']),
              createdAt: Type.String(),
              requestId: Nullable(Type.String({ description: 'The x-request-id of what was charged' })),
              modelId: Nullable(Type.String()),
            },
            closed,
          ),
          { description: 'Newest first' },
        ),
        pagination: Type.Object({ limit: Type.Integer(), offset: Type.Integer(), hasMore: Type.Boolean() }, closed),
      },
      closed,
    ),
  },
  closed,
)
export type WalletTransactions = Static<typeof WalletTransactions>

export const x402Schemas = [PaymentOffer, WalletPaymentRequired, PaymentError]
