import type { WalletCaller } from '#accounts/caller.js'
import { findWallet, isKnownWallet, openWallet, type Wallet } from '#accounts/wallets/wallets.js'
import type { Clock } from '#plumbing/clock.js'
import type { Sql } from '#store/sql.js'

/** Somebody who has proved to be this wallet. The caller is null when it never had anything to do with us. */
export type Visitor = { address: string; caller: WalletCaller | null }

/** Lets wallets in that sign, without a key. Throws the precise reason why not. */
export type WalletDoor = (signInHeader: string) => Promise<Visitor>

type Needs = { signIn: (header: string) => Promise<{ address: string }>; sql: Sql; clock: Clock }

export const createWalletDoor =
  ({ signIn, sql, clock }: Needs): WalletDoor =>
  async (header) => {
    const { address } = await signIn(header)
    const wallet = await findWallet(sql, address)
    if (wallet !== undefined) return { address, caller: callerOf(wallet) }
    // Strangers get no account: anybody can make up any number of wallets.
    if (!(await isKnownWallet(sql, address))) return { address, caller: null }
    return { address, caller: callerOf(await openWallet(sql, address, clock.nowMs())) }
  }

const callerOf = ({ address, accountId, tier, diemAccountId }: Wallet): WalletCaller => ({
  ...{ kind: 'wallet', address, accountId, keyId: null, modelPrivacy: 'ALL', tier, diemAccountId },
})
