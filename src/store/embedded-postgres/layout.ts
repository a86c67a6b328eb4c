import { createHash } from 'node:crypto'
import { mkdirSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** A `pg` client configuration. It never changes while the server runs, not even when the server is restarted. */
export type Connection = { host: string; port: number; user: string; database: string; ssl: false }

/** Where everything of one embedded server lies. */
export type Layout = {
  dataDir: string
  cluster: string
  logFile: string
  socketDirectory: string
  connection: Connection
}

export const databaseUser = 'tessera'
const port = 5432
const socketName = `.s.PGSQL.${port}`

// sun_path has room for 107 bytes on Linux and 103 on macOS; one number for both keeps a folder movable.
const socketPathBytesMax = 103

/** `ssl` is spelled out because `pg` would otherwise obey a PGSSLMODE that was meant for another server. */
export const connectionAt = (socketDirectory: string): Connection => ({
  host: socketDirectory,
  port,
  user: databaseUser,
  database: 'tessera',
  ssl: false,
})

export const describeLayout = (dataDir: string): Layout => {
  const cluster = join(dataDir, 'postgres')
  const socketDirectory = chooseSocketDirectory(dataDir, cluster)
  return {
    dataDir,
    cluster,
    logFile: join(dataDir, 'postgres.log'),
    socketDirectory,
    connection: connectionAt(socketDirectory),
  }
}

export const clusterOf = (dataDir: string) => join(resolve(dataDir), 'postgres')

export const socketFilesIn = (directory: string) => [join(directory, socketName), join(directory, `${socketName}.lock`)]

/**
 * Creates the data folder where it is missing and returns its one true path. As root it may be passed through by other
 * users (everything inside has its own lock), so that PostgreSQL, which runs as a lesser user, needs no capability.
 */
export const prepareDataFolder = (dataDir: string): string => {
  mkdirSync(dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
  return realpathSync(dataDir)
}

const chooseSocketDirectory = (dataDir: string, cluster: string): string => {
  const name = `tessera-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`
  const candidates = [cluster, join(tmpdir(), name)]
  const fits = (directory: string) => Buffer.byteLength(join(directory, socketName)) <= socketPathBytesMax
  return candidates.find(fits) ?? join('/tmp', name)
}
