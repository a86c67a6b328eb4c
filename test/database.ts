import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbeddedPostgres } from '#store/embedded-postgres/start.js'
import { installFolder } from '../src/config.js'
import { migrateDatabase } from '../src/service/open-database.js'

const template = 'tessera_template'

/** One server for the whole suite, with a migrated template that every test copies. */
export const startTestDatabase = async (folder: string) => {
  const quiet = { info: () => {}, warn: (message: string) => console.error(message) }
  const server = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), log: quiet })
  await administer(server.connection, `create database ${template}`)
  await migrateDatabase({ ...server.connection, database: template })
  return server
}

const administer = async (connection: pg.ClientConfig, statement: string) => {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** A database of one's own, empty and migrated, or a copy of another; dropped by calling `drop`. */
export const createTestDatabase = async (copyOf = template) => {
  const text = process.env.TESSERA_TEST_DATABASE
  if (text === undefined)
    throw new Error(`run tests with npm test (from ${installFolder}), which starts their database`)
  const server = JSON.parse(text) as pg.ClientConfig
  const name = `test_${randomBytes(8).toString('hex')}`
  await administer(server, `create database ${name} template ${copyOf}`)
  return {
    name,
    connection: { ...server, database: name } as pg.ClientConfig,
    url: `postgres://${server.user}@/${name}?host=${encodeURIComponent(server.host ?? '')}&port=${server.port}`,
    drop: () => administer(server, `drop database if exists ${name} with (force)`),
  }
}
