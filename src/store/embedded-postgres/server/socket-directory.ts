import { chmodSync, chownSync, lstatSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { OperatorError } from '#plumbing/operator-error.js'
import { type Connection, connectionAt, type Layout, socketFilesIn } from '../layout.js'
import type { PostmasterFile } from '../ownership/postmaster-file.js'
import type { Identity } from '../user/identity.js'

/**
 * The socket usually lies in the cluster folder, which PostgreSQL keeps private. When that path is too long for a
 * socket, it lies in a folder under the system's temporary one, where anybody could have planted something before us.
 */
export const prepareSocketDirectory = ({ socketDirectory, cluster }: Layout, identity: Identity): void => {
  if (socketDirectory === cluster) return
  if (makePrivateFolder(socketDirectory, identity)) return
  const found = lstatSync(socketDirectory)
  const isOurs = found.isDirectory() && [identity.uid, process.getuid?.()].includes(found.uid)
  if (!isOurs) {
    throw new OperatorError(
      `${socketDirectory}, needed for the database socket, was made by somebody else (user ${found.uid})`,
      'remove it, or set TESSERA_DATA to a folder with a shorter path',
    )
  }
  makePrivate(socketDirectory, identity)
}

/**
 * The way to the server that wrote this file. Undefined when its socket folder is not its own any more: a dead
 * server's short folder may have been swept away, and planted anew by somebody who would like to be asked.
 */
export const connectionTo = ({ socketDirectory }: PostmasterFile, cluster: string): Connection | undefined => {
  const found = lstatSync(socketDirectory, { throwIfNoEntry: false })
  const isPrivate = found?.isDirectory() && found.uid === statSync(cluster).uid && (found.mode & 0o077) === 0
  return isPrivate ? connectionAt(socketDirectory) : undefined
}

/** Only for a server that is known to be gone. */
export const removeSocketFiles = ({ socketDirectory }: Layout): void => {
  for (const file of socketFilesIn(socketDirectory)) rmSync(file, { force: true })
}

export const removeSocketDirectory = (layout: Layout): void => {
  if (layout.socketDirectory !== layout.cluster) rmSync(layout.socketDirectory, { recursive: true, force: true })
}

const makePrivateFolder = (path: string, identity: Identity): boolean => {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
  makePrivate(path, identity)
  return true
}

const makePrivate = (path: string, { uid, gid }: Identity): void => {
  chmodSync(path, 0o700)
  if (process.getuid?.() === 0) chownSync(path, uid, gid)
}
