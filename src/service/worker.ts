import type { Registry } from 'prom-client'
import { systemClock } from '#plumbing/clock.js'
import { createLogger } from './logger.js'
import { startHere } from './process.js'
import type { FromWorker, ToWorker } from './workers.js'

/** One of several processes on this machine; its parent tells it when to start and when to stop. */
const tell = (message: FromWorker) => process.send?.(message)

let stopService = async () => {}
let registry: Registry | undefined
let isStopping = false
const metricsWaiting = new Map<number, (text: string) => void>()
let metricsAsked = 0

/** Any worker may be asked for the metrics; only the parent can gather them from all. */
const allMetrics = () =>
  new Promise<string>((resolve) => {
    const id = ++metricsAsked
    metricsWaiting.set(id, resolve)
    tell({ kind: 'metrics', id })
  })

const start = async ({ settings, connection, version }: Extract<ToWorker, { kind: 'start' }>['needs']) => {
  const { log, writeLine, flush } = createLogger(settings.logLevel)
  process.on('exit', flush)
  const service = await startHere({
    settings,
    connection,
    version,
    clock: systemClock,
    log,
    writeLine,
    metrics: allMetrics,
  })
  registry = service.registry
  stopService = service.stop
  tell({ kind: 'listening', port: service.port })
}

const stop = async () => {
  if (isStopping) return
  isStopping = true
  await stopService()
  process.exit(0)
}

process.on('message', async (message: ToWorker) => {
  if (message.kind === 'report')
    tell({ kind: 'report', id: message.id, metrics: (await registry?.getMetricsAsJSON()) ?? [] })
  if (message.kind === 'metrics') {
    metricsWaiting.get(message.id)?.(message.text)
    metricsWaiting.delete(message.id)
  }
  if (message.kind === 'stop') void stop()
  if (message.kind === 'start')
    start(message.needs).catch((error: NodeJS.ErrnoException) => {
      const news: FromWorker = { kind: 'failed', message: error.message, code: error.code }
      process.send?.(news, () => process.exit(1))
    })
})

// A terminal sends its signals to the whole group, but only the parent decides when we stop.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
// The parent is gone, perhaps killed: nobody would stop us any more.
process.on('disconnect', () => void stop())

tell({ kind: 'loaded' })
