import type { Command } from 'commander'
import { listSentTransactions } from '#capabilities/rpc/send-log.js'
import { OperatorError } from '#plumbing/operator-error.js'
import { jsonOption, print } from './output.js'
import { withDatabase } from './with-database.js'

type Wanted = { network?: string; account?: string; hash?: string; limit: string; json?: boolean }

export const rpcCommands = (program: Command) => {
  const rpc = program.command('rpc').description('calls of blockchain nodes')

  rpc
    .command('transactions')
    .description('list transactions that were sent through this service, newest first')
    .option('--network <name>', 'only on this network')
    .option('--account <id>', 'only of this account')
    .option('--hash <hash>', 'only with this hash or signature')
    .option('--limit <number>', 'how many', '50')
    .option(...jsonOption)
    .action(({ network, account: accountId, hash, limit, json }: Wanted) => {
      if (!/^[1-9]\d{0,5}$/.test(limit)) throw new OperatorError(`'${limit}' is no number of transactions.`, 'Try 50.')
      if (accountId !== undefined && !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(accountId))
        throw new OperatorError(`'${accountId}' is no id of an account.`, 'tessera accounts list shows them.')
      return withDatabase(async (sql) => {
        const rows = await listSentTransactions(sql, { network, accountId, hash, limit: Number(limit) })
        const shown = rows.map(({ at, ...row }) => ({ at: at.toISOString(), ...row }))
        print(shown, json, 'No transaction was sent yet.')
      })
    })
}
