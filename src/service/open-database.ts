import { join } from 'node:path'
import type { ClientConfig } from 'pg'
import { OperatorError } from '#plumbing/operator-error.js'
import { connectToRunning } from '#store/embedded-postgres/connect-to-running.js'
import type { Log } from '#store/embedded-postgres/log.js'
import { startEmbeddedPostgres } from '#store/embedded-postgres/start.js'
import { migrate } from '#store/migrate.js'
import { createDatabase } from '#store/sql.js'
import { installFolder, type Settings } from '../config.js'

export type OpenDatabase = { connection: ClientConfig; close(): Promise<void> }

/** Connects to the operator's PostgreSQL, or starts our own in the data folder. */
export const openDatabase = async ({ databaseUrl, dataDir }: Settings, log: Log): Promise<OpenDatabase> => {
  if (databaseUrl === undefined) {
    const server = await startEmbeddedPostgres({ dataDir, log })
    return { connection: server.connection, close: () => server.stop() }
  }
  const connection = { connectionString: databaseUrl }
  await proveReachable(connection, databaseUrl)
  return { connection, close: async () => {} }
}

/** For commands beside a running service: joins its database if it runs, or starts one for as long as needed. */
export const joinDatabase = async (settings: Settings, log: Log): Promise<OpenDatabase> => {
  if (settings.databaseUrl === undefined) {
    const connection = await connectToRunning(settings.dataDir)
    if (connection) return { connection, close: async () => {} }
  }
  return openDatabase(settings, log)
}

export const migrateDatabase = async (connection: ClientConfig): Promise<string[]> => {
  // A migration of a large table may take its time.
  const database = createDatabase(connection, { connectionsMax: 1, queryTimeoutMs: 0 })
  try {
    return await migrate(database.sql, join(installFolder, 'migrations'))
  } finally {
    await database.close()
  }
}

const proveReachable = async (connection: ClientConfig, url: string) => {
  const database = createDatabase(connection, { connectionsMax: 1 })
  try {
    await database.sql`select 1`
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : (error as Error)
    throw new OperatorError(
      `The database ${withoutPassword(url)} cannot be used: ${cause.message || (cause as NodeJS.ErrnoException).code}.`,
      'Check DATABASE_URL and that the server runs, or unset it to use the built-in database.',
      { cause: error },
    )
  } finally {
    await database.close()
  }
}

const withoutPassword = (url: string) => {
  if (!URL.canParse(url)) return 'named by DATABASE_URL'
  const { hostname, port, pathname } = new URL(url)
  return `at ${hostname || 'the local socket'}${port ? `:${port}` : ''}${pathname}`
}
