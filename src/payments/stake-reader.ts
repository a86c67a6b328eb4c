import { decimalFrom, nanosFromDecimal } from '#catalog/prices.js'
import { setStake } from '#ledger/credit/stake.js'
import type { Clock } from '#plumbing/clock.js'
import type { Sql } from '#store/sql.js'

/** The contract in which wallets stake, and what a staked token is worth. */
export type StakeTerms = {
  /** Decimals of the token. */
  decimals: number
  /** Diem a day for each token. */
  diemPerToken: string
  intervalSeconds: number
}

export type StakeReader = {
  /** Reads every stake now and sets the grants that changed. Returns how many changed. */
  read(): Promise<number>
  start(): void
  stop(): Promise<void>
}

type Needs = {
  sql: Sql
  clock: Clock
  /** Undefined while there is nothing to read. */
  terms: () => StakeTerms | undefined
  /** What a wallet has staked, in base units of the token. */
  stakeOf: (address: string) => Promise<bigint>
  onTrouble: (error: unknown) => void
}

type LinkedRow = { account_id: string; addresses: string[]; amount: bigint | null }

/** One number for the lock that makes one process at a time read. */
const lockId = 4_021_402

/**
 * Sets the daily grant of diem to what the wallets of an account have staked: those that the operator linked to it, and
 * the one that it was made with unless that is linked to another, so that no stake counts twice. A chain that does not
 * answer changes nothing.
 */
export const createStakeReader = ({ sql, clock, terms, stakeOf, onTrouble }: Needs): StakeReader => {
  let timer: NodeJS.Timeout | undefined
  let underway: Promise<unknown> = Promise.resolve()
  let isStopping = false

  const readAll = async (sql: Sql, { decimals, diemPerToken }: StakeTerms) => {
    // Beside those who have wallets now, those who had some when their stake was read.
    const linked = await sql<LinkedRow>`
      select l.account_id, coalesce(array_agg(distinct l.address) filter (where l.address like '0x%'), '{}') addresses,
             max(s.amount) amount
      from (select diem_account_id account_id, address from wallet where diem_account_id is not null
            union select a.id, a.wallet_address from account a left join wallet w on w.address = a.wallet_address
                  where a.wallet_address is not null and w.diem_account_id is null
            union select account_id, null from diem_stake where is_from_chain and amount > 0) l
      left join diem_stake s on s.account_id = l.account_id
      group by l.account_id having bool_or(l.address like '0x%') or bool_or(s.is_from_chain)
      order by l.account_id`
    let changed = 0
    for (const { account_id: accountId, addresses, amount } of linked) {
      if (isStopping) break
      try {
        const amountNanos = diemOf(await stakeOfAll(addresses), decimals, diemPerToken)
        if (amountNanos === (amount ?? 0n)) continue
        await setStake(sql, { accountId, amountNanos, nowMs: clock.nowMs(), isFromChain: true })
        changed++
      } catch (error) {
        // What is odd about one account is no reason to leave the others as they are.
        if (!(error instanceof RangeError)) throw error
        onTrouble(new Error(`account ${accountId}: ${error.message}`))
      }
    }
    return changed
  }

  const stakeOfAll = async (addresses: readonly string[]) =>
    (await Promise.all(addresses.map(stakeOf))).reduce((sum, stake) => sum + stake, 0n)

  const read = async () => {
    const now = terms()
    if (now === undefined) return 0
    return sql.transaction(async (locked) => {
      const { mine } = await locked.one<{ mine: boolean }>`select pg_try_advisory_xact_lock(${lockId}) mine`
      // Each grant is a transaction of its own: the chain takes its time, and nobody should wait for it.
      return mine ? readAll(sql, now) : 0
    })
  }

  const tick = () => {
    underway = read()
      .catch(onTrouble)
      .finally(() => {
        if (!isStopping) timer = setTimeout(tick, (terms()?.intervalSeconds ?? 60) * 1000).unref()
      })
  }

  return {
    read,
    start: tick,
    async stop() {
      isStopping = true
      clearTimeout(timer)
      await underway
    },
  }
}

/** Staked tokens times diem per token, exactly, and downwards. */
export const diemOf = (stake: bigint, decimals: number, diemPerToken: string): bigint => {
  const nanos = (stake * nanosFromDecimal(diemPerToken)) / 10n ** BigInt(decimals)
  // More than the ledger can hold is a mistake in the contract or in the config, not a grant.
  if (nanos > 1_000_000_000n * 1_000_000_000n) throw new RangeError(`a stake of ${decimalFrom(nanos, 9)} diem a day`)
  return nanos
}
