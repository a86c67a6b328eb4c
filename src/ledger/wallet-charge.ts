import type { WalletCaller } from '#accounts/caller.js'
import type { Sql } from '#store/sql.js'
import { claimOf, findClaim } from './answers.js'
import { Charge, type ChargeOrder } from './charge.js'
import { noBalances, readBalances, spendable } from './credit/balances.js'
import { paymentRequired } from './refusal.js'

type Taken = Awaited<ReturnType<typeof Charge.take>>

type Needs = {
  sql: Sql
  take(order: ChargeOrder): Promise<Taken>
  /** What a wallet must have to ask for anything, in nano-USD. */
  minimum: () => bigint
  release(charge: Charge): Promise<void>
}

/**
 * Sets credit aside for a wallet. One that is linked to an account spends the diem of that account first, if it pays for
 * the whole request; then its own USD, of which there must be a little in any case.
 */
export const createWalletCharges = ({ sql, take, minimum, release }: Needs) => {
  const takeDiem = async (caller: WalletCaller, diemAccountId: string, order: ChargeOrder) => {
    const { accountId } = caller
    const balances = await readBalances(sql, [accountId, diemAccountId], order.beganAtMs)
    // Asked only now: if it was the first try that has just taken the diem, then its claim is there as well.
    const claimed = order.idempotency && (await findClaim(sql, payersOf(caller), claimOf(order.idempotency).keyHash))
    // A retry goes where the first try went, whatever is left there.
    if (claimed?.accountId === accountId) return undefined
    const of = (id: string) => spendable(balances.get(id) ?? noBalances)
    if (claimed === undefined && of(diemAccountId).diem < order.most.diem) return undefined
    const usd = of(accountId).usd
    const taken = await take({ ...order, accountId: diemAccountId, wallet: { pays: 'diem', usd } })
    if (taken instanceof Charge || taken.outcome === 'limited') return taken
    // What else the linked account has is not the wallet's to know.
    if (taken.outcome === 'replay') return { ...taken, before: { ...taken.before, usd } }
    // Somebody else has spent it in this very moment.
    return undefined
  }

  return async (caller: WalletCaller, order: ChargeOrder): Promise<Taken> => {
    const { diemAccountId } = caller
    const inDiem =
      diemAccountId === null || order.most.diem === 0n ? undefined : await takeDiem(caller, diemAccountId, order)
    if (inDiem) return inDiem
    const wallet = { pays: 'usd', minimum: minimum() } as const
    const taken = await take({ ...order, wallet })
    if (!(taken instanceof Charge) || taken.before.usd >= wallet.minimum) return taken
    await release(taken)
    throw paymentRequired(taken.before.usd)
  }
}

/** The accounts that may have paid for an earlier request of this caller. */
export const payersOf = (caller: { accountId: string; diemAccountId?: string | null }): string[] =>
  [caller.accountId, caller.diemAccountId].filter((id) => typeof id === 'string')
