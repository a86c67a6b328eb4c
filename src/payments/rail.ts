import type { Sql } from '#store/sql.js'

/** What a payer may choose, as x402 says it: one entry of `accepts`. */
export type Requirements = {
  scheme: 'exact'
  /** CAIP-2, such as `eip155:8453`. */
  network: string
  /** In base units of the token. */
  amount: string
  asset: string
  payTo: string
  maxTimeoutSeconds: number
  extra: Record<string, unknown>
}

/** What a payer signed, taken from the signed bytes alone: whatever else a client says about it is not believed. */
export type SignedPayment = {
  network: string
  /** Names the transfer that was signed. No two transactions can both move money for it. */
  paymentKey: string
  /** An address of an EVM chain in lower case; of Solana as it is. */
  payer: string
  /** In base units of the token. */
  amount: bigint
  /** After this the chain refuses it; null where time is not counted in seconds. */
  validUntilMs: number | null
  /** The inner `payload`, as the facilitator takes it. */
  payload: Record<string, unknown>
}

/** `reason` is one of x402's own words, such as `invalid_exact_evm_signature`; `says` is for a person. */
export type Verdict = { isGood: true } | { isGood: false; reason: string; says: string }

/**
 * What became of a payment. `failed` means that no money has moved and that none ever will by what was sent; whoever is
 * not sure of that says `pending`, and is asked again later.
 */
export type Outcome =
  | { state: 'settled'; transaction: string }
  | { state: 'failed'; reason: string; says: string }
  | { state: 'pending' }

/** A transaction that was signed by the fee wallet and may be on its way. */
export type Attempt = { transaction: string; raw: string; feeNonce: bigint | null }

/** Writes an attempt down, for good, before it is sent. Inside a transaction of the database when one is given. */
export type RecordAttempt = (attempt: Attempt, sql?: Sql) => Promise<void>

/** The purse that pays the chain's fees. */
export type FeeWallet = { address: string; balance: string; unit: string; isLow: boolean }

/** One chain on which we take USDC. */
export type Rail = {
  network: string
  /** The name of the chain in the first version of x402, such as `base`. */
  shortName: string
  /** What is told to payers, for this amount; undefined while nothing can be paid here. */
  requirements(amount: bigint): Requirements | undefined
  /** Throws a `Failure` when this is nothing that could ever be settled here: wrong token, recipient, chain, shape. */
  read(payload: unknown): SignedPayment
  /** Asks the chain whether it would take it now. Throws when the chain cannot be asked. */
  verify(payment: SignedPayment): Promise<Verdict>
  /** Sends it and waits for a while. Every transaction is recorded before it is sent. */
  settle(payment: SignedPayment, record: RecordAttempt): Promise<Outcome>
  /**
   * Finds out what became of a payment that may have been sent, and sends again what the chain has forgotten. Also finds
   * money that came by a transaction which is not ours.
   */
  look(payment: SignedPayment, attempts: readonly Attempt[], record: RecordAttempt): Promise<Outcome>
  /** Undefined where somebody else pays the fees. */
  feeWallet(): Promise<FeeWallet | undefined>
  /**
   * What must be there before anybody can pay, such as a token account; tried again until it succeeds. Throws an
   * `OperatorError` when it is certain that no payment can arrive.
   */
  prepare(): Promise<void>
}

const unknownPrefix = 'unknown:'

/** Stands for a transaction that somebody else signs and sends, and whose hash we are not told before. */
export const unknownTransaction = (name: string): string => `${unknownPrefix}${name}`

/** The hash, for those outside; null while it is not known. */
export const shownTransaction = (transaction: string | null): string | null =>
  transaction?.startsWith(unknownPrefix) ? null : transaction
