import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { OperatorError } from '#plumbing/operator-error.js'
import { explainProgramFailure } from '../failures.js'
import type { Layout } from '../layout.js'
import { takeOwnership } from '../ownership/owner-lock.js'
import { readPostmasterFile } from '../ownership/postmaster-file.js'
import { clearTraces } from '../ownership/previous-server.js'
import type { Runner } from '../user/runner.js'
import { openLog } from './log-file.js'
import { serverArguments } from './settings.js'
import { send, shutDown } from './shut-down.js'
import { prepareSocketDirectory } from './socket-directory.js'

/** How a server ended: an exit code, or the signal that killed it. */
export type ServerExit = { code: number | null; signal: NodeJS.Signals | null }

/** A server that answers, owned by us. */
export type Server = { pid: number; exited: Promise<ServerExit>; stop(): Promise<void> }

// Recovery after a crash replays at most `max_wal_size`, which a slow disk does in well under this.
const startTimeoutMs = 180_000
const pollMs = 5

// Processes of a server that was killed end by themselves, but not at once.
const lingeringMs = 15_000
const lingeringPollMs = 50
const isLingering = (output: string) => output.includes('pre-existing shared memory block')

type Needs = { layout: Layout; runner: Runner; signal: AbortSignal }

/** Starts PostgreSQL on a cluster that nobody else serves, and returns when it answers and is ours. */
export const launchServer = async (needs: Needs): Promise<Server> => {
  const deadlineMs = Date.now() + lingeringMs
  for (;;) {
    const attempt = await attemptLaunch(needs)
    if (attempt.server) return attempt.server
    if (!isLingering(attempt.output) || Date.now() > deadlineMs) {
      const { dataDir, logFile } = needs.layout
      throw explainProgramFailure({ what: 'PostgreSQL did not start', output: attempt.output, dataDir, logFile })
    }
    await delay(lingeringPollMs)
  }
}

type Attempt = { server: Server; output?: never } | { server?: never; output: string }

const attemptLaunch = async ({ layout, runner, signal }: Needs): Promise<Attempt> => {
  clearTraces(layout)
  prepareSocketDirectory(layout, runner.identity)
  const log = openLog(layout.logFile, runner.identity)
  // Detached, so that a Ctrl-C in our terminal does not reach it: we need it until the last request is settled.
  const options = { detached: true, stdio: ['ignore', log.handle, log.handle] } satisfies SpawnOptions
  const child = runner.run(runner.binaries.postgres, serverArguments(layout), options)
  log.close()
  const { exited, hasExited } = watchExit(child)
  if (!child.pid) return { output: `user ${runner.identity.uid} may not run ${runner.binaries.postgres}` }
  const stopChild = () => shutDown(child.pid!, hasExited)
  // Whatever ends our process in order, even an error nobody caught, takes the server along.
  const endWithUs = () => send(child.pid!, 'SIGINT')
  process.once('exit', endWithUs)
  void exited.then(() => process.off('exit', endWithUs))

  try {
    if (!(await becomesReady(child.pid, layout, hasExited, signal))) return { output: log.written() }
    const ownership = await takeOwnership(layout)
    const stop = () => {
      // Not waited for: a server that hangs would not answer, and its end closes the connection just as well.
      void ownership.end()
      return stopChild()
    }
    return { server: { pid: child.pid, exited, stop } }
  } catch (error) {
    if (hasExited()) return { output: log.written() }
    await stopChild()
    throw error
  }
}

const watchExit = (child: ChildProcess) => {
  let hasExited = false
  const exited = new Promise<ServerExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
    child.once('error', () => resolve({ code: null, signal: null }))
  })
  void exited.then(() => {
    hasExited = true
  })
  return { exited, hasExited: () => hasExited }
}

/** Reads what the server says about itself, which is cheaper than knocking, so it can be done often. */
const becomesReady = async (
  pid: number,
  { cluster, logFile }: Layout,
  hasExited: () => boolean,
  signal: AbortSignal,
) => {
  const deadlineMs = Date.now() + startTimeoutMs
  while (!hasExited()) {
    const file = readPostmasterFile(cluster)
    if (file?.pid === pid && file.isReady) return true
    signal.throwIfAborted()
    if (Date.now() > deadlineMs) {
      throw new OperatorError(`PostgreSQL was not ready after ${startTimeoutMs / 1000} s`, `look into ${logFile}`)
    }
    await delay(pollMs)
  }
  return false
}
