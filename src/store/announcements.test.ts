import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createTestDatabase } from '../../test/database.js'
import { createAnnouncements } from './announcements.js'
import { createDatabase } from './sql.js'

const database = await createTestDatabase()
const { sql, close } = createDatabase(database.connection)
after(async () => {
  await close()
  await database.drop()
})

const until = async (done: () => boolean) => {
  const deadline = performance.now() + 5_000
  while (!done() && performance.now() < deadline) await wait(5)
  assert.ok(done())
}

test('news arrive; what may have been missed is announced as unknown; trust ends with the connection', async (test) => {
  const heard: (string | undefined)[] = []
  const announcements = createAnnouncements({ connection: database.connection })
  announcements.on('news', (message) => void heard.push(message))
  assert.equal(announcements.isCurrent(), false, 'nothing is trusted before the start')
  await announcements.start()
  test.after(() => announcements.stop())
  assert.equal(announcements.isCurrent(), true)
  assert.equal(heard.length, 1, 'whatever was remembered before may be old')

  await sql`select pg_notify('news', 'one')`
  await until(() => heard.includes('one'))

  await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tessera announcements'
            and datname = current_database()`
  await until(() => heard.filter((message) => message === undefined).length === 2)
  await until(() => announcements.isCurrent())
  await sql`select pg_notify('news', 'two')`
  await until(() => heard.includes('two'))
})

test('a connection that falls silent is not trusted, even though it is open', async (test) => {
  let nowMs = 0
  const announcements = createAnnouncements({
    connection: database.connection,
    nowMs: () => nowMs,
    heartbeatMs: 1e9,
    trustMs: 750,
  })
  await announcements.start()
  test.after(() => announcements.stop())
  nowMs = 749
  assert.equal(announcements.isCurrent(), true)
  nowMs = 750
  assert.equal(announcements.isCurrent(), false)
})
