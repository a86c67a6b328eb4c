import type { Command } from 'commander'
import { Option } from 'commander'
import { listAccounts } from '#accounts/accounts.js'
import { type ApiKey, activeKeysMax, createKey, listKeys, revokeKey } from '#accounts/api-keys.js'
import type { ApiKeyType } from '#contract/api-keys.js'
import { systemClock } from '#plumbing/clock.js'
import { OperatorError } from '#plumbing/operator-error.js'
import { chooseAccount } from './accounts.js'
import { jsonOption, print } from './output.js'
import { withDatabase } from './with-database.js'

export const keyCommands = (program: Command) => {
  const keys = program.command('keys').description('API keys of an account')

  keys
    .command('list')
    .description('list the active keys; secrets are never shown again')
    .option('--account <id>', 'whose keys; may be left out while there is one account')
    .option(...jsonOption)
    .action(({ account, json }: { account?: string; json?: boolean }) =>
      withDatabase(async (sql) => {
        const { id } = await chooseAccount(sql, account)
        const { keys } = await listKeys(sql, id, { limit: activeKeysMax, offset: 0 })
        print(keys.map(keyRow), json, 'This account has no keys. Make one: tessera keys create --description <text>')
      }),
    )

  keys
    .command('create')
    .description('make a key and show its secret, once')
    .requiredOption('--description <text>', 'what it is for, up to 64 characters')
    .addOption(new Option('--type <type>', 'what it may do').choices(['INFERENCE', 'ADMIN']).default('INFERENCE'))
    .option('--account <id>', 'for which account; may be left out while there is one')
    .option(...jsonOption)
    .action((options: { account?: string; type: ApiKeyType; description: string; json?: boolean }) =>
      withDatabase(async (sql) => {
        const { account, type, description, json } = options
        if (description.length > 64) throw new OperatorError('--description must be at most 64 characters.')
        const { id: accountId } = await chooseAccount(sql, account)
        const { key, secret } = await createKey(sql, { accountId, type, description }, systemClock.nowMs())
        if (json) print([{ ...keyRow(key), apiKey: secret }], json, '')
        else console.log(`${secret}\n\nThis is the only time it is shown. Id ${key.id}, type ${key.type}.`)
      }),
    )

  keys
    .command('revoke <id>')
    .description('end a key for good; it stops working everywhere within a second')
    .option(...jsonOption)
    .action((id: string, { json }: { json?: boolean }) =>
      withDatabase(async (sql) => {
        for (const account of await listAccounts(sql))
          if (await revokeKey(sql, account.id, id, systemClock.nowMs())) {
            if (json) print([{ id, revoked: true }], json, '')
            else console.log(`Revoked ${id}.`)
            return
          }
        throw new OperatorError(`There is no active key with the id ${id}.`, 'tessera keys list shows the ids.')
      }),
    )
}

const keyRow = ({ id, type, last6, description, expiresAt, lastUsedAt, createdAt }: ApiKey) => ({
  id,
  type,
  ends: `…${last6}`,
  description,
  created: createdAt,
  lastUsed: lastUsedAt,
  expires: expiresAt,
})
