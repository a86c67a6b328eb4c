import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createAccount } from '#accounts/accounts.js'
import { createDatabase } from '#store/sql.js'
import { createTestDatabase } from '../../../test/database.js'
import { findCredit, listCredits } from './credits.js'
import { grantCredit } from './grant.js'
import { setStake } from './stake.js'

const database = await createTestDatabase()
const { sql, close } = createDatabase(database.connection)
after(async () => {
  await close()
  await database.drop()
})

test('credit is listed newest first, with its reason, for one account only', async () => {
  const { id: accountId } = await createAccount(sql, { name: 'x', nowMs: 0 })
  const { id: otherId } = await createAccount(sql, { name: 'y', nowMs: 0 })
  await grantCredit(sql, { accountId, amountNanos: 5n, idempotencyKey: 'a', note: 'welcome', nowMs: 1_000 })
  await grantCredit(sql, { accountId: otherId, amountNanos: 6n, idempotencyKey: 'b', nowMs: 2_000 })
  await grantCredit(sql, { accountId, currency: 'BUNDLED_CREDITS', amountNanos: 7n, idempotencyKey: 'c', nowMs: 3_000 })
  await setStake(sql, { accountId, amountNanos: 2_000_000_000n, nowMs: 4_000 })
  const credits = await listCredits(sql, accountId, { limit: 10 })
  assert.deepEqual(
    credits.map(({ kind, currency, amountNanos, note, createdAt }) => [
      kind,
      currency,
      amountNanos,
      note,
      createdAt.getTime(),
    ]),
    [
      ['diem', 'DIEM', 2_000_000_000n, null, 4_000],
      ['grant', 'BUNDLED_CREDITS', 7n, null, 3_000],
      ['grant', 'USD', 5n, 'welcome', 1_000],
    ],
  )
  assert.deepEqual(await listCredits(sql, accountId, { limit: 1 }), credits.slice(0, 1))
  assert.deepEqual(await findCredit(sql, 'a'), credits[2])
  assert.equal(await findCredit(sql, 'never'), undefined)
})

test('a database with grants of the version before learns their currency and amount', async () => {
  const { readFile } = await import('node:fs/promises')
  const { join } = await import('node:path')
  const { installFolder } = await import('../../config.js')
  await sql.script('drop schema public cascade; create schema public')
  const run = async (name: string) => sql.script(await readFile(join(installFolder, 'migrations', name), 'utf8'))
  await run('0001-accounts-and-keys.sql')
  await run('0002-ledger.sql')
  const { id } = await createAccount(sql, { name: 'x', nowMs: 0 })
  await sql.script(`
    insert into ledger_account (owner, currency, kind, balance) values ('${id}', 'USD', 'credit', 5);
    insert into ledger_transfer values ('${id}', 'trial', 'grant', now());
    insert into ledger_entry select '${id}', id, case when owner is null then -5 else 5 end from ledger_account`)
  await run('0003-metering.sql')
  await run('0004-ledger-functions.sql')
  assert.deepEqual(
    (await listCredits(sql, id, { limit: 10 })).map(({ currency, amountNanos }) => [currency, amountNanos]),
    [['USD', 5n]],
  )
})
