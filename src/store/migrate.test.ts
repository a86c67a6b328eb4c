import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTestDatabase } from '../../test/database.js'
import { createFolder } from '../../test/process.js'
import { migrate } from './migrate.js'
import { createDatabase } from './sql.js'

const start = async (test: { after(work: () => void | Promise<void>): void }) => {
  const database = await createTestDatabase()
  const { sql, close } = createDatabase(database.connection)
  test.after(async () => {
    await close()
    await database.drop()
  })
  await sql`drop table schema_migration`
  return sql
}

test('files are applied once, in order, also when several processes start together', async (test) => {
  const sql = await start(test)
  const folder = createFolder(test)
  writeFileSync(join(folder, '0001-a.sql'), 'create table a (n int); insert into a values (1);')
  writeFileSync(join(folder, '0002-b.sql'), 'insert into a values (2);')
  const applied = await Promise.all([1, 2, 3, 4].map(() => migrate(sql, folder)))
  assert.deepEqual(applied.flat().sort(), ['0001-a.sql', '0002-b.sql'])
  assert.deepEqual(await sql`select n from a order by n`, [{ n: 1 }, { n: 2 }])
})

test('a migration that fails leaves nothing behind', async (test) => {
  const sql = await start(test)
  const folder = createFolder(test)
  writeFileSync(join(folder, '0001-a.sql'), 'create table a (n int); select 1 / 0;')
  await assert.rejects(migrate(sql, folder), /division by zero/)
  assert.deepEqual(await sql`select to_regclass('a') found`, [{ found: null }])
})

test('a database of a newer version, or an edited migration, is refused with what to do', async (test) => {
  const sql = await start(test)
  const folder = createFolder(test)
  writeFileSync(join(folder, '0001-a.sql'), 'create table a (n int);')
  await migrate(sql, folder)
  writeFileSync(join(folder, '0001-a.sql'), 'create table a (n bigint);')
  await assert.rejects(migrate(sql, folder), /0001-a\.sql is not the one this database was made with/)
  await sql`insert into schema_migration (name, checksum) values ('0999-future.sql', '')`
  writeFileSync(join(folder, '0001-a.sql'), 'create table a (n int);')
  await assert.rejects(migrate(sql, folder), /newer Tessera/)
})
