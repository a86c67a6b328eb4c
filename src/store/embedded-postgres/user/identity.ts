import { readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { OperatorError } from '#plumbing/operator-error.js'
import type { Layout } from '../layout.js'

/** The user who owns the cluster and runs the server. */
export type Identity = { uid: number; gid: number }

// What nearly every system gives to `nobody`.
const fallback: Identity = { uid: 65534, gid: 65534 }

const mayPass = 0o1
const mayReadAndExecute = 0o5

/**
 * We run the server ourselves, except as root, which PostgreSQL refuses. Then it runs as whoever the cluster or the
 * data folder belongs to, so that a start with sudo does not take a user's folder away; a folder of root's own goes
 * to `nobody`.
 */
export const findIdentity = ({ cluster, dataDir }: Layout): Identity => {
  const [uid, gid] = [process.getuid!(), process.getgid!()]
  const clusterOwner = ownerOf(cluster)
  if (uid === 0) return [clusterOwner, namedOwnerOf(dataDir)].find(isOrdinary) ?? findUser('nobody') ?? fallback
  if (!clusterOwner || clusterOwner.uid === uid) return { uid, gid }
  throw new OperatorError(
    `the database in data folder ${dataDir} belongs to another user (${clusterOwner.uid})`,
    'start as that user, or set TESSERA_DATA to another folder',
  )
}

const ownerOf = (folder: string): Identity | undefined => {
  const found = statSync(folder, { throwIfNoEntry: false })
  return found && { uid: found.uid, gid: found.gid }
}

const isOrdinary = (owner: Identity | undefined) => owner !== undefined && owner.uid !== 0

// Folders from outside a container often belong to a user unknown inside, for whom PostgreSQL creates no database.
const namedOwnerOf = (folder: string): Identity | undefined => {
  const owner = ownerOf(folder)
  return owner && findUser(owner.uid) && owner
}

/** A user by name or number, from the system's own list. */
export const findUser = (nameOrUid: string | number): Identity | undefined => {
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const user = users.find(([name, , uid]) => name === nameOrUid || Number(uid) === nameOrUid)
  // macOS writes -2 for what the system calls expect as 4294967294.
  return user && { uid: Number(user[2]) >>> 0, gid: Number(user[3]) >>> 0 }
}

/** Whether this user may walk down to the folder, judged by permission bits. */
export const canReach = (identity: Identity, folder: string): boolean => {
  const parent = dirname(folder)
  return hasBits(identity, folder, mayPass) && (parent === folder || canReach(identity, parent))
}

/** Whether this user may run the program once it is reached, which no capability to pass folders replaces. */
export const canExecute = (identity: Identity, program: string) => hasBits(identity, program, mayReadAndExecute)

const hasBits = ({ uid, gid }: Identity, path: string, bits: number): boolean => {
  const found = statSync(path)
  const shift = found.uid === uid ? 6 : found.gid === gid ? 3 : 0
  return ((found.mode >> shift) & bits) === bits
}
