import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createAccount } from '#accounts/accounts.js'
import { createDatabase } from '#store/sql.js'
import { createTestDatabase } from '../../../test/database.js'
import { nanoLine, settleUsage } from '../../../test/usage.js'
import { auditLedger } from '../audit/audit.js'
import { readBalances } from './balances.js'
import { listStakes, setStake } from './stake.js'

const database = await createTestDatabase()
const { sql, close } = createDatabase(database.connection)
after(async () => {
  await close()
  await database.drop()
})

const diem = 1_000_000_000n
const noonMs = Date.UTC(2026, 10, 15, 12)
const midnightMs = Date.UTC(2026, 10, 16)
const dayMs = 86_400_000

const start = async () => {
  const { id: accountId } = await createAccount(sql, { name: 'x', nowMs: 0 })
  return {
    accountId,
    set: (amount: bigint, nowMs: number) => setStake(sql, { accountId, amountNanos: amount, nowMs }),
    spendable: async (nowMs: number) => (await readBalances(sql, [accountId], nowMs)).get(accountId)?.diem,
    spend: (amount: bigint, nowMs: number) =>
      settleUsage(sql, { accountId, atMs: nowMs, tookMs: 0, lines: [nanoLine('Output', amount)] }),
    /** What the ledger says was granted for each day, and what is left of it. */
    days: async () =>
      (
        await sql<{ day: string; granted: bigint; rest: bigint }>`
          select a.day::text, a.balance rest, sum(e.amount) filter (where e.amount > 0)::bigint granted
          from ledger_account a join ledger_entry e on e.account_id = a.id
          where a.owner = ${accountId} and a.currency = 'DIEM' group by a.id order by a.day`
      ).map(({ day, granted, rest }) => [day, granted, rest]),
  }
}

test('a raised stake counts at once, a lowered one from tomorrow: a day has the diem of its highest stake', async () => {
  const { set, spendable, spend, days } = await start()
  await set(10n * diem, noonMs)
  assert.equal(await spendable(noonMs), 10n * diem)
  await set(4n * diem, noonMs + 1)
  assert.equal(await spendable(noonMs + 1), 10n * diem)
  await set(8n * diem, noonMs + 2)
  assert.equal(await spendable(noonMs + 2), 10n * diem)
  await set(12n * diem, noonMs + 3)
  assert.equal(await spendable(noonMs + 3), 12n * diem)
  await set(5n * diem, noonMs + 4)
  assert.equal(await spendable(noonMs + dayMs), 5n * diem)
  await spend(1n, noonMs + dayMs)
  assert.deepEqual(await days(), [
    ['2026-11-15', 12n * diem, 12n * diem],
    ['2026-11-16', 5n * diem, 5n * diem - 1n],
  ])
})

test('a stake lowered before the first request of a day still gives that day its diem', async () => {
  const { set, spendable } = await start()
  await set(10n * diem, noonMs)
  await set(0n, noonMs + dayMs)
  assert.equal(await spendable(noonMs + dayMs), 10n * diem)
  assert.equal(await spendable(noonMs + 2 * dayMs), null)
})

test('diem ends at midnight UTC: the rest of a day stays in its books and cannot be spent', async () => {
  const { set, spendable, spend, days } = await start()
  await set(10n * diem, midnightMs - 1)
  await spend(3n * diem, midnightMs - 1)
  assert.equal(await spendable(midnightMs - 1), 7n * diem)
  assert.equal(await spendable(midnightMs), 10n * diem)
  await spend(10n * diem, midnightMs)
  await assert.rejects(spend(1n, midnightMs), /balance/)
  assert.equal(await spendable(midnightMs), 0n)
  assert.deepEqual(await days(), [
    ['2026-11-15', 10n * diem, 7n * diem],
    ['2026-11-16', 10n * diem, 0n],
  ])
})

test('a stake raised one millisecond before midnight pays for both days', async () => {
  const { set, spend, days } = await start()
  await set(1n * diem, noonMs)
  await set(2n * diem, midnightMs - 1)
  await set(3n * diem, midnightMs)
  await spend(1n, midnightMs)
  assert.deepEqual(await days(), [
    ['2026-11-15', 2n * diem, 2n * diem],
    ['2026-11-16', 3n * diem, 3n * diem - 1n],
  ])
})

test('where another process has begun the next day already, a raise counts for that day', async () => {
  const { set, spend, days } = await start()
  await set(1n * diem, noonMs)
  await spend(1n, midnightMs)
  await set(2n * diem, midnightMs - 1)
  assert.deepEqual(await days(), [
    ['2026-11-15', 1n * diem, 1n * diem],
    ['2026-11-16', 2n * diem, 2n * diem - 1n],
  ])
})

test('below a tenth of a diem nothing is granted', async () => {
  const { set, spendable, days } = await start()
  await set(diem / 10n - 1n, noonMs)
  assert.equal(await spendable(noonMs), 0n)
  assert.deepEqual(await days(), [])
  await set(diem / 10n, noonMs)
  assert.equal(await spendable(noonMs), diem / 10n)
})

test('a stake of nothing is no stake; changes from many sides at once grant the highest, once', async () => {
  const { accountId, set, spendable } = await start()
  await Promise.all([3n, 9n, 1n, 7n, 9n, 0n].map((amount) => set(amount * diem, noonMs)))
  assert.equal(await spendable(noonMs), 9n * diem)
  await set(0n, noonMs)
  assert.ok((await listStakes(sql)).every((stake) => stake.accountId !== accountId))
})

test('the books are in order after all of it', async () => {
  assert.deepEqual(
    (await auditLedger(sql)).filter(({ problems }) => problems > 0),
    [],
  )
})
