// What scenarios start: the service as in production, and a bare server that says the same.
import { once } from 'node:events'
import { request } from 'node:http'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort, ownsPort } from './processes.mjs'

const root = resolve(fileURLToPath(import.meta.url), '../..')
const startWithinMs = 60_000
/** Looks like nobody's real key, and is long enough to cost what a real one costs. */
const adminKey = 'bench-admin-key-0123456789abcdefghijklmnopqrstuvwxyz'

/** One answer with its headers as they were sent: names in their own case, in their order. */
export const fetchOnce = async (url, headers = {}) => {
  const asking = request(url, { headers, agent: false })
  asking.end()
  const [response] = await once(asking, 'response')
  const body = Buffer.concat(await response.toArray())
  const { statusCode: status, rawHeaders } = response
  const pairs = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1]]] : []))
  return { status, headers: Object.fromEntries(pairs), body }
}

/** The service with everything on: own data folder and database, request log at its usual level. */
export const startService = async (stage, { nodeArgs = [], env = {} } = {}) => {
  const port = await freePort()
  const child = stage.launch(process.execPath, [...nodeArgs, join(root, 'bin', 'tessera.mjs'), 'serve'], {
    NODE_ENV: 'production',
    TESSERA_HOST: '127.0.0.1',
    TESSERA_PORT: String(port),
    TESSERA_DATA: join(stage.folder(), 'data'),
    TESSERA_ADMIN_KEY: adminKey,
    TESSERA_LOG_LEVEL: 'info',
    TESSERA_CONFIG: '',
    TESSERA_WORKERS: '',
    DATABASE_URL: '',
    ...env,
  })
  const origin = `http://127.0.0.1:${port}`
  const untilMs = Date.now() + startWithinMs
  const isReady = () =>
    fetchOnce(`${origin}/ready`).then(
      ({ status }) => status === 200,
      () => false,
    )
  while (!(await isReady())) {
    const end = child.signalCode ?? child.exitCode ?? (Date.now() > untilMs ? 'not ready in time' : null)
    if (end !== null) throw new Error(`The service did not start (${end}):\n${child.said}`)
    await sleep(50)
  }
  if (!ownsPort(child.pid, port)) throw new Error(`Port ${port} was taken by another program; try again.`)
  return { pid: child.pid, baseUrl: `${origin}/api/v1`, headers: { authorization: `Bearer ${adminKey}` } }
}

/** Node writes these by itself, for the bare server as for ours. */
const writtenByNode = ['date', 'connection', 'keep-alive']

/** A bare node:http server in a process of its own that gives the same answer: status, headers and bytes. */
export const startBareServer = async (stage, { status, headers, body }, { nodeArgs = [] } = {}) => {
  const child = stage.fork(join(root, 'bench', 'bare-server.mjs'), nodeArgs)
  const copied = Object.entries(headers).filter(([name]) => !writtenByNode.includes(name.toLowerCase()))
  const keepAliveTimeoutMs = Number(/timeout=(\d+)/.exec(headers['Keep-Alive'] ?? '')?.[1] ?? 5) * 1000
  child.send({ status, headers: Object.fromEntries(copied), body: body.toString('base64'), keepAliveTimeoutMs })
  const started = await Promise.race([once(child, 'message'), child.isOver])
  if (!Array.isArray(started)) throw new Error(`The bare server did not start:\n${child.said}`)
  const [{ port }] = started
  if (!ownsPort(child.pid, port)) throw new Error(`Port ${port} does not belong to the bare server.`)
  return { pid: child.pid, baseUrl: `http://127.0.0.1:${port}/api/v1` }
}
