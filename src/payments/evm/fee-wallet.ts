import { type Hex, keccak256, parseTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { OperatorError } from '#plumbing/operator-error.js'
import type { Sql } from '#store/sql.js'
import type { Attempt, RecordAttempt } from '../rail.js'
import type { Chain } from './chain.js'
import { Unpayable } from './reasons.js'

type Needs = { chain: Chain; sql: Sql; network: string; chainId: number; key: Hex; maxFeeWei: bigint }
type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }
type Call = { to: Hex; data: Hex; gasMax: bigint }

export type FeeWallet = ReturnType<typeof createFeeWallet>

/** Says nothing of the key, not even of a wrong one. */
const accountOf = (key: Hex) => {
  try {
    return privateKeyToAccount(key)
  } catch {
    throw new OperatorError('the key of the fee wallet is no private key', 'Give 32 bytes in hexadecimal.')
  }
}

const larger = (a: bigint, b: bigint) => (a > b ? a : b)
const smaller = (a: bigint, b: bigint) => (a < b ? a : b)

// Nodes take another transaction with the same nonce when it pays a tenth more.
const raised = (fee: bigint) => fee + fee / 8n + 1n
const raisedFees = (now: Fees, before: { [fee in keyof Fees]?: bigint | undefined }): Fees => ({
  maxFeePerGas: larger(now.maxFeePerGas, raised(before.maxFeePerGas ?? 0n)),
  maxPriorityFeePerGas: larger(now.maxPriorityFeePerGas, raised(before.maxPriorityFeePerGas ?? 0n)),
})

// As many as a node holds of one sender that wait for an earlier one.
const unblockedMax = 64n

/**
 * The wallet that pays for transactions. Many processes may use its key: they take its nonces from the database, where a
 * nonce is taken and its transaction written down together, so that whatever happens there is something to send for it.
 */
export const createFeeWallet = ({ chain, sql, network, chainId, key, maxFeeWei }: Needs) => {
  const account = accountOf(key)
  const { address } = account

  /** Good until the base fee has doubled. */
  const currentFees = async (): Promise<Fees> => {
    const [{ baseFee }, tip] = await Promise.all([chain.head(), chain.tip()])
    if (baseFee + tip > maxFeeWei) throw new Unpayable('fee_too_high')
    return { maxFeePerGas: smaller(baseFee * 2n + tip, maxFeeWei), maxPriorityFeePerGas: tip }
  }

  const sign = async (nonce: bigint, { to, data, gas }: { to: Hex; data?: Hex; gas: bigint }, fees: Fees) => {
    const what = { type: 'eip1559', chainId, nonce: Number(nonce), to, gas, ...fees } as const
    const raw = await account.signTransaction(data === undefined ? what : { ...what, data })
    return { transaction: keccak256(raw), raw, feeNonce: nonce } satisfies Attempt
  }

  /** The chain's count is only ahead when the key was used elsewhere. The row stays locked until the nonce is spoken for. */
  const takeNonce = async (sql: Sql, count: bigint): Promise<bigint> => {
    const { nonce } = await sql.one<{ nonce: bigint }>`
      insert into fee_wallet as w (network, address, next_nonce) values (${network}, ${address}, ${count}::bigint + 1)
      on conflict (network, address) do update set next_nonce = greatest(w.next_nonce, ${count}::bigint) + 1
      returning next_nonce - 1 nonce`
    return nonce
  }

  /** Throws when nothing was sent. What the node does with it afterwards is found out by looking for it. */
  const submit = async ({ to, data, gasMax }: Call, record: RecordAttempt) => {
    const [gasNeeded, fees, count, balance] = await Promise.all([
      chain.gasFor({ from: address, to, data }),
      currentFees(),
      chain.countOf(address, 'pending'),
      chain.balanceOf(address),
    ])
    if (gasNeeded > gasMax) throw new Unpayable('gas_too_high')
    const gas = gasNeeded + (gasNeeded * 3n) / 10n
    if (balance < gas * fees.maxFeePerGas) throw new Unpayable('fee_wallet_empty')
    const attempt = await sql.transaction(async (sql) => {
      const signed = await sign(await takeNonce(sql, count), { to, data, gas }, fees)
      await record(signed, sql)
      return signed
    })
    const isAccepted = await chain.send(attempt.raw).catch(() => false)
    return { ...attempt, isAccepted }
  }

  /** Fills a nonce with a transaction that does nothing; in place of this one, if the node has it. */
  const sendEmpty = async (nonce: bigint, inPlaceOf?: string) => {
    const nothing = { to: address, gas: 21_000n }
    const fees = await currentFees()
    if (await chain.send((await sign(nonce, nothing, fees)).raw)) return
    const higher = raisedFees(fees, inPlaceOf === undefined ? fees : parseTransaction(inPlaceOf as Hex))
    if (higher.maxFeePerGas <= maxFeeWei) await chain.send((await sign(nonce, nothing, higher)).raw)
  }

  /**
   * The chain takes nonces one after the other. Sends again what it misses before this one; a nonce whose payment is over
   * without it, or that nothing is known of, is filled with an empty transaction. Returns the nonce that it takes next.
   */
  const unblock = async (upTo: bigint): Promise<bigint> => {
    const next = await chain.countOf(address, 'latest')
    if (next >= upTo) return next
    // A nonce that was never given away is none of a payment that waits: that one had another fee wallet before.
    const given = await sql.maybeOne<{ next_nonce: bigint }>`
      select next_nonce from fee_wallet where network = ${network} and address = ${address}`
    const before = smaller(upTo, given?.next_nonce ?? 0n)
    const rows = await sql<{ fee_nonce: bigint; raw: string; is_over: boolean }>`
      select distinct on (b.fee_nonce) b.fee_nonce, b.raw, p.state in ('refused', 'settled', 'credited') is_over
      from x402_broadcast b join x402_payment p on p.id = b.payment_id
      where b.network = ${network} and b.fee_nonce >= ${next} and b.fee_nonce < ${before}
      order by b.fee_nonce, is_over, b.signed_at desc`
    const known = new Map(rows.map((row) => [row.fee_nonce, row]))
    for (let nonce = next; nonce < smaller(before, next + unblockedMax); nonce++) {
      const row = known.get(nonce)
      if (row !== undefined && !row.is_over) await chain.send(row.raw)
      else await sendEmpty(nonce, row?.raw)
    }
    return next
  }

  /** Signs it again with higher fees, if it may cost so much. Only one of the two can ever be mined. */
  const outbid = async (attempt: Attempt, record: RecordAttempt) => {
    const { to, data, gas, ...before } = parseTransaction(attempt.raw as Hex)
    const fees = raisedFees(await currentFees(), before)
    if (fees.maxFeePerGas > maxFeeWei || attempt.feeNonce === null || !to || !data || gas === undefined) return
    const replacement = await sign(attempt.feeNonce, { to, data, gas }, fees)
    await record(replacement)
    await chain.send(replacement.raw)
  }

  return { address, submit, unblock, outbid, balance: () => chain.balanceOf(address) }
}
