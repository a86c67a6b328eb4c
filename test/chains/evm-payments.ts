import { randomUUID } from 'node:crypto'
import type { PaymentRequirements } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { type Hex, parseEther } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { createEvmRail } from '#payments/evm/create-evm-rail.js'
import type { EvmRailNeeds, EvmRailSettings } from '#payments/evm/settings.js'
import type { Attempt, Rail, RecordAttempt, SignedPayment } from '#payments/rail.js'
import { systemClock } from '#plumbing/clock.js'
import { createDatabase, type Sql } from '#store/sql.js'
import { createTestDatabase } from '../database.js'
import { startEvmNode } from './evm-node.js'

type Signs = { address: Hex; signTypedData(what: never): Promise<Hex> }

/** What the official client signs for these requirements: the inner payload. */
export const signPayment = async (account: Signs, requirements: object) => {
  const client = new ExactEvmScheme(account)
  return (await client.createPaymentPayload(2, requirements as PaymentRequirements)).payload as {
    signature: Hex
    authorization: Record<'from' | 'to' | 'value' | 'validAfter' | 'validBefore' | 'nonce', string>
  }
}

const transferTypes = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const
const cancelTypes = {
  CancelAuthorization: [
    { name: 'authorizer', type: 'address' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const
const domain = {
  name: 'USD Coin',
  version: '2',
  chainId: 8453,
  verifyingContract: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
} as const

type Authorization = { from: Hex; to: Hex; value: bigint; validAfter?: bigint; validBefore?: bigint; nonce?: Hex }

/** Signs what the official client would not: other times, or a nonce a second time. */
export const signAuthorization = async (account: PrivateKeyAccount, { from, to, value, ...rest }: Authorization) => {
  const {
    validAfter = 0n,
    validBefore = BigInt(Math.floor(Date.now() / 1000) + 300),
    nonce = generatePrivateKey(),
  } = rest
  const message = { from, to, value, validAfter, validBefore, nonce }
  const signature = await account.signTypedData({
    domain,
    types: transferTypes,
    primaryType: 'TransferWithAuthorization',
    message,
  })
  const text = { value: String(value), validAfter: String(validAfter), validBefore: String(validBefore) }
  return { signature, authorization: { ...message, ...text } }
}

export const signCancellation = (account: PrivateKeyAccount, nonce: Hex) =>
  account.signTypedData({
    domain,
    types: cancelTypes,
    primaryType: 'CancelAuthorization',
    message: { authorizer: account.address, nonce },
  })

/** Writes down payments and their transactions, as a payment's journal does, and nothing else of it. */
const createRecords = (sql: Sql) => {
  const ids = new Map<string, string>()
  const open = async ({ paymentKey, network, payer, amount }: SignedPayment) => {
    const id = ids.get(paymentKey) ?? randomUUID()
    if (ids.has(paymentKey)) return id
    ids.set(paymentKey, id)
    await sql`insert into x402_payment (id, fingerprint, payment_key, network, asset, payer, pay_to, amount, state,
      leased_until, created_at, changed_at) values (${id}, ${Buffer.from(id)}, ${paymentKey}, ${network}, '', ${payer}, '',
      ${amount}, 'verified', now(), now(), now())`
    return id
  }
  const recordOf =
    (payment: SignedPayment): RecordAttempt =>
    async ({ transaction, raw, feeNonce }, within = sql) => {
      await within`insert into x402_broadcast (network, tx_hash, payment_id, fee_nonce, raw, signed_at)
        values (${payment.network}, ${transaction}, ${ids.get(payment.paymentKey)}, ${feeNonce}, ${raw}, clock_timestamp())`
    }
  const attemptsOf = async (payment: SignedPayment): Promise<Attempt[]> => {
    const rows = await sql<{ tx_hash: string; raw: string; fee_nonce: bigint }>`
      select * from x402_broadcast where payment_id = ${ids.get(payment.paymentKey)} order by signed_at`
    return rows.map((row) => ({ transaction: row.tx_hash, raw: row.raw, feeNonce: row.fee_nonce }))
  }
  const giveUp = (payment: SignedPayment) =>
    sql`update x402_payment set state = 'refused' where id = ${ids.get(payment.paymentKey)}`
  return { open, recordOf, attemptsOf, giveUp }
}

/** A chain, a database, and rails between them. */
export const startEvmPayments = async (test: { after(work: () => Promise<void>): void }) => {
  const node = await startEvmNode(test)
  const files = await createTestDatabase()
  const database = createDatabase(files.connection)
  test.after(async () => {
    await database.close()
    await files.drop()
  })
  const { sql } = database
  const records = createRecords(sql)
  const feeWalletKey = generatePrivateKey()
  const feeWallet = privateKeyToAccount(feeWalletKey)
  const payTo = privateKeyToAccount(generatePrivateKey()).address
  await node.fund(feeWallet.address, parseEther('1'))

  const settings: EvmRailSettings = {
    rpcUrl: node.url,
    payTo,
    feeWalletKey,
    chainId: node.chainId,
    asset: node.usdc,
    tokenName: 'USD Coin',
    tokenVersion: '2',
    confirmations: 1,
    maxFeeGwei: '10',
    lowFeeBalance: '0.01',
    maxTimeoutSeconds: 300,
  }
  return {
    node,
    sql,
    payTo,
    feeWallet,
    settings,
    records,
    rail: (changes: Partial<EvmRailSettings> = {}, needs: Partial<EvmRailNeeds> = {}): Promise<Rail> =>
      createEvmRail({ ...settings, ...changes }, { sql, clock: systemClock, waitMs: 10_000, ...needs }),
    /** Somebody with a key and so much USDC. */
    payer: async (usdc = 100_000_000n) => {
      const account = privateKeyToAccount(generatePrivateKey())
      await node.mint(account.address, usdc)
      return account
    },
    /** A payment that somebody signed, read and written down; not yet sent. */
    signed: async (rail: Rail, account: Signs, amount = 5_000_000n) => {
      const payment = rail.read(await signPayment(account, rail.requirements(amount)!))
      await records.open(payment)
      return payment
    },
    read: async (rail: Rail, payload: object) => {
      const payment = rail.read(payload)
      await records.open(payment)
      return payment
    },
    settle: (rail: Rail, payment: SignedPayment) => rail.settle(payment, records.recordOf(payment)),
    look: async (rail: Rail, payment: SignedPayment) =>
      rail.look(payment, await records.attemptsOf(payment), records.recordOf(payment)),
  }
}
