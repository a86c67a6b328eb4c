import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { ClientConfig } from 'pg'
import { installFolder } from '../src/config.js'

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

type Options = { connection: ClientConfig; count: number; holdMs?: number }
type Ends = { after(work: () => void | Promise<void>): void }

const program = join(installFolder, 'dist', 'test', 'paid-server.js')

/** Several processes that share one database; they end with the test. */
export const startPaidProcesses = async (
  test: Ends,
  { connection, count, holdMs }: Options,
): Promise<PaidProcess[]> => {
  const args = [program, JSON.stringify(connection), ...(holdMs === undefined ? [] : [String(holdMs)])]
  const one = async (): Promise<PaidProcess> => {
    let running = await launch(args)
    const kill = async () => {
      const ended = hasEnded(running.child) ? undefined : once(running.child, 'exit')
      running.child.kill('SIGKILL')
      await ended
    }
    test.after(kill)
    return {
      get url() {
        return `http://127.0.0.1:${running.port}/api/v1`
      },
      kill,
      freeze: () => void running.child.kill('SIGSTOP'),
      thaw: () => void running.child.kill('SIGCONT'),
      async restart() {
        await kill()
        running = await launch(args)
      },
    }
  }
  return Promise.all(Array.from({ length: count }, one))
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

const launch = async (args: string[]): Promise<{ child: ChildProcess; port: string }> => {
  // Its standard input tells it when we are gone.
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const port = await new Promise<string>((resolve, reject) => {
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
      const found = /port (\d+)\n/.exec(text)?.[1]
      if (found !== undefined) resolve(found)
    })
    child.once('exit', (code) => reject(new Error(`a server ended with ${code} before it was ready: ${text}`)))
  })
  return { child, port }
}
