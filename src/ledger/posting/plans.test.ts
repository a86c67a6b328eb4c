import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { systemClock } from '#plumbing/clock.js'
import { newRequestId } from '#plumbing/ids.js'
import { createDatabase, type Sql } from '#store/sql.js'
import { createTestDatabase } from '../../../test/database.js'
import { createPayer } from '../../../test/money.js'
import { createHolds } from './hold.js'
import { createSettlements } from './settle.js'

const database = await createTestDatabase()
const { sql, close } = createDatabase(database.connection)
after(async () => {
  await close()
  await database.drop()
})

/** Rows that the running transaction has looked at so far, by scans and through indexes. */
const rowsRead = async (sql: Sql) => {
  const { read } = await sql.one<{ read: bigint }>`
    select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::bigint as read from pg_stat_xact_user_tables`
  return Number(read)
}

const fill = (sql: Sql, accounts: number) =>
  sql.script(`
    create temporary table other on commit drop as select gen_random_uuid() id from generate_series(1, ${accounts});
    insert into account (id, name, created_at) select id, 'other', now() from other;
    insert into ledger_account (owner, currency, kind) select id, 'USD', 'credit' from other;
    insert into ledger_hold (request_id, account_id, model, usd, bundled, diem, usd_account, made_at, expires_at)
      select id, id, 'model', 0, 0, 0, 0, now(), now() from other;
    insert into usage_by_model (account_id, day, model, part, unit_type, units, usd, diem)
      select id, (now() at time zone 'UTC')::date, 'model', 'Input', 'tokens', 1, 1, 0 from other;
    insert into usage_by_key (account_id, api_key_id, day, units, usd, diem, month_usd, month_diem, life_usd, life_diem)
      select id, id, (now() at time zone 'UTC')::date, 1, 1, 0, 1, 0, 1, 0 from other;`)

test('what was planned on an empty database looks at few rows when it is full', async () => {
  const payers = await Promise.all(Array.from({ length: 4 }, () => createPayer(sql, { usd: 1_000n })))
  // Now the planner knows for certain that there is next to nothing.
  await sql`vacuum (analyze)`
  await sql.transaction(async (sql) => {
    const hold = createHolds({ sql, clock: systemClock, holdMs: 60_000, sizeMax: 500 })
    const settle = createSettlements({ sql, clock: systemClock, sizeMax: 500 })
    const pay = async ({ accountId, apiKeyId }: { accountId: string; apiKeyId: string }) => {
      const price = { usd: 10n, diem: 10n }
      const who = { requestId: newRequestId(), accountId, apiKeyId }
      const result = await hold({ ...who, model: 'model', least: price, most: price })
      assert.equal(result.outcome, 'held')
      if (result.outcome !== 'held') return
      const { held } = result
      const line = { sku: 'x', part: 'Input', quantity: 10n, usdPerMillion: 1_000_000n, diemPerMillion: 0n } as const
      const bill = {
        goods: { model: 'model', modelType: null, unitType: 'tokens' } as const,
        paid: { usd: held.usd, bundled: 0n, diem: 0n },
        lines: [{ ...line, per: 'million' as const, usd: held.usd, diem: 0n }],
        ...{ outcome: 'completed' as const, countedBy: null, promptTokens: null, completionTokens: null },
      }
      assert.equal(await settle({ ...who, ...bill, held, beganAtMs: systemClock.nowMs() }), 'settled')
    }
    await Promise.all(payers.map(pay))
    await fill(sql, 5_000)
    const before = await rowsRead(sql)
    await Promise.all(payers.map(pay))
    const read = (await rowsRead(sql)) - before
    assert.ok(read < 200, `${read} rows were read for ${payers.length} requests`)
  })
})
