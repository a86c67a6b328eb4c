import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '#plumbing/operator-error.js'
import { pendingMigrations } from '#store/migrate.js'
import { createDatabase, type Sql } from '#store/sql.js'
import { installFolder, readSettings, type Settings } from '../config.js'
import { joinDatabase } from '../service/open-database.js'

/**
 * Runs a command on the service's database, whether the service is running or not. It neither creates nor migrates one:
 * a command in the wrong folder, or of a newer version, must not change anything behind the back of a running service.
 */
export const withDatabase = async <T>(
  work: (sql: Sql, settings: Settings) => Promise<T>,
  options: { queryTimeoutMs?: number } = {},
): Promise<T> => {
  const settings = readSettings()
  if (settings.databaseUrl === undefined && !existsSync(join(settings.dataDir, 'postgres')))
    throw new OperatorError(
      `There is no database in ${settings.dataDir}.`,
      'Run this where the service runs, set TESSERA_DATA to its data folder, or start the service once.',
    )
  const joined = await joinDatabase(settings, { info: () => {}, warn: () => {} })
  const database = createDatabase(joined.connection, { connectionsMax: 2, ...options })
  try {
    if ((await pendingMigrations(database.sql, join(installFolder, 'migrations'))).length > 0)
      throw new OperatorError(
        'The database is not of this version yet.',
        'Start the service once; it migrates by itself.',
      )
    return await work(database.sql, settings)
  } finally {
    await database.close()
    await joined.close()
  }
}
