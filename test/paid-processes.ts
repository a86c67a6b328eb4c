import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import type { ClientConfig } from 'pg'
import { installFolder } from '../src/config.js'
import { paidConfig } from './paid-routes.js'

/** A service that charges, in a process that a test may kill, freeze and start again. */
export type PaidProcess = {
  /** Another one after every start. */
  readonly url: string
  /** As if the machine had lost power: no signal handler runs. */
  kill(): Promise<void>
  freeze(): void
  thaw(): void
  restart(): Promise<void>
}

/** What such a process is told. */
export type ServerOptions = {
  connection: ClientConfig
  holdMs?: number
  paymentLeaseMs?: number
  /** Text of a config file. */
  config?: string
  /** The moment at which the clocks of all stand still; they go unless given. */
  standsAtMs?: number
}

type Options = ServerOptions & {
  count: number
  /** Has the next process loaded before it is needed. Loading takes longer than everything else in a restart. */
  isRestartedOften?: boolean
}
type Child = ChildProcessByStdio<Writable, Readable, null>
type Ends = { after(work: () => void | Promise<void>): void }

/** Nobody reaches them, but all of them are counted, so that what goes wrong with that is seen. */
const wide = '{ rpm: 1000000000, rpd: 1000000000, tpm: 1000000000000 }'
const wideLimits = `  { tiers: { paid: { S: ${wide}, account: ${wide} } }, global: ${wide} }`

const program = join(installFolder, 'dist', 'test', 'paid-server.js')

/** Several processes that share one database; they end with the test. */
export const startPaidProcesses = async (test: Ends, options: Options): Promise<PaidProcess[]> => {
  const { count, isRestartedOften = false, config = paidConfig(wideLimits), ...told } = options
  const args = [program, JSON.stringify({ ...told, config } satisfies ServerOptions)]
  const load = () => {
    // Its standard input tells it to begin, and when we are gone.
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    test.after(() => end(child))
    return child
  }
  let spare: Child | undefined
  const one = async (): Promise<PaidProcess> => {
    let child = load()
    let port = await begin(child)
    return {
      get url() {
        return `http://127.0.0.1:${port}/api/v1`
      },
      kill: () => end(child),
      freeze: () => void child.kill('SIGSTOP'),
      thaw: () => void child.kill('SIGCONT'),
      async restart() {
        await end(child)
        child = spare ?? load()
        spare = undefined
        port = await begin(child)
        if (isRestartedOften) spare ??= load()
      },
    }
  }
  const processes = await Promise.all(Array.from({ length: count }, one))
  if (isRestartedOften) spare = load()
  return processes
}

const begin = (child: Child) =>
  new Promise<string>((resolve, reject) => {
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
      const port = /port (\d+)\n/.exec(text)?.[1]
      if (port !== undefined) resolve(port)
    })
    child.once('exit', (code) => reject(new Error(`a server ended with ${code} before it was ready: ${text}`)))
    child.stdin.write('begin\n')
  })

const end = async (child: Child) => {
  const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
  child.kill('SIGKILL')
  await ended
}
