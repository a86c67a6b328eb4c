import { prepareCluster } from './cluster.js'
import { explainFileError } from './failures.js'
import { type Connection, describeLayout, type Layout, prepareDataFolder } from './layout.js'
import type { Log } from './log.js'
import { claimFolder } from './ownership/claim.js'
import { endPreviousServer } from './ownership/previous-server.js'
import { launchServer, type ServerExit } from './server/server.js'
import { removeSocketDirectory } from './server/socket-directory.js'
import { type Supervisor, superviseServer } from './supervisor.js'
import { type Binaries, findBinaries } from './user/binaries.js'
import { findIdentity } from './user/identity.js'
import { chooseRunner } from './user/runner.js'

type Needs = {
  /** The service's data folder; the cluster lives in `postgres` inside it. */
  dataDir: string
  log: Log
  /** Told when the server ended without being asked to; it is started again regardless. */
  onExit?: (exit: ServerExit) => void
}

export type EmbeddedPostgres = {
  connection: Connection
  /** Of the server that runs now; another one after a restart. */
  readonly pid: number
  /** Ends the server and gives the data folder free. May be called more than once. */
  stop(): Promise<void>
}

/**
 * Starts the PostgreSQL that ships with us on a data folder, creating the database on the first start. The folder is
 * ours alone until `stop`. After any kind of kill the next start cleans up by itself.
 */
export const startEmbeddedPostgres = async ({ dataDir, log, onExit }: Needs): Promise<EmbeddedPostgres> => {
  const binaries = findBinaries()
  try {
    const layout = describeLayout(prepareDataFolder(dataDir))
    const claim = claimFolder(layout.dataDir)
    try {
      const supervisor = await start(layout, binaries, log, onExit)
      const stop = async () => {
        await supervisor.stop()
        removeSocketDirectory(layout)
        claim.release()
      }
      let stopped: Promise<void> | undefined
      return {
        connection: layout.connection,
        get pid() {
          return supervisor.pid
        },
        // Once only: what a second round would remove may already belong to the next owner.
        stop() {
          stopped ??= stop()
          return stopped
        },
      }
    } catch (error) {
      claim.release()
      throw error
    }
  } catch (error) {
    throw explainFileError(error, dataDir)
  }
}

const start = async (layout: Layout, binaries: Binaries, log: Log, onExit: Needs['onExit']): Promise<Supervisor> => {
  const runner = await chooseRunner(layout, findIdentity(layout), binaries)
  await endPreviousServer(layout, log)
  await prepareCluster(layout, runner, log)
  return superviseServer({ launch: (signal) => launchServer({ layout, runner, signal }), log, onExit })
}
