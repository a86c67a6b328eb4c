import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '#plumbing/operator-error.js'
import type { Sql } from './sql.js'

/** Any number does, as long as every Tessera uses the same one. */
const migrationLock = 7_355_608

type Migration = { name: string; text: string; checksum: string }

/**
 * Brings the database to the newest schema. Numbered files are applied in order, each in the same transaction as its
 * note in `schema_migration`; a lock makes several processes that start together take turns.
 */
export const migrate = async (sql: Sql, folder: string): Promise<string[]> => {
  const migrations = await readMigrations(folder)
  return sql.transaction(async (sql) => {
    await sql`select pg_advisory_xact_lock(${migrationLock})`
    await sql`create table if not exists schema_migration (
      name text primary key, checksum text not null, applied_at timestamptz not null default now())`
    const fresh = await notApplied(sql, migrations)
    for (const { name, text, checksum } of fresh) {
      await sql.script(text)
      await sql`insert into schema_migration (name, checksum) values (${name}, ${checksum})`
    }
    return fresh.map(({ name }) => name)
  })
}

/** The migrations that this version has and the database has not. */
export const pendingMigrations = async (sql: Sql, folder: string): Promise<string[]> => {
  const migrations = await readMigrations(folder)
  const { exists } = await sql.one<{ exists: boolean }>`select to_regclass('schema_migration') is not null as exists`
  return (exists ? await notApplied(sql, migrations) : migrations).map(({ name }) => name)
}

const notApplied = async (sql: Sql, migrations: Migration[]): Promise<Migration[]> => {
  const rows = await sql<{ name: string; checksum: string }>`select name, checksum from schema_migration`
  const applied = new Map(rows.map(({ name, checksum }) => [name, checksum]))
  refuseForeignHistory(applied, migrations)
  return migrations.filter(({ name }) => !applied.has(name))
}

const readMigrations = async (folder: string): Promise<Migration[]> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8')
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

const refuseForeignHistory = (applied: Map<string, string>, migrations: Migration[]) => {
  const known = new Map(migrations.map(({ name, checksum }) => [name, checksum]))
  for (const [name, checksum] of applied) {
    if (!known.has(name))
      throw new OperatorError(
        `The database was migrated by a newer Tessera (it has ${name}).`,
        'Start that version, or point DATABASE_URL or TESSERA_DATA at another database.',
      )
    if (known.get(name) !== checksum)
      throw new OperatorError(
        `The migration ${name} is not the one this database was made with.`,
        'Migrations only move forward: restore the file and put the change into a new one.',
      )
  }
}
