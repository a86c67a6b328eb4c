import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createAnnouncements } from '#store/announcements.js'
import { createDatabase } from '#store/sql.js'
import { createTestDatabase } from '../../test/database.js'
import { until } from '../../test/text-service.js'
import type { Failed } from './budgets.js'
import { createFailureNews } from './failure-news.js'

const database = await createTestDatabase()
after(() => database.drop())

/** What a process has of the news. */
const startProcess = async () => {
  const { sql, close } = createDatabase(database.connection)
  const announcements = createAnnouncements(database)
  const heard: Failed[] = []
  const news = createFailureNews({ sql, announcements })
  news.onNews((failed) => heard.push(failed))
  await announcements.start()
  after(async () => {
    await announcements.stop()
    await close()
  })
  return { ...news, heard, close }
}

const failed: Failed = { subject: 'key', modelId: "a model's id", type: 'FAILED_REQUESTS' }
const other: Failed = { ...failed, type: 'UNSUPPORTED_FEATURE_REQUESTS' }

test('a failure is told to all other processes, and not to oneself', async () => {
  const [one, two, three] = await Promise.all([startProcess(), startProcess(), startProcess()])
  one.announce(failed)
  two.announce(other)
  await until(async () => (three.heard.length === 2 ? true : undefined))
  assert.deepEqual(three.heard.map(({ type }) => type).sort(), ['FAILED_REQUESTS', 'UNSUPPORTED_FEATURE_REQUESTS'])
  await until(async () => (one.heard.length === 1 && two.heard.length === 1 ? true : undefined))
  assert.deepEqual([one.heard, two.heard], [[other], [failed]])
})

test('news that cannot be told are lost without harm', async () => {
  const { sql, close } = createDatabase({ ...database.connection, port: 1 })
  after(close)
  const { announce } = createFailureNews({ sql, announcements: createAnnouncements(database) })
  assert.doesNotThrow(() => announce(failed))
})

test('what cannot be read is no news', async () => {
  const [one, two] = await Promise.all([startProcess(), startProcess()])
  const { sql, close } = createDatabase(database.connection)
  after(close)
  const strange = [
    '',
    'junk',
    'null',
    '[]',
    '{"from":"x"}',
    '{"from":"x","failed":{"subject":"k","modelId":"m","type":"toString"}}',
  ]
  for (const message of strange) await sql`select pg_notify('tessera_request_failed', ${message})`
  one.announce(failed)
  await until(async () => (two.heard.length > 0 ? true : undefined))
  assert.deepEqual(two.heard, [failed])
})
