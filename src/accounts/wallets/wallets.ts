import { randomUUID } from 'node:crypto'
import type { Sql } from '#store/sql.js'

/** A wallet that has credit here, or may spend the diem of an account. Addresses are in their normal spelling. */
export type Wallet = {
  address: string
  /** Its own: what it paid in lies there. */
  accountId: string
  tier: string
  /** Whose diem it spends first; null when it is linked to nobody. */
  diemAccountId: string | null
}

type WalletRow = { address: string; account_id: string; tier: string; diem_account_id: string | null }

const fromRow = (row: WalletRow): Wallet => ({
  address: row.address,
  accountId: row.account_id,
  tier: row.tier,
  diemAccountId: row.diem_account_id,
})

/** Every process forgets what it remembers of the wallet whose address is announced here. */
export const walletChanged = 'tessera_wallet_changed'

/** An account that was made with this wallet's signature is linked to it without further ado. */
export const findWallet = async (sql: Sql, address: string): Promise<Wallet | undefined> =>
  (await readWallets(sql, [address]))[0]

/** Whether it has paid, was linked, or has made an account with its signature: others may have been made up just now. */
export const isKnownWallet = async (sql: Sql, address: string): Promise<boolean> => {
  const found = await sql`
    select 1 from wallet where address = ${address} union all select 1 from account where wallet_address = ${address}`
  return found.length > 0
}

/** The wallet, with an account of its own that is made on first sight. */
export const openWallet = (sql: Sql, address: string, nowMs: number): Promise<Wallet> =>
  sql.transaction(async (sql) => {
    const found = await findWallet(sql, address)
    if (found) return found
    const accountId = randomUUID()
    await sql`insert into account (id, name, created_at) values (${accountId}, ${`Wallet ${address}`}, ${new Date(nowMs)})`
    const made = await sql`
      insert into wallet (address, account_id, created_at) values (${address}, ${accountId}, ${new Date(nowMs)})
      on conflict (address) do nothing returning address`
    // Somebody else was faster, and theirs is the one that counts.
    if (made.length === 0) await sql`delete from account where id = ${accountId}`
    else await sql`select pg_notify(${walletChanged}, ${address})`
    return (await findWallet(sql, address)) as Wallet
  })

/** Lets a wallet spend the diem of an account first, or, with null, no longer. */
export const linkWallet = (
  sql: Sql,
  { address, accountId, nowMs }: { address: string; accountId: string | null; nowMs: number },
): Promise<Wallet> =>
  sql.transaction(async (sql) => {
    await openWallet(sql, address, nowMs)
    await sql`update wallet set diem_account_id = ${accountId} where address = ${address}`
    await sql`select pg_notify(${walletChanged}, ${address})`
    return (await findWallet(sql, address)) as Wallet
  })

/** Newest first. */
export const listWallets = (sql: Sql): Promise<Wallet[]> => readWallets(sql, null)

/** All of them, or these. */
const readWallets = async (sql: Sql, addresses: readonly string[] | null): Promise<Wallet[]> =>
  (
    await sql<WalletRow>`
      select w.address, w.account_id, a.tier, coalesce(w.diem_account_id, own.id) diem_account_id
      from wallet w join account a on a.id = w.account_id left join account own on own.wallet_address = w.address
      where ${addresses}::text[] is null or w.address = any(${addresses}::text[])
      order by w.created_at desc, w.address`
  ).map(fromRow)
