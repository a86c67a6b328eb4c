import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { noBalances, readBalances } from '#ledger/credit/balances.js'
import { migrate } from '#store/migrate.js'
import { createDatabase } from '#store/sql.js'
import { installFolder } from '../../src/config.js'
import { createTestDatabase } from '../database.js'
import { assertBooks } from '../money.js'
import { nanoLine, settleUsage } from '../usage.js'

const migrations = join(installFolder, 'migrations')

test('credit that was granted before there were holds is there, proven and spendable after the upgrade', async (test) => {
  const database = await createTestDatabase('template1')
  const { sql, close } = createDatabase(database.connection)
  const folder = mkdtempSync(join(tmpdir(), 'tessera-test-'))
  test.after(async () => {
    await close()
    await database.drop()
    rmSync(folder, { recursive: true, force: true })
  })
  mkdirSync(join(folder, 'before'))
  for (const name of ['0001-accounts-and-keys.sql', '0002-ledger.sql'])
    cpSync(join(migrations, name), join(folder, 'before', name))
  await migrate(sql, join(folder, 'before'))
  const [accountId, otherId] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002']
  await sql.script(`
    insert into account (id, name, created_at) values ('${accountId}', 'First account', now()), ('${otherId}', 'x', now());
    insert into ledger_transfer (id, idempotency_key, kind, created_at) values ('${accountId}', 'trial', 'grant', now());
    insert into ledger_account (owner, currency, kind, balance) values ('${accountId}', 'USD', 'credit', 100);
    update ledger_account set balance = -100 where owner is null;
    insert into ledger_entry select '${accountId}', id, balance from ledger_account;`)

  await migrate(sql, migrations)
  await assertBooks(sql)
  const balances = await readBalances(sql, [accountId, otherId], 0)
  assert.deepEqual(balances.get(accountId), { ...noBalances, usd: 100n })
  assert.deepEqual(balances.get(otherId), noBalances)
  await settleUsage(sql, { accountId, lines: [nanoLine('Output', 40n)], atMs: Date.now() })
  assert.equal((await readBalances(sql, [accountId], 0)).get(accountId)?.usd, 60n)
  await assertBooks(sql)
})
