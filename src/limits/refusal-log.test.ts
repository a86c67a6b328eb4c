import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createDatabase } from '#store/sql.js'
import { createTestDatabase } from '../../test/database.js'
import { createTestClock } from '../../test/service.js'
import { createRefusalLog, keptMax } from './refusal-log.js'

const database = await createTestDatabase()
const { sql, close } = createDatabase(database.connection)
after(async () => {
  await close()
  await database.drop()
})

const accountOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
const who = (number: number) => ({ accountId: accountOf(number), keyId: accountOf(number), tier: 'paid' })

test('a flood of refusals leaves the newest of each account, and few rows', async () => {
  const clock = createTestClock()
  const log = createRefusalLog({ sql, clock })
  for (let n = 0; n < 5_000; n++) {
    clock.advance(1)
    log.note(who(n % 2), `model ${n}`, 'RPM')
    // So that it is written in many pieces.
    if (n % 100 === 0) await log.list(accountOf(9))
  }
  const shown = await log.list(accountOf(1))
  assert.deepEqual(
    shown.map(({ modelId }) => modelId),
    Array.from({ length: keptMax }, (_, index) => `model ${4_999 - index * 2}`),
  )
  const { rows } = await sql.one<{ rows: bigint }>`select count(*) rows from rate_limit_log`
  assert.ok(rows <= 4n * BigInt(keptMax), `${rows} rows`)
})

test('while refusals go on, the log can be read, and the database is asked once a second', async () => {
  let statements = 0
  const counting = Object.assign((...query: Parameters<typeof sql>) => sql(...query), sql, {
    prepared: (...statement: Parameters<typeof sql.prepared>) => {
      statements++
      return sql.prepared(...statement)
    },
  })
  const log = createRefusalLog({ sql: counting, clock: createTestClock() })
  let isOver = false
  const flood = (async () => {
    while (!isOver) {
      log.note(who(8), 'model', 'RPM')
      await new Promise(setImmediate)
    }
  })()
  for (let n = 0; n < 3; n++) assert.ok((await log.list(accountOf(8))).length > 0)
  isOver = true
  await flood
  assert.ok(statements <= 5, `${statements} statements`)
})

test('several processes write to the log of one account at the same time', async () => {
  const clock = createTestClock()
  const logs = Array.from({ length: 4 }, () => createRefusalLog({ sql, clock, onLost: () => assert.fail('lost') }))
  for (let n = 0; n < 200; n++) {
    for (const log of logs) log.note(who(3 + (n % 3)), 'model', 'TPM')
    if (n % 10 === 0) await Promise.all(logs.map((log) => log.list(accountOf(3))))
  }
  await Promise.all(logs.map((log) => log.stop()))
  assert.equal((await logs[0]?.list(accountOf(3)))?.length, keptMax)
})

test('a caller without a key is logged as well', async () => {
  const log = createRefusalLog({ sql, clock: createTestClock() })
  log.note({ accountId: accountOf(7), keyId: null, tier: 'partner' }, '', 'RPD')
  const [entry] = await log.list(accountOf(7))
  assert.deepEqual([entry?.keyId, entry?.tier, entry?.type], [null, 'partner', 'RPD'])
})

test('what the database does not take is lost, and counted', async () => {
  let lost = 0
  const away = createDatabase({ ...database.connection, port: 1 })
  const log = createRefusalLog({
    sql: away.sql,
    clock: createTestClock(),
    onLost: (count) => {
      lost += count
    },
  })
  for (let n = 0; n < 3; n++) log.note(who(1), 'model', 'RPM')
  await log.stop()
  assert.equal(lost, 3)
  await away.close()
})
