import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createAccount } from '#accounts/accounts.js'
import { createDatabase } from '#store/sql.js'
import { createTestDatabase } from '../../../test/database.js'
import { auditLedger } from '../audit/audit.js'
import { readBalances } from './balances.js'
import { grantCredit } from './grant.js'

const database = await createTestDatabase()
const { sql, close } = createDatabase(database.connection)
after(async () => {
  await close()
  await database.drop()
})

test('a reason pays once, however often and from however many sides it is told', async () => {
  const { id: accountId } = await createAccount(sql, { name: 'x', nowMs: 0 })
  const grant = (idempotencyKey: string) => grantCredit(sql, { accountId, amountNanos: 5n, idempotencyKey, nowMs: 0 })
  const paid = await Promise.all(Array.from({ length: 20 }, (_, index) => grant(`reason ${index % 2}`)))
  assert.equal(paid.filter(Boolean).length, 2)
  assert.equal((await readBalances(sql, [accountId], 0)).get(accountId)?.usd, 10n)
  assert.ok((await auditLedger(sql)).every(({ problems }) => problems === 0))
})

test('bundled credits are kept apart from USD', async () => {
  const { id: accountId } = await createAccount(sql, { name: 'x', nowMs: 0 })
  await grantCredit(sql, {
    accountId,
    currency: 'BUNDLED_CREDITS',
    amountNanos: 7n,
    idempotencyKey: 'bundle',
    nowMs: 0,
  })
  assert.deepEqual((await readBalances(sql, [accountId], 0)).get(accountId), {
    usd: 0n,
    bundled: 7n,
    diem: null,
    stake: 0n,
  })
})

test('a balance cannot go below zero, whatever code asks for it', async () => {
  const { id } = await createAccount(sql, { name: 'y', nowMs: 0 })
  await assert.rejects(
    sql`insert into ledger_account (owner, currency, kind, balance) values (${id}, 'USD', 'credit', -1)`,
    /no_overdraft/,
  )
})
