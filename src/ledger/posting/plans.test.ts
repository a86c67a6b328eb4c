import assert from 'node:assert/strict'
import { test } from 'node:test'
import { windowStartMs } from '#limits/count.js'
import { systemClock } from '#plumbing/clock.js'
import { newRequestId } from '#plumbing/ids.js'
import { createDatabase, type Sql } from '#store/sql.js'
import { createTestDatabase } from '../../../test/database.js'
import { createPayer } from '../../../test/money.js'
import { createHolds } from './hold.js'
import { createSettlements } from './settle.js'

const createEmpty = async (test: { after(work: () => Promise<void>): void }) => {
  const database = await createTestDatabase()
  const { sql, close } = createDatabase(database.connection)
  test.after(async () => {
    await close()
    await database.drop()
  })
  return sql
}

/** Rows that the running transaction has looked at so far, by scans and through indexes. */
const rowsRead = async (sql: Sql) => {
  const { read } = await sql.one<{ read: bigint }>`
    select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::bigint as read from pg_stat_xact_user_tables`
  return Number(read)
}

/** A minute that has not ended when the test has. */
const minuteMs = windowStartMs('minute', Date.now() + 3_600_000)

/** In bulk, and without anything that would make the server plan anew, such as a new table. */
const fill = (sql: Sql, accounts: number) => {
  const others = `from (select md5(n::text)::uuid as id from generate_series(1, ${accounts}) n) other`
  const today = `(now() at time zone 'UTC')::date`
  return sql.script(`
    insert into account (id, name, created_at) select id, 'other', now() ${others};
    insert into ledger_account (owner, currency, kind) select id, 'USD', 'credit' ${others};
    insert into ledger_hold (request_id, account_id, model, usd, bundled, diem, usd_account, made_at, expires_at)
      select id, id, 'model', 0, 0, 0, 0, now(), now() ${others};
    insert into usage_by_model (account_id, day, model, part, unit_type, units, usd, diem)
      select id, ${today}, 'model', 'Input', 'tokens', 1, 1, 0 ${others};
    insert into usage_by_key (account_id, api_key_id, day, units, usd, diem, month_usd, month_diem, life_usd, life_diem)
      select id, id, ${today}, 1, 1, 0, 1, 0, 1, 0 ${others};
    insert into limit_counter (subject, period, starts_at, requests, tokens)
      select id::text, 'minute', to_timestamp(${minuteMs / 1000}), 1, 1 ${others};`)
}

const holdAndSettle = (sql: Sql) => {
  const hold = createHolds({ sql, clock: systemClock, holdMs: 60_000, isCounting: true })
  const settle = createSettlements({ sql, clock: systemClock, isCounting: true })
  return async ({ accountId, apiKeyId }: { accountId: string; apiKeyId: string }) => {
    const who = { requestId: newRequestId(), accountId, apiKeyId }
    const price = { usd: 10n, diem: 10n }
    const limit = { scope: 'api_key', period: 'minute', requestsMax: 100, tokensMax: 1_000 } as const
    const count = { windows: [{ limit, subject: apiKeyId, startsAtMs: minuteMs }], tokens: 5 }
    const result = await hold({ ...who, model: 'model', least: price, most: price, count })
    if (result.outcome !== 'held') throw new Error(result.outcome)
    const line = { sku: 'x', part: 'Input', quantity: 10n, usdPerMillion: 1_000_000n, diemPerMillion: 0n }
    const settled = await settle({
      ...who,
      goods: { model: 'model', modelType: null, unitType: 'tokens' },
      held: result.held,
      paid: { usd: 10n, bundled: 0n, diem: 0n },
      lines: [{ ...line, per: 'million', usd: 10n, diem: 0n }],
      outcome: 'completed',
      countedBy: null,
      beganAtMs: systemClock.nowMs(),
      promptTokens: null,
      completionTokens: null,
      correction: { windows: count.windows, tokens: 1 },
    })
    assert.equal(settled, 'settled')
  }
}

// Fresh, the planner guesses how much there is; after a vacuum it knows that there is next to nothing.
for (const state of ['fresh', 'vacuumed'])
  test(`what was planned on a ${state} empty database looks at few rows when it is full`, async (test) => {
    const sql = await createEmpty(test)
    const payers = await Promise.all(Array.from({ length: 4 }, () => createPayer(sql, { usd: 1_000n })))
    if (state === 'vacuumed') await sql`vacuum (analyze)`
    await sql.transaction(async (sql) => {
      const pay = holdAndSettle(sql)
      for (const payer of payers) await pay(payer)
      await fill(sql, 5_000)
      const before = await rowsRead(sql)
      await Promise.all(payers.map(pay))
      const read = (await rowsRead(sql)) - before
      assert.ok(read < 200, `${read} rows were read for ${payers.length} requests`)
    })
  })
