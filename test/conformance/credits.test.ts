import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openWallet } from '#accounts/wallets/wallets.js'
import { grantCredit } from '#ledger/credit/grant.js'
import { assertBooks } from '../money.js'
import { createFolder, runTessera } from '../process.js'
import { startService } from '../service.js'

const service = await startService({ after })
const cwd = createFolder({ after })
const tessera = (...args: string[]) => runTessera(args, { cwd, env: { DATABASE_URL: service.database.url } })
const json = async (...args: string[]) => {
  const { code, stdout, stderr } = await tessera(...args, '--json')
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

test('credit is granted in USD or bundled credits, exactly, and listed newest first', async () => {
  const [usd] = await json('credits', 'grant', '--usd', '25.000000001', '--note', 'welcome')
  assert.deepEqual(
    [usd.amount, usd.currency, usd.kind, usd.note, usd.paid, usd.balance],
    ['25.000000001', 'USD', 'grant', 'welcome', true, { usd: '125.000000001', bundled: '0', diem: null }],
  )
  const { stdout } = await tessera('credits', 'grant', '--bundled', '0.5')
  assert.match(
    stdout,
    /^Granted 0\.5 BUNDLED_CREDITS to First account \(\S+\)\.\nIt can spend 125\.000000001 USD, 0\.5 bundled credits and 0 diem today\.\n$/,
  )
  const listed = await json('credits', 'list')
  assert.deepEqual(
    listed.map(({ amount, currency, note }: Record<string, unknown>) => [amount, currency, note]),
    [
      ['0.5', 'BUNDLED_CREDITS', null],
      ['25.000000001', 'USD', 'welcome'],
      ['100', 'USD', null],
    ],
  )
  assert.equal((await json('credits', 'list', '--limit', '1')).length, 1)
  assert.match((await tessera('credits', 'list')).stdout, /^id +kind +amount +currency/)
})

test('the account of a wallet is not one that a command may mean', async () => {
  await openWallet(service.sql, `0x${'1'.repeat(40)}`, Date.now())
  const [{ balance }] = await json('credits', 'grant', '--usd', '1')
  assert.equal(balance.usd, '126.000000001')
})

test('the same reference never pays twice, and says what it paid for', async () => {
  const grant = ['credits', 'grant', '--usd', '7', '--reference', 'invoice 17']
  const [first] = await json(...grant)
  const [second] = await json(...grant)
  assert.deepEqual([first.paid, second.paid, second.id, second.reference], [true, false, first.id, 'invoice 17'])
  assert.deepEqual(second.balance, first.balance)
  const { code, stdout } = await tessera(...grant)
  assert.equal(code, 0)
  assert.match(stdout, /^Nothing was paid: the reference invoice 17 has paid already, 7 USD to the account /)
})

test('a stake grants diem at once and is listed; 0 ends it', async () => {
  const [set] = await json('stake', 'set', '--diem', '10')
  assert.deepEqual([set.stake, set.balance.diem], ['10', '10'])
  const [listed] = await json('stake', 'list')
  assert.deepEqual([listed.account, listed.stake, listed.leftToday], [set.account, '10', '10'])
  assert.deepEqual(await json('stake', 'show', '--account', set.account), [listed])
  assert.equal((await json('accounts', 'list'))[0].diem, '10')
  assert.match((await tessera('stake', 'set', '--diem', '0')).stdout, /is granted 0 diem every UTC day/)
  assert.deepEqual(await json('stake', 'list'), [])
  assert.equal((await json('credits', 'list'))[0].kind, 'diem')
})

test('an amount that is none is refused in one sentence, and nothing is paid', async () => {
  const before = await json('credits', 'list')
  const refusals: [string[], RegExp][] = [
    [['credits', 'grant'], /^tessera: Say either --usd <amount> or --bundled <amount>\./],
    [['credits', 'grant', '--usd', '1', '--bundled', '1'], /Say either/],
    [['credits', 'grant', '--usd', '0'], /more than 0/],
    [['credits', 'grant', '--usd', '-5'], /--usd is '-5', but must be a plain number/],
    [['credits', 'grant', '--usd', '1e3'], /--usd is '1e3'/],
    [['credits', 'grant', '--bundled', '0.0000000001'], /at most 9 decimals/],
    [['credits', 'grant', '--usd', '1000000000'], /below 1,000,000,000/],
    [['credits', 'grant', '--usd', '5', '--reference', ''], /--reference must have 1 to 200 characters/],
    [['credits', 'grant', '--usd', '5', '--account', 'nobody'], /There is no account nobody\./],
    [['credits', 'list', '--limit', 'all'], /--limit is 'all'/],
    [['stake', 'set', '--diem', 'much'], /--diem is 'much'/],
  ]
  for (const [args, sentence] of refusals) {
    const { code, stderr } = await tessera(...args)
    assert.equal(code, 1, args.join(' '))
    assert.match(stderr, sentence)
  }
  assert.deepEqual(await json('credits', 'list'), before)
})

test('more than an account can have is refused, not a crash', async () => {
  const [{ id: accountId }] = await json('accounts', 'list')
  await grantCredit(service.sql, { accountId, amountNanos: 9n * 10n ** 18n, idempotencyKey: 'rich', nowMs: 0 })
  const { code, stderr } = await tessera('credits', 'grant', '--usd', '999999999')
  assert.equal(code, 1)
  assert.match(stderr, /^tessera: The account would have more than 9,223,372,036/)
  await assertBooks(service.sql)
})
