import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createAccount } from '#accounts/accounts.js'
import { createDatabase } from '#store/sql.js'
import { createTestDatabase } from '../../test/database.js'
import { auditLedger } from './audit.js'
import { grantUsd, usdBalanceNanos } from './grant.js'

const database = await createTestDatabase()
const { sql, close } = createDatabase(database.connection)
after(async () => {
  await close()
  await database.drop()
})

test('a reason pays once, however often and from however many sides it is told', async () => {
  const { id: accountId } = await createAccount(sql, { name: 'x', nowMs: 0 })
  const grant = (idempotencyKey: string) => grantUsd(sql, { accountId, amountNanos: 5n, idempotencyKey, nowMs: 0 })
  const paid = await Promise.all(Array.from({ length: 20 }, (_, index) => grant(`reason ${index % 2}`)))
  assert.equal(paid.filter(Boolean).length, 2)
  assert.equal(await usdBalanceNanos(sql, accountId), 10n)
  assert.ok((await auditLedger(sql)).every(({ problems }) => problems === 0))
})

test('the audit finds a transfer that does not sum to zero', async (test) => {
  await sql`insert into ledger_transfer (id, idempotency_key, kind, created_at)
            values ('00000000-0000-4000-8000-000000000000', 'half', 'grant', now())`
  test.after(() => sql`delete from ledger_transfer where idempotency_key = 'half'`)
  const [sums] = await auditLedger(sql)
  assert.deepEqual([sums?.problems, sums?.detail], [1, '00000000-0000-4000-8000-000000000000'])
})

test('a balance cannot go below zero, whatever code asks for it', async () => {
  const { id } = await createAccount(sql, { name: 'y', nowMs: 0 })
  await assert.rejects(
    sql`insert into ledger_account (owner, currency, kind, balance) values (${id}, 'USD', 'credit', -1)`,
    /no_overdraft/,
  )
})
