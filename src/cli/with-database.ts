import type { Sql } from '#store/sql.js'
import { createDatabase } from '#store/sql.js'
import { readSettings, type Settings } from '../config.js'
import { joinDatabase, migrateDatabase } from '../service/open-database.js'

/** Runs a command on the service's database, whether the service is running or not. */
export const withDatabase = async <T>(work: (sql: Sql, settings: Settings) => Promise<T>): Promise<T> => {
  const settings = readSettings()
  const joined = await joinDatabase(settings, { info: () => {}, warn: () => {} })
  try {
    await migrateDatabase(joined.connection)
    const database = createDatabase(joined.connection, { connectionsMax: 2 })
    try {
      return await work(database.sql, settings)
    } finally {
      await database.close()
    }
  } finally {
    await joined.close()
  }
}
