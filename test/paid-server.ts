import { once } from 'node:events'
import { pino } from 'pino'
import { readBuiltin } from '#catalog/builtin.js'
import { createCatalog } from '#catalog/catalog.js'
import { parseConfig } from '#catalog/config/config-file.js'
import { systemClock } from '#plumbing/clock.js'
import { createApp } from '../src/app.js'
import type { ServerOptions } from './paid-processes.js'
import { paidRoutes } from './paid-routes.js'

/**
 * A whole service in a process of its own, with the test's paid routes: for tests that need several of them, or that
 * kill them. Its argument is ServerOptions as JSON. Begins when it is sent a line, so that a test which kills often can
 * have the next one loaded by then. Prints its port.
 */
const {
  connection,
  holdMs = 60_000,
  paymentLeaseMs,
  config: text = '',
  standsAtMs,
} = JSON.parse(process.argv[2] ?? '') as ServerOptions
const clock = standsAtMs === undefined ? systemClock : { nowMs: () => standsAtMs }
const config = parseConfig(text, { file: 'tessera.yaml', env: {} })
// A parent that was killed must not leave servers behind.
process.stdin.on('end', () => process.exit(1))
await once(process.stdin, 'data')
const catalog = createCatalog({
  config,
  builtin: readBuiltin(),
  clock,
  engines: new Set(),
  createdDefault: 0,
})
const app = await createApp({
  publicUrl: 'http://127.0.0.1:0',
  connection,
  modelFile: () => undefined,
  offer: () => ({ config, catalog }),
  version: '20261115.000000',
  clock,
  log: pino({ level: process.env.LOG_LEVEL ?? 'silent' }),
  holdMs,
  ...(paymentLeaseMs !== undefined && { paymentLeaseMs }),
  sharesLimits: true,
  moreRoutes: paidRoutes,
  warmsUp: false,
})
console.log(`port ${await app.listen('127.0.0.1', 0)}`)
process.on('SIGTERM', () => void app.close(1_000).then(() => process.exit(0)))
