import { randomUUID } from 'node:crypto'
import type { Row, Sql } from '#store/sql.js'

export type Account = { id: string; name: string; tier: string; walletAddress: string | null; createdAt: Date }

type AccountRow = Row & { id: string; name: string; tier: string; wallet_address: string | null; created_at: Date }

const fromRow = (row: AccountRow): Account => ({
  id: row.id,
  name: row.name,
  tier: row.tier,
  walletAddress: row.wallet_address,
  createdAt: row.created_at,
})

export const createAccount = async (sql: Sql, { name, nowMs }: { name: string; nowMs: number }): Promise<Account> =>
  fromRow(
    await sql.one<AccountRow>`
      insert into account (id, name, created_at) values (${randomUUID()}, ${name}, ${new Date(nowMs)}) returning *`,
  )

export const listAccounts = async (sql: Sql): Promise<Account[]> =>
  (await sql<AccountRow>`select * from account order by created_at, id`).map(fromRow)

/** Those that an operator thinks of: without the accounts that wallets have for what they paid in. */
export const listOwnAccounts = async (sql: Sql): Promise<Account[]> =>
  (
    await sql<AccountRow>`
      select * from account a where not exists (select from wallet w where w.account_id = a.id)
      order by created_at, id`
  ).map(fromRow)

export const findAccount = async (sql: Sql, id: string): Promise<Account | undefined> => {
  const row = await sql.maybeOne<AccountRow>`select * from account where id::text = ${id}`
  return row && fromRow(row)
}

/** Every process forgets what it remembers of the account whose id is announced here. */
export const accountChanged = 'tessera_account_changed'

/** Moves an account to another tier of limits, in every process at once. */
export const setTier = (sql: Sql, id: string, tier: string): Promise<Account | undefined> =>
  sql.transaction(async (sql) => {
    const row = await sql.maybeOne<AccountRow>`update account set tier = ${tier} where id::text = ${id} returning *`
    if (row) await sql`select pg_notify(${accountChanged}, ${row.id})`
    return row && fromRow(row)
  })

/** The account of a wallet; made on first sight. */
export const accountOfWallet = async (sql: Sql, address: string, nowMs: number): Promise<Account> =>
  fromRow(
    await sql.one<AccountRow>`
      insert into account (id, name, wallet_address, created_at)
      values (${randomUUID()}, ${`Wallet ${address}`}, ${address}, ${new Date(nowMs)})
      on conflict (wallet_address) do update set wallet_address = excluded.wallet_address
      returning *`,
  )
