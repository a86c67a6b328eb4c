import { isIP } from 'node:net'
import { systemClock } from '#plumbing/clock.js'
import { OperatorError } from '#plumbing/operator-error.js'
import { createDatabase } from '#store/sql.js'
import { readBuildVersion, type Settings } from './config.js'
import { banner } from './service/banner.js'
import { prepareFirstAccount } from './service/first-start.js'
import { createLogger } from './service/logger.js'
import { readOffer } from './service/offer.js'
import { migrateDatabase, openDatabase } from './service/open-database.js'

/** Read the config, start, stop gracefully. Resolves when the service has stopped. */
export const serve = async (settings: Settings): Promise<void> => {
  const clock = systemClock
  // A broken config file is found before anything is started.
  const { catalog } = await readOffer(settings, clock)
  const { log, writeLine, flush } = createLogger(settings.logLevel)
  // From the first moment on, so that a signal during the start is not lost.
  const stopSignal = nextStopSignal()

  const database = await openDatabase(settings, log)
  try {
    const migrations = await migrateDatabase(database.connection)
    if (migrations.length > 0) log.info({ migrations }, 'database migrated')
    const setup = createDatabase(database.connection, { connectionsMax: 1 })
    const adminKey = await prepareFirstAccount({ sql: setup.sql, clock, ...settings }).finally(() => setup.close())

    const start = await loadStart(settings)
    const service = await start({
      settings,
      connection: database.connection,
      version: readBuildVersion(),
      clock,
      log,
      writeLine,
    }).catch((error) => Promise.reject(listenProblem(error, settings)))
    const url = settings.port === 0 ? settings.publicUrl.replace(/:0$/, `:${service.port}`) : settings.publicUrl
    console.log(banner({ url, adminKey, models: catalog.list('all').length }))
    log.info({ host: settings.host, port: service.port, workers: settings.workers }, 'listening')

    const signal = await stopSignal
    log.info({ signal }, 'stopping: finishing what runs')
    await service.stop()
  } finally {
    await database.close()
    log.info('stopped')
    flush()
  }
}

/** Loading the service takes a second, which neither a mistake in the settings nor the parent of workers has to wait for. */
const loadStart = async ({ workers }: Settings) =>
  workers > 1 ? (await import('./service/workers.js')).startWorkers : (await import('./service/process.js')).startHere

const nextStopSignal = (): Promise<string> =>
  new Promise((resolve) => {
    let signals = 0
    // SIGHUP comes when the terminal is closed; our database would outlive us if we ignored it.
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      process.on(signal, () => {
        signals++
        // A person who presses Ctrl-C a third time wants out, finished or not.
        if (signals > 2) process.exit(1)
        resolve(signal)
      })
  })

const listenProblem = (error: unknown, { host, port }: Settings): unknown => {
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'EADDRINUSE')
    return new OperatorError(
      `Port ${port} on ${host} is already in use.`,
      'Stop the other program, or set TESSERA_PORT to a free port.',
    )
  if (code === 'EACCES')
    return new OperatorError(`Port ${port} needs more rights.`, 'Set TESSERA_PORT to one above 1023.')
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new OperatorError(
      `${host} is not ${isIP(host) ? 'an address of' : 'a name known to'} this machine.`,
      'Set TESSERA_HOST to 127.0.0.1 or 0.0.0.0.',
    )
  return error
}
