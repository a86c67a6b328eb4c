import { once } from 'node:events'
import type { ClientConfig } from 'pg'
import { pino } from 'pino'
import { readBuiltin } from '#catalog/builtin.js'
import { createCatalog } from '#catalog/catalog.js'
import { emptyConfig } from '#catalog/config/config-file.js'
import { systemClock } from '#plumbing/clock.js'
import { createApp } from '../src/app.js'
import { paidRoutes } from './paid-routes.js'

/**
 * A whole service in a process of its own, with the test's paid routes: for tests that need several of them, or that
 * kill them. Arguments: the connection as JSON, and how long holds last. Begins when it is sent a line, so that a test
 * which kills often can have the next one loaded by then. Prints its port.
 */
const [connectionText = '{}', holdMs = '60000'] = process.argv.slice(2)
// A parent that was killed must not leave servers behind.
process.stdin.on('end', () => process.exit(1))
await once(process.stdin, 'data')
const catalog = createCatalog({
  config: emptyConfig,
  builtin: readBuiltin(),
  clock: systemClock,
  engines: new Set(),
  createdDefault: 0,
})
const app = await createApp({
  connection: JSON.parse(connectionText) as ClientConfig,
  modelFile: () => undefined,
  offer: () => ({ config: emptyConfig, catalog }),
  version: '20261115.000000',
  clock: systemClock,
  log: pino({ level: process.env.LOG_LEVEL ?? 'silent' }),
  holdMs: Number(holdMs),
  moreRoutes: paidRoutes,
})
console.log(`port ${await app.listen('127.0.0.1', 0)}`)
process.on('SIGTERM', () => void app.close(1_000).then(() => process.exit(0)))
