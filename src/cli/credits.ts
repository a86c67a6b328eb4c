import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import { decimalFromNanos } from '#catalog/prices.js'
import { type Credit, findCredit, listCredits } from '#ledger/credit/credits.js'
import { type Grant, grantCredit } from '#ledger/credit/grant.js'
import { systemClock } from '#plumbing/clock.js'
import { OperatorError } from '#plumbing/operator-error.js'
import type { Sql } from '#store/sql.js'
import { chooseAccount } from './accounts.js'
import { balanceSentence, readAmount, readBalanceText } from './amount.js'
import { jsonOption, print } from './output.js'
import { withDatabase } from './with-database.js'

const textMax = 200

type GrantOptions = {
  account?: string
  usd?: string
  bundled?: string
  note?: string
  reference?: string
  json?: boolean
}

export const creditCommands = (program: Command) => {
  const credits = program.command('credits').description('credit of an account: give some, and see what was given')

  credits
    .command('grant')
    .description('give an account USD or bundled credits')
    .option('--usd <amount>', 'how many USD, such as 25 or 0.5')
    .option('--bundled <amount>', 'or how many bundled credits; they are worth the same and are spent first')
    .option('--account <id>', 'to which account; may be left out while there is one')
    .option('--note <text>', `what it is for, up to ${textMax} characters`)
    .option('--reference <text>', 'an invoice or payment; the same reference never pays twice')
    .option(...jsonOption)
    .action((options: GrantOptions) => grant(options))

  credits
    .command('list')
    .description('list what an account was given, newest first')
    .option('--account <id>', 'which account; may be left out while there is one')
    .option('--limit <number>', 'how many at most', '50')
    .option(...jsonOption)
    .action(({ account, limit, json }: { account?: string; limit: string; json?: boolean }) => {
      if (!/^[1-9]\d{0,4}$/.test(limit))
        throw new OperatorError(`--limit is '${limit}', but must be a whole number from 1 to 99999.`)
      return withDatabase(async (sql) => {
        const { id } = await chooseAccount(sql, account)
        const rows = (await listCredits(sql, id, { limit: Number(limit) })).map(creditRow)
        print(rows, json, 'This account was given nothing yet. Give it some: tessera credits grant --usd <amount>')
      })
    })
}

const grant = ({ account, usd, bundled, note, reference, json }: GrantOptions) => {
  const amount = chooseAmount(usd, bundled)
  checkText('--note', note)
  checkText('--reference', reference)
  return withDatabase(async (sql) => {
    const { id, name } = await chooseAccount(sql, account)
    const idempotencyKey = `${operatorPrefix}${reference ?? randomUUID()}`
    const isPaid = await pay(sql, {
      ...amount,
      accountId: id,
      idempotencyKey,
      nowMs: systemClock.nowMs(),
      ...(note !== undefined && { note }),
    })
    const credit = await findCredit(sql, idempotencyKey)
    if (!credit) throw new Error('a grant that was made is not there')
    const balance = await readBalanceText(sql, credit.accountId)
    const row = creditRow(credit)
    if (json) print([{ ...row, account: credit.accountId, paid: isPaid, balance }], json, '')
    else if (isPaid)
      console.log(`Granted ${row.amount} ${row.currency} to ${name} (${id}).\n${balanceSentence(balance)}`)
    else
      console.log(
        `Nothing was paid: the reference ${reference} has paid already, ${row.amount} ${row.currency} to the account ` +
          `${credit.accountId} on ${credit.createdAt.toISOString()}.\n${balanceSentence(balance)}`,
      )
  })
}

/** Keeps what an operator may choose apart from the reasons of the service itself, such as the diem of a day. */
const operatorPrefix = 'operator:'

const chooseAmount = (
  usd: string | undefined,
  bundled: string | undefined,
): Pick<Grant, 'currency' | 'amountNanos'> => {
  if ((usd === undefined) === (bundled === undefined))
    throw new OperatorError('Say either --usd <amount> or --bundled <amount>.', 'For both, grant twice.')
  const amountNanos = usd === undefined ? readAmount('--bundled', bundled ?? '') : readAmount('--usd', usd)
  if (amountNanos === 0n) throw new OperatorError('The amount must be more than 0.')
  return { currency: usd === undefined ? 'BUNDLED_CREDITS' : 'USD', amountNanos }
}

const checkText = (option: string, text: string | undefined) => {
  if (text !== undefined && (text.trim() === '' || text.length > textMax))
    throw new OperatorError(`${option} must have 1 to ${textMax} characters.`)
}

const pay = async (sql: Sql, grant: Grant): Promise<boolean> => {
  try {
    return await grantCredit(sql, grant)
  } catch (error) {
    if ((error as { code?: string }).code !== numberOutOfRange) throw error
    throw new OperatorError('The account would have more than 9,223,372,036, which is the most it can have.')
  }
}

const numberOutOfRange = '22003'

const creditRow = ({ id, kind, currency, amountNanos, idempotencyKey, note, createdAt }: Credit) => ({
  id,
  kind,
  amount: decimalFromNanos(amountNanos),
  currency,
  created: createdAt,
  reference: idempotencyKey.startsWith(operatorPrefix) ? idempotencyKey.slice(operatorPrefix.length) : null,
  note,
})
