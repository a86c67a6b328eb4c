import type { Command } from 'commander'
import { type Account, createAccount, findAccount, listAccounts, listOwnAccounts, setTier } from '#accounts/accounts.js'
import { noBalances, readBalances } from '#ledger/credit/balances.js'
import { systemClock } from '#plumbing/clock.js'
import { OperatorError } from '#plumbing/operator-error.js'
import type { Sql } from '#store/sql.js'
import { balanceText } from './amount.js'
import { jsonOption, print } from './output.js'
import { withDatabase } from './with-database.js'

export const accountCommands = (program: Command) => {
  const accounts = program.command('accounts').description('accounts own keys and credit')

  accounts
    .command('list')
    .description('list all accounts with their credit')
    .option(...jsonOption)
    .action(({ json }: { json?: boolean }) =>
      withDatabase(async (sql) => {
        const rows = await accountRows(sql, await listAccounts(sql))
        print(rows, json, 'There are no accounts yet; the first start of the service makes one.')
      }),
    )

  accounts
    .command('create')
    .description('make an account, without credit or keys')
    .requiredOption('--name <text>', 'what to call it')
    .option(...jsonOption)
    .action(({ name, json }: { name: string; json?: boolean }) =>
      withDatabase(async (sql) => {
        const account = await createAccount(sql, { name, nowMs: systemClock.nowMs() })
        if (json) print(await accountRows(sql, [account]), json, '')
        else
          console.log(
            `Made the account ${account.id}.\nGive it a key: tessera keys create --account ${account.id} --description <text>`,
          )
      }),
    )

  tierCommand(accounts)
}

const tierCommand = (accounts: Command) => {
  accounts
    .command('tier')
    .description('move an account to a tier of rate limits; every process follows at once')
    .argument('<account>', 'the id of the account; tessera accounts list shows it')
    .argument('<tier>', 'paid, partner, or a tier of the config file')
    .option(...jsonOption)
    .action((id: string, tier: string, { json }: { json?: boolean }) =>
      withDatabase(async (sql, settings) => {
        const { readOffer } = await import('../service/offer.js')
        const tiers = Object.keys((await readOffer(settings, systemClock)).catalog.limits().tiers)
        if (!tiers.includes(tier))
          throw new OperatorError(
            `There is no tier '${tier}'.`,
            `There are: ${tiers.join(', ')}. Add one under limits.tiers in the config file.`,
          )
        const account = await setTier(sql, (await chooseAccount(sql, id)).id, tier)
        if (json) print(await accountRows(sql, account ? [account] : []), json, '')
        else console.log(`The account ${id} is now on the tier ${tier}.`)
      }),
    )
}

const accountRows = async (sql: Sql, accounts: Account[]) => {
  const ids = accounts.map(({ id }) => id)
  const balances = await readBalances(sql, ids, systemClock.nowMs())
  return accounts.map(({ id, name, tier, walletAddress, createdAt }) => ({
    id,
    name,
    tier,
    ...balanceText(balances.get(id) ?? noBalances),
    wallet: walletAddress,
    created: createdAt,
  }))
}

/** The account a command is about: the one named, or the only one there is. */
export const chooseAccount = async (sql: Sql, id: string | undefined): Promise<Account> => {
  if (id !== undefined) {
    const account = await findAccount(sql, id)
    if (!account) throw new OperatorError(`There is no account ${id}.`, 'tessera accounts list shows them.')
    return account
  }
  const [only, ...others] = await listOwnAccounts(sql)
  if (!only)
    throw new OperatorError(
      'There are no accounts yet.',
      'Start the service once, or: tessera accounts create --name <text>',
    )
  if (others.length > 0)
    throw new OperatorError(
      'There are several accounts.',
      'Say which one with --account <id>; tessera accounts list shows them.',
    )
  return only
}
