import cluster, { type Worker } from 'node:cluster'
import { fileURLToPath } from 'node:url'
import { AggregatorRegistry } from 'prom-client'
import type { RunningService, StartNeeds } from './process.js'

/** What parent and worker tell each other. Settings travel here and not in the environment, which others can read. */
export type ToWorker =
  | { kind: 'start'; needs: Pick<StartNeeds, 'settings' | 'connection' | 'version'> }
  | { kind: 'stop' }
  // "Report your own metrics", and the sum of all workers' for the one that asked.
  | { kind: 'report'; id: number }
  | { kind: 'metrics'; id: number; text: string }
export type FromWorker =
  // What is sent to a worker before its code has been loaded is lost, so it says when to begin.
  | { kind: 'loaded' }
  | { kind: 'listening'; port: number }
  | { kind: 'failed'; message: string; code: string | undefined }
  | { kind: 'report'; id: number; metrics: object[] }
  | { kind: 'metrics'; id: number }

const restartDelayMs = 500
const stopWithinMs = 30_000
const reportWithinMs = 1_000

/** Serves in several processes that share the port. One that dies is replaced. */
export const startWorkers = async ({ settings, connection, version, log }: StartNeeds): Promise<RunningService> => {
  cluster.setupPrimary({ exec: fileURLToPath(new URL('./worker.js', import.meta.url)) })
  const workers = new Set<Worker>()
  let isStopping = false

  const tell = (worker: Worker, message: ToWorker) => {
    if (worker.isConnected()) worker.send(message)
  }

  const reports = new Map<number, (metrics: object[] | undefined) => void>()
  let reportsAsked = 0
  const askReport = (worker: Worker) =>
    new Promise<object[] | undefined>((resolve) => {
      const id = ++reportsAsked
      // A worker that is starting or dying is left out rather than waited for.
      const timer = setTimeout(() => reports.get(id)?.(undefined), reportWithinMs)
      reports.set(id, (metrics) => {
        clearTimeout(timer)
        reports.delete(id)
        resolve(metrics)
      })
      tell(worker, { kind: 'report', id })
    })
  const gatherMetrics = async () => {
    const gathered = await Promise.all([...workers].map(askReport))
    return AggregatorRegistry.aggregate(gathered.filter((metrics) => metrics !== undefined)).metrics()
  }

  const launch = () =>
    new Promise<number>((resolve, reject) => {
      const worker = cluster.fork()
      workers.add(worker)
      worker.on('message', async (message: FromWorker) => {
        // A stop that was told before is lost too.
        if (message.kind === 'loaded')
          tell(worker, isStopping ? { kind: 'stop' } : { kind: 'start', needs: { settings, connection, version } })
        if (message.kind === 'listening') resolve(message.port)
        if (message.kind === 'failed') reject(Object.assign(new Error(message.message), { code: message.code }))
        if (message.kind === 'report') reports.get(message.id)?.(message.metrics)
        if (message.kind === 'metrics') tell(worker, { kind: 'metrics', id: message.id, text: await gatherMetrics() })
      })
      worker.on('exit', (code, signal) => {
        workers.delete(worker)
        reject(new Error(`a worker ended at its start (${signal ?? code})`))
        if (isStopping) return
        log.error({ pid: worker.process.pid, code, signal }, 'a worker died and is replaced')
        setTimeout(() => {
          if (!isStopping) launch().catch((error) => log.error({ err: error }, 'a worker could not be replaced'))
        }, restartDelayMs)
      })
    })

  const stop = async () => {
    isStopping = true
    const gone = [...workers].map((worker) => new Promise((resolve) => worker.once('exit', resolve)))
    for (const worker of workers) tell(worker, { kind: 'stop' })
    const force = setTimeout(() => {
      for (const worker of workers) worker.process.kill('SIGKILL')
    }, stopWithinMs)
    await Promise.all(gone)
    clearTimeout(force)
  }

  try {
    // The first one finds out whether the port can be had at all. Port 0 (any free one) is the same for all.
    const port = await launch()
    await Promise.all(Array.from({ length: settings.workers - 1 }, launch))
    return { port, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
