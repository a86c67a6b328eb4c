import { explainFileError } from './failures.js'
import { type Connection, clusterOf } from './layout.js'
import { findOwner } from './ownership/owner-lock.js'
import { readPostmasterFile } from './ownership/postmaster-file.js'
import { connectionTo } from './server/socket-directory.js'

/** The way to the server that runs on this data folder right now, for commands beside a running service. */
export const connectToRunning = async (dataDir: string): Promise<Connection | undefined> => {
  const connection = findConnection(dataDir)
  const { kind } = await findOwner(connection)
  return kind === 'unreachable' ? undefined : connection
}

const findConnection = (dataDir: string): Connection | undefined => {
  const cluster = clusterOf(dataDir)
  try {
    const server = readPostmasterFile(cluster)
    return server?.isReady ? connectionTo(server, cluster) : undefined
  } catch (error) {
    throw explainFileError(error, dataDir)
  }
}
