import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { readBuiltin } from '#catalog/builtin.js'
import { createCatalog } from '#catalog/catalog.js'
import { emptyConfig, parseConfig } from '#catalog/config/config-file.js'
import { type Clock, systemClock } from '#plumbing/clock.js'
import { createDatabase } from '#store/sql.js'
import { createApp } from '../src/app.js'
import { embeddedEngines } from '../src/service/engines.js'
import { prepareFirstAccount } from '../src/service/first-start.js'
import { modelFileIn } from '../src/service/offer.js'
import { createClient } from './client.js'
import { createTestDatabase } from './database.js'
import { paidRoutes } from './paid-routes.js'

type Options = {
  /** Text of a config file. */
  config?: string
  clock?: Clock
  /** Lines that the service logs are put here. */
  logLines?: string[]
  /** Another service's database, to run several on one. */
  database?: Awaited<ReturnType<typeof createTestDatabase>>
  /** Where clients think that they reach it; where they do unless given. */
  publicUrl?: string
  /** How long holds outlive their process. */
  holdMs?: number
}

export const adminKey = 'test-admin-key'

/** A clock that stands still until it is told otherwise. */
export const createTestClock = (startMs = Date.UTC(2026, 10, 15, 12)) => {
  let nowMs = startMs
  return {
    nowMs: () => nowMs,
    set: (ms: number) => {
      nowMs = ms
    },
    advance: (ms: number) => {
      nowMs += ms
    },
  }
}

/** A whole service on a database of its own, reached over HTTP like any other. Ends with the test. */
export const startService = async (test: { after(work: () => Promise<void>): void }, options: Options = {}) => {
  const { clock = systemClock, config: text, logLines = [] } = options
  const database = options.database ?? (await createTestDatabase())
  const dataDir = mkdtempSync(join(tmpdir(), 'tessera-test-'))
  const setup = createDatabase(database.connection, { connectionsMax: 4 })
  await prepareFirstAccount({ sql: setup.sql, clock, dataDir, adminKey })

  const config = text === undefined ? emptyConfig : parseConfig(text, { file: 'tessera.yaml', env: {} })
  const catalog = createCatalog({ config, builtin: readBuiltin(), clock, engines: embeddedEngines, createdDefault: 0 })
  const app = await createApp({
    connection: database.connection,
    modelFile: modelFileIn({ dataDir }),
    offer: () => ({ config, catalog }),
    publicUrl: options.publicUrl ?? 'http://127.0.0.1:0',
    version: '20261115.000000',
    clock,
    log: pino({ level: 'info' }, { write: (line) => void logLines.push(line) }),
    writeLine: (line) => void logLines.push(line),
    moreRoutes: paidRoutes,
    warmsUp: false,
    ...(options.holdMs !== undefined && { holdMs: options.holdMs }),
  })
  const port = await app.listen('127.0.0.1', 0)
  test.after(async () => {
    await app.close(1_000)
    await setup.close()
    rmSync(dataDir, { recursive: true, force: true })
    if (!options.database) await database.drop()
  })
  const origin = `http://127.0.0.1:${port}`
  const client = createClient(`${origin}/api/v1`)
  return {
    ...client,
    origin,
    port,
    app,
    sql: setup.sql,
    database,
    admin: client.as(adminKey),
    outside: createClient(origin),
  }
}
