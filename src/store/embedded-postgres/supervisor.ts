import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from './log.js'
import type { Server, ServerExit } from './server/server.js'

type Needs = {
  launch(signal: AbortSignal): Promise<Server>
  log: Log
  onExit?: ((exit: ServerExit) => void) | undefined
}

/** The server as the rest of the service sees it: it is there until stopped. */
export type Supervisor = { readonly pid: number; stop(): Promise<void> }

const firstBackoffMs = 50
const backoffMsMax = 5_000

/** Starts the server and starts it again whenever it ends without being asked to, for as long as that takes. */
export const superviseServer = async ({ launch, log, onExit }: Needs): Promise<Supervisor> => {
  const stopping = new AbortController()
  let server = await launch(stopping.signal)

  const watch = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const exit = await server.exited
      if (stopping.signal.aborted) return
      log.warn(`PostgreSQL ended (${exit.signal ?? `code ${exit.code}`}), it is started again`)
      onExit?.(exit)
      await relaunch()
    }
  }

  const relaunch = async (): Promise<void> => {
    for (let backoffMs = firstBackoffMs; ; backoffMs = Math.min(2 * backoffMs, backoffMsMax)) {
      try {
        await delay(backoffMs, undefined, { signal: stopping.signal })
        server = await launch(stopping.signal)
        log.info('PostgreSQL runs again')
        return
      } catch (error) {
        if (stopping.signal.aborted) return
        log.warn(`PostgreSQL could not be started again: ${(error as Error).message}`)
      }
    }
  }

  const watching = watch()

  return {
    get pid() {
      return server.pid
    },
    async stop() {
      stopping.abort()
      await server.stop()
      await watching
      // A restart under way may have brought up another one meanwhile.
      await server.stop()
    },
  }
}
