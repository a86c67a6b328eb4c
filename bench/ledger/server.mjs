// The embedded PostgreSQL as in production (durable commits), in a folder of its own, with a meter for its CPU.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { auditLedger } from '../../dist/src/ledger/audit/audit.js'
import { migrateDatabase } from '../../dist/src/service/open-database.js'
import { startEmbeddedPostgres } from '../../dist/src/store/embedded-postgres/start.js'
import { createDatabase } from '../../dist/src/store/sql.js'
import { readUsage } from '../processes.mjs'

export const startServer = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-bench-'))
  const log = { info: () => {}, warn: (message) => console.error(message) }
  const server = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), log })
  const databases = []

  const administer = async (statement) => {
    const client = new pg.Client(server.connection)
    await client.connect()
    const { rows } = await client.query(statement).finally(() => client.end())
    return rows
  }

  return {
    /** An empty, migrated database. */
    async createDatabase(name) {
      await administer(`create database ${name}`)
      const connection = { ...server.connection, database: name }
      await migrateDatabase(connection)
      const { sql, close } = createDatabase(connection, { connectionsMax: 2, queryTimeoutMs: 0 })
      databases.push({ close })
      return { connection, sql }
    },
    /** CPU seconds of the whole server: backends, WAL writer, checkpointer, autovacuum, also what has ended meanwhile. */
    cpuSeconds: () => readUsage(server.pid).databaseCpuSeconds,
    /** How many transactions that wrote something there were so far. */
    async writtenTransactions() {
      const [{ next }] = await administer('select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next')
      return Number(next)
    },
    async stop() {
      // Not waited for: a statement that still runs ends with the server.
      const closed = databases.map(({ close }) => close())
      await server.stop()
      await Promise.allSettled(closed)
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** The doctor's proof: a figure from wrong books is worth nothing. */
export const proveBooks = async ({ sql }, name) => {
  const wrong = (await auditLedger(sql)).filter(({ problems }) => problems > 0)
  if (wrong.length > 0) throw new Error(`The books of ${name} are wrong: ${JSON.stringify(wrong)}`)
}
