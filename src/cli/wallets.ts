import type { Command } from 'commander'
import { familyOf, normalAddress } from '#accounts/wallets/address.js'
import { findWallet, linkWallet, listWallets, type Wallet } from '#accounts/wallets/wallets.js'
import { decimalFrom, decimalFromNanos } from '#catalog/prices.js'
import { noBalances, readBalances, spendableUsd } from '#ledger/credit/balances.js'
import { shownTransaction } from '#payments/rail.js'
import { decodeBase58 } from '#plumbing/base58.js'
import { systemClock } from '#plumbing/clock.js'
import { OperatorError } from '#plumbing/operator-error.js'
import type { Sql } from '#store/sql.js'
import { chooseAccount } from './accounts.js'
import { jsonOption, print } from './output.js'
import { withDatabase } from './with-database.js'

export const walletCommands = (program: Command) => {
  const wallets = program.command('wallets').description('wallets that pay with USDC instead of having a key')

  wallets
    .command('list')
    .description('list wallets with their credit, newest first')
    .option(...jsonOption)
    .action(({ json }: { json?: boolean }) =>
      withDatabase(async (sql) => {
        const rows = await walletRows(sql, await listWallets(sql))
        print(rows, json, 'No wallet has paid yet. Wallets need the section x402 in the config file.')
      }),
    )

  wallets
    .command('payments')
    .description('list payments, newest first; unfinished ones are those that are neither credited nor refused')
    .option('--wallet <address>', 'only of this wallet')
    .option('--unfinished', 'only those on which something is still to happen')
    .option(...jsonOption)
    .action(({ wallet, unfinished, json }: { wallet?: string; unfinished?: boolean; json?: boolean }) =>
      withDatabase(async (sql) =>
        print(await paymentRows(sql, wallet && readAddress(wallet), unfinished), json, 'There are no such payments.'),
      ),
    )

  wallets
    .command('link')
    .description("let a wallet spend an account's diem before its own credit")
    .argument('<wallet>', 'the address')
    .option('--account <id>', 'which account; may be left out while there is one')
    .option(...jsonOption)
    .action((wallet: string, { account, json }: { account?: string; json?: boolean }) =>
      withDatabase(async (sql) => {
        const { id, name } = await chooseAccount(sql, account)
        const linked = await linkWallet(sql, {
          address: readAddress(wallet),
          accountId: id,
          nowMs: systemClock.nowMs(),
        })
        if (json) print(await walletRows(sql, [linked]), json, '')
        else console.log(`The wallet ${linked.address} now spends the diem of ${name} (${id}) first.`)
      }),
    )

  wallets
    .command('unlink')
    .description('end that')
    .argument('<wallet>', 'the address')
    .option(...jsonOption)
    .action((wallet: string, { json }: { json?: boolean }) =>
      withDatabase(async (sql) => {
        const address = readAddress(wallet)
        // To link is a reason to make a wallet; to unlink is none.
        if ((await findWallet(sql, address)) === undefined)
          throw new OperatorError(`There is no wallet ${address} here.`, 'tessera wallets list shows them.')
        const unlinked = await linkWallet(sql, { address, accountId: null, nowMs: systemClock.nowMs() })
        if (json) print(await walletRows(sql, [unlinked]), json, '')
        else if (unlinked.diemAccountId === null) console.log(`The wallet ${address} spends only its own credit.`)
        else console.log(`The wallet ${address} still spends the diem of the account that was made with it.`)
      }),
    )
}

const readAddress = (text: string): string => {
  const isAddress = familyOf(text) === 'evm' || decodeBase58(text, 32) !== undefined
  if (!isAddress)
    throw new OperatorError(`'${text}' is not the address of a wallet.`, '0x and 40 hex digits, or a Solana address.')
  return normalAddress(text)
}

const walletRows = async (sql: Sql, wallets: readonly Wallet[]) => {
  const ids = wallets.map(({ accountId }) => accountId)
  const balances = await readBalances(sql, ids, systemClock.nowMs())
  return wallets.map(({ address, accountId, tier, diemAccountId }) => ({
    wallet: address,
    usd: decimalFromNanos(spendableUsd(balances.get(accountId) ?? noBalances)),
    tier,
    account: accountId,
    diemOf: diemAccountId,
  }))
}

type PaymentRow = {
  id: string
  payer: string
  network: string
  amount: bigint
  state: string
  reason: string | null
  tx_hash: string | null
  created_at: Date
}

const paymentsMax = 200

const paymentRows = async (sql: Sql, wallet: string | undefined, isUnfinished = false) => {
  const rows = await sql<PaymentRow>`
    select id, payer, network, amount, state::text, reason, tx_hash, created_at from x402_payment
    where (${wallet ?? null}::text is null or payer = ${wallet ?? null})
      and (not ${isUnfinished} or state not in ('credited', 'refused'))
    order by created_at desc limit ${paymentsMax}`
  return rows.map((row) => ({
    id: row.id,
    wallet: row.payer,
    network: row.network,
    usdc: decimalFrom(row.amount, 6),
    state: row.state,
    reason: row.reason,
    transaction: shownTransaction(row.tx_hash),
    created: row.created_at,
  }))
}
