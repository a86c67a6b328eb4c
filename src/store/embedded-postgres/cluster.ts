import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '#plumbing/operator-error.js'
import { explainProgramFailure } from './failures.js'
import { databaseUser, type Layout } from './layout.js'
import type { Log } from './log.js'
import { chownRecursively, majorVersion } from './user/binaries.js'
import type { Runner } from './user/runner.js'

const unfinishedPrefix = 'postgres.new-'

/** Creates the cluster on the first start; afterwards makes sure that it is one we can open. */
export const prepareCluster = async (layout: Layout, runner: Runner, log: Log): Promise<void> => {
  await removeUnfinished(layout.dataDir)
  if (isMissing(layout.cluster)) {
    log.info(`creating the database in ${layout.cluster}, which takes a few seconds`)
    return createCluster(layout, runner)
  }
  checkVersion(layout, runner)
  // Root's own files, as after putting back a backup: the server never runs as root, so they have to be given away.
  if (statSync(layout.cluster).uid !== runner.identity.uid) chownRecursively(layout.cluster, runner.identity)
}

/**
 * In a folder of its own, which gets its name when all of it is on the disk: whenever we are killed, the next start
 * finds a whole cluster or none. The folder's name is new each time, because an initdb whose Tessera was killed may
 * still be writing into the old one.
 */
const createCluster = async ({ dataDir, cluster }: Layout, runner: Runner): Promise<void> => {
  const { uid, gid } = runner.identity
  const unfinished = mkdtempSync(join(dataDir, unfinishedPrefix))
  try {
    if (process.getuid!() !== uid) chownSync(unfinished, uid, gid)
    await runInitdb(unfinished, dataDir, runner)
    renameSync(unfinished, cluster)
    syncFolder(dataDir)
  } finally {
    await removeUnfinished(dataDir)
  }
}

const runInitdb = async (target: string, dataDir: string, runner: Runner): Promise<void> => {
  const args = [
    ...['-D', target, '-U', databaseUser, '--encoding', 'UTF8'],
    // The built-in locale sorts the same on every machine and after every upgrade of the operating system.
    ...['--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8', '--locale', 'C'],
    // Whoever may open the socket is the owner; nobody comes by network.
    ...['--auth-local', 'trust', '--auth-host', 'reject'],
  ]
  const child = runner.run(runner.binaries.initdb, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => output.push(text))
  const isDone = await new Promise<boolean>((resolve) => {
    child.once('error', (error) => {
      output.push(error.message)
      resolve(false)
    })
    child.once('close', (code) => resolve(code === 0))
  })
  if (isDone) return
  throw explainProgramFailure({ what: 'the database could not be created', output: output.join(''), dataDir })
}

const isMissing = (cluster: string) => !existsSync(cluster) || readdirSync(cluster).length === 0

const checkVersion = ({ cluster, dataDir }: Layout, { binaries }: Runner): void => {
  const file = join(cluster, 'PG_VERSION')
  if (!existsSync(file)) {
    throw new OperatorError(
      `${cluster} holds files, but no PostgreSQL database`,
      'move it away, or set TESSERA_DATA to another folder',
    )
  }
  const found = readFileSync(file, 'utf8').trim()
  const ours = majorVersion(binaries)
  if (found === ours) return
  throw new OperatorError(
    `the database in data folder ${dataDir} was made by PostgreSQL ${found}, this Tessera brings PostgreSQL ${ours}`,
    'start the Tessera that made it and move the data with pg_dump, or set DATABASE_URL or TESSERA_DATA',
  )
}

const removeUnfinished = async (dataDir: string): Promise<void> => {
  for (const name of readdirSync(dataDir).filter((entry) => entry.startsWith(unfinishedPrefix))) {
    // An orphaned initdb may add files while we remove; it ends by itself soon, and a later round removes the rest.
    await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 2 }).catch(() => {})
  }
}

/** Makes a rename survive a power failure. */
const syncFolder = (folder: string): void => {
  const handle = openSync(folder, 'r')
  fsyncSync(handle)
  closeSync(handle)
}
