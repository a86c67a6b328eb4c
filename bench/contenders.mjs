// What scenarios start: the service as in production, and bare servers beside it.
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
export const fetchOnce = async ({ url, method = 'GET', headers = {}, body }) => {
  const asking = request(url, { method, headers, agent: false })
  asking.end(body)
  const [response] = await once(asking, 'response')
  const { statusCode: status, rawHeaders } = response
  const pairs = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1]]] : []))
  return { status, headers: Object.fromEntries(pairs), body: Buffer.concat(await response.toArray()) }
}

/** Waits until a program that was launched answers at `url`, and makes sure that it is this one that does. */
export const untilReady = async (child, { name, url, port }) => {
  const untilMs = Date.now() + startWithinMs
  const isReady = () =>
    fetchOnce({ url }).then(
      ({ status }) => status < 500,
      () => false,
    )
  while (!(await isReady())) {
    const end = child.signalCode ?? child.exitCode ?? (Date.now() > untilMs ? 'not ready in time' : null)
    if (end !== null) throw new Error(`${name} did not start (${end}):\n${child.said}`)
    await sleep(50)
  }
  if (!ownsPort(child.pid, port)) throw new Error(`Port ${port} was taken by another program; try again.`)
}

/** The service with everything on: own data folder and database, request log at its usual level. */
export const startService = async (stage, { nodeArgs = [], env = {} } = {}) => {
  const port = await freePort()
  const dataFolder = join(stage.folder(), 'data')
  const child = stage.launch(process.execPath, [...nodeArgs, join(root, 'bin', 'tessera.mjs'), 'serve'], {
    NODE_ENV: 'production',
    TESSERA_HOST: '127.0.0.1',
    TESSERA_PORT: String(port),
    TESSERA_DATA: dataFolder,
    TESSERA_ADMIN_KEY: adminKey,
    TESSERA_LOG_LEVEL: 'info',
    TESSERA_CONFIG: '',
    TESSERA_WORKERS: '',
    DATABASE_URL: '',
    ...env,
  })
  const origin = `http://127.0.0.1:${port}`
  await untilReady(child, { name: 'The service', url: `${origin}/ready`, port })
  const headers = { authorization: `Bearer ${adminKey}` }
  return { pid: child.pid, baseUrl: `${origin}/api/v1`, headers, dataFolder }
}

/** A module of ours in a process of its own, which tells its port, and whatever else, when it listens. */
export const forkServer = async (stage, module, { nodeArgs = [], message } = {}) => {
  const child = stage.fork(join(root, 'bench', module), nodeArgs)
  if (message !== undefined) child.send(message)
  const started = await Promise.race([once(child, 'message'), child.isOver])
  if (!Array.isArray(started)) throw new Error(`${module} did not start:\n${child.said}`)
  const [told] = started
  const { port } = told
  if (!ownsPort(child.pid, port)) throw new Error(`Port ${port} does not belong to ${module}.`)
  return { child, pid: child.pid, origin: `http://127.0.0.1:${port}`, told }
}

/** Node writes these by itself, for the bare server as for ours. */
const writtenByNode = ['date', 'connection', 'keep-alive']

/** A bare node:http server in a process of its own that gives the same answer: status, headers and bytes. */
export const startBareServer = async (stage, { status, headers, body }, { nodeArgs } = {}) => {
  const copied = Object.entries(headers).filter(([name]) => !writtenByNode.includes(name.toLowerCase()))
  const keepAliveTimeoutMs = Number(/timeout=(\d+)/.exec(headers['Keep-Alive'] ?? '')?.[1] ?? 5) * 1000
  const message = { status, headers: Object.fromEntries(copied), body: body.toString('base64'), keepAliveTimeoutMs }
  const { pid, origin } = await forkServer(stage, 'bare-server.mjs', { nodeArgs, message })
  return { pid, baseUrl: `${origin}/api/v1` }
}
