import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createDatabase } from '#store/sql.js'
import { createTestDatabase } from '../../../test/database.js'
import { renewHolds } from './expired.js'

const database = await createTestDatabase()
const { sql, close } = createDatabase(database.connection, { connectionsMax: 3 })
after(async () => {
  await close()
  await database.drop()
})

test('renewing holds and extending the same ones at the same time do not deadlock', async () => {
  const ids = [randomUUID(), randomUUID()].sort()
  const [one, other] = ids
  const soonMs = Date.now() + 60_000
  const renew = () => renewHolds(sql, ids, soonMs)
  for (const id of ids)
    await sql`insert into ledger_hold (request_id, account_id, model, usd, bundled, diem, usd_account, made_at, expires_at)
              values (${id}, ${randomUUID()}, 'test-model', 1, 0, 0, 1, now(), now())`
  const renewing = await sql.transaction(async (sql) => {
    const extend = (id: string | undefined) => sql`update ledger_hold set usd = usd + 1 where request_id = ${id}`
    await extend(other)
    const renewed = renew()
    // If it waits for us now, it already has the one that we need next.
    await Promise.race([renewed, wait(200)])
    await extend(one)
    return { renewed }
  })
  await renewing.renewed
  await renew()
  const { renewed } = await sql.one<{ renewed: bigint }>`
    select count(*) renewed from ledger_hold where expires_at = ${new Date(soonMs)}`
  assert.equal(renewed, 2n, 'what was busy is renewed the next time')
})
