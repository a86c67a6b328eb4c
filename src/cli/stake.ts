import type { Command } from 'commander'
import { decimalFromNanos } from '#catalog/prices.js'
import { noBalances, readBalances } from '#ledger/credit/balances.js'
import { listStakes, setStake } from '#ledger/credit/stake.js'
import { systemClock } from '#plumbing/clock.js'
import { chooseAccount } from './accounts.js'
import { balanceSentence, balanceText, readAmount, readBalanceText } from './amount.js'
import { jsonOption, print } from './output.js'
import { withDatabase } from './with-database.js'

export const stakeCommands = (program: Command) => {
  const stake = program.command('stake').description('diem that accounts are granted every UTC day')

  stake
    .command('set')
    .description('set what an account is granted every day; more counts at once, less from tomorrow on')
    .requiredOption('--diem <amount>', 'how many diem a day, such as 10; 0 ends it, and so does less than 0.1')
    .option('--account <id>', 'which account; may be left out while there is one')
    .option(...jsonOption)
    .action(({ account, diem, json }: { account?: string; diem: string; json?: boolean }) => {
      const amountNanos = readAmount('--diem', diem)
      return withDatabase(async (sql) => {
        const { id, name } = await chooseAccount(sql, account)
        await setStake(sql, { accountId: id, amountNanos, nowMs: systemClock.nowMs() })
        const balance = await readBalanceText(sql, id)
        const stake = decimalFromNanos(amountNanos)
        if (json) print([{ account: id, stake, balance }], json, '')
        else console.log(`${name} (${id}) is granted ${stake} diem every UTC day.\n${balanceSentence(balance)}`)
      })
    })

  stake
    .command('list')
    .alias('show')
    .description('list the accounts that are granted diem, and what is left of it today')
    .option('--account <id>', 'only this one')
    .option(...jsonOption)
    .action(({ account, json }: { account?: string; json?: boolean }) =>
      withDatabase(async (sql) => {
        const only = account === undefined ? undefined : (await chooseAccount(sql, account)).id
        const stakes = (await listStakes(sql)).filter(({ accountId }) => only === undefined || accountId === only)
        const ids = stakes.map(({ accountId }) => accountId)
        const balances = await readBalances(sql, ids, systemClock.nowMs())
        const rows = stakes.map(({ accountId, amountNanos, changedAt }) => ({
          account: accountId,
          stake: decimalFromNanos(amountNanos),
          leftToday: balanceText(balances.get(accountId) ?? noBalances).diem,
          changed: changedAt,
        }))
        print(rows, json, 'Nobody is granted diem. Begin: tessera stake set --diem <amount>')
      }),
    )
}
