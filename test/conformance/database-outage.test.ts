import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Agent } from 'undici'
import { startEmbeddedPostgres } from '#store/embedded-postgres/start.js'
import { createDatabase } from '#store/sql.js'
import { migrateDatabase } from '../../src/service/open-database.js'
import { createClient } from '../client.js'
import { createPayer } from '../money.js'
import { createJournal, findProblems, waitForHolds } from '../paid-journal.js'
import { startLoad } from '../paid-load.js'
import { startPaidProcesses } from '../paid-processes.js'

// A database of its own: the suite's must not go away.
const folder = mkdtempSync(join(tmpdir(), 'tessera-outage-'))
const start = () => startEmbeddedPostgres({ dataDir: folder, log: { info: () => {}, warn: () => {} } })
let server = await start()
const { connection } = server
await migrateDatabase(connection)
const { sql, close } = createDatabase(connection, { connectionsMax: 2 })
const dispatcher = new Agent()
const holdMs = 2_000
const [first, ...others] = await startPaidProcesses({ after }, { connection, count: 2, holdMs })
assert.ok(first)
after(async () => {
  await dispatcher.destroy()
  await close()
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

const credit = { usd: 10n ** 15n, bundled: 0n }
const payer = { ...(await createPayer(sql, credit)), ...credit }
const client = createClient(first.url).as(payer.key)

/** Asks until it is true. While the database is away it is not. */
const until = async (isTrue: () => Promise<boolean>) => {
  const deadlineMs = performance.now() + 60_000
  while (!(await isTrue().catch(() => false))) {
    assert.ok(performance.now() < deadlineMs, 'this takes too long')
    await wait(20)
  }
}

test('PostgreSQL away: who begins is told 503, who was inside is served and billed when it is back', async () => {
  // The other one would sweep what it takes for dead before the first can renew it; that is right, and not meant here.
  for (const other of others) other.freeze()
  const inside = Array.from({ length: 10 }, (_, index) =>
    client.post('/test/paid', { quantity: 10 + index, delayMs: 1_000 + 200 * index }),
  )
  await until(async () => (await sql`select from ledger_hold union all select from usage_record`).length === 10)
  await server.stop()
  // Most of the work ends meanwhile, and waits to be settled.
  const backMs = performance.now() + 2_500
  do {
    const { status, body, headers } = await client.post('/test/paid', { quantity: 1 })
    assert.deepEqual([status, body.code], [503, 'SERVICE_UNAVAILABLE'])
    assert.match(String(headers['retry-after']), /^\d+$/)
  } while (performance.now() < backMs)
  server = await start()

  const journal = createJournal()
  for (const [index, { status, body, text }] of (await Promise.all(inside)).entries()) {
    assert.equal(status, 200, text)
    const cost = { usd: BigInt(body.cost.usd), diem: BigInt(body.cost.diem) }
    const quantity = 10 + index
    journal.delivered.push({ accountId: payer.accountId, requestId: body.id, ...cost, quantity, text })
  }
  await until(async () => (await client.post('/test/paid', { quantity: 2 })).status === 200)
  for (const other of others) other.thaw()
  assert.deepEqual(await waitForHolds(sql), [])
  assert.deepEqual(await findProblems(sql, journal, [payer]), [])
})

const outages: Record<string, () => Promise<void>> = {
  'stopped and started again': async () => {
    await server.stop()
    server = await start()
  },
  'away for longer than holds last': async () => {
    await server.stop()
    await wait(holdMs * 1.5)
    server = await start()
  },
  'killed as a whole': async () => {
    const { pid } = server
    process.kill(pid, 'SIGKILL')
    // Our own supervisor starts it again.
    await until(async () => server.pid !== pid)
  },
  'killed in one of its parts, which ends all others': async () => {
    const [part] = await sql<{ pid: number }>`
      select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() limit 1`
    process.kill(Number(part?.pid), 'SIGKILL')
  },
}

for (const [name, happen] of Object.entries(outages))
  test(`PostgreSQL under load is ${name}: what was delivered is billed, and all goes on by itself`, async () => {
    const journal = createJournal()
    const processes = [first, ...others]
    const load = startLoad({ processes, payers: [payer], journal, dispatcher, seed: 1 })
    const delivered = (more: number) => {
      const enough = journal.delivered.length + more
      return until(async () => journal.delivered.length >= enough)
    }
    await delivered(50)
    await happen()
    await until(async () => (await sql`select 1`).length === 1)
    await delivered(50)
    await load.stop()
    assert.deepEqual(await waitForHolds(sql), [])
    assert.deepEqual(await findProblems(sql, journal, [payer]), [])
  })
