import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Unavailable } from '#plumbing/unavailable.js'
import { createTestDatabase } from '../../test/database.js'
import { createDatabase } from './sql.js'

const database = await createTestDatabase()
const { sql, close } = createDatabase(database.connection)
after(async () => {
  await close()
  await database.drop()
})

test('values are parameters, never text', async () => {
  const nasty = "'; drop table account; --"
  assert.deepEqual(await sql.one`select ${nasty}::text as value, ${[1, 2]}::int[] as list`, {
    value: nasty,
    list: [1, 2],
  })
})

test('bigint columns keep every digit', async () => {
  assert.deepEqual(await sql.one`select 9223372036854775807::bigint as n`, { n: 9_223_372_036_854_775_807n })
})

test('a transaction is all or nothing, and one inside another is the same one', async () => {
  await sql.script('create table t (n int)')
  await assert.rejects(
    sql.transaction(async (sql) => {
      await sql`insert into t values (1)`
      await sql.transaction(async (sql) => void (await sql`insert into t values (2)`))
      throw new Error('changed my mind')
    }),
    /changed my mind/,
  )
  assert.deepEqual(await sql`select * from t`, [])
})

test('a connection that breaks in the middle is Unavailable, and the next query works', async () => {
  await assert.rejects(sql`select pg_terminate_backend(pg_backend_pid())`, Unavailable)
  assert.deepEqual(await sql`select 1 as n`, [{ n: 1 }])
})

test('a connection that breaks between two queries of a transaction is Unavailable too, not the end of the process', async () => {
  const broken = sql.transaction(async (borrowed) => {
    const { pid } = await borrowed.one<{ pid: number }>`select pg_backend_pid() pid`
    await sql`select pg_terminate_backend(${pid})`
    while ((await sql`select 1 from pg_stat_activity where pid = ${pid}`).length > 0) await wait(5)
    // The news of it arrive while nobody is asking anything.
    await wait(50)
    await borrowed`select 1`
  })
  await assert.rejects(broken, Unavailable)
  assert.deepEqual(await sql`select 1 as n`, [{ n: 1 }])
})

test('a wrong statement is an error, not an outage', async () => {
  await assert.rejects(sql`select * from nowhere`, (error) => !(error instanceof Unavailable))
})

test('a server that does not exist, or refuses us, is Unavailable', async () => {
  for (const connection of [
    { host: '127.0.0.1', port: 9 },
    { ...database.connection, database: 'nowhere' },
  ]) {
    const absent = createDatabase(connection)
    await assert.rejects(absent.sql`select 1`, Unavailable)
    await absent.close()
  }
})
