import { setTimeout as delay } from 'node:timers/promises'
import { OperatorError } from '#plumbing/operator-error.js'
import { inUse } from '../failures.js'
import type { Layout } from '../layout.js'
import type { Log } from '../log.js'
import { shutDown } from '../server/shut-down.js'
import { connectionTo, removeSocketFiles } from '../server/socket-directory.js'
import { findOwner, type Owner } from './owner-lock.js'
import { disownPostmasterFile, readPostmasterFile } from './postmaster-file.js'
import { isPostmasterOf } from './processes.js'

// A killed owner's session, or a server that is just starting or stopping, needs a moment to show what it is.
const patienceMs = 2_000
const pollMs = 25

/** Stops a server whose Tessera was killed; refuses when its Tessera lives. */
export const endPreviousServer = async (layout: Layout, log: Log): Promise<void> => {
  const deadlineMs = Date.now() + patienceMs
  let owner: Owner
  do {
    const previous = readPostmasterFile(layout.cluster)
    if (!previous) return
    owner = await findOwner(connectionTo(previous, layout.cluster))
    if (owner.kind === 'unreachable' && !isPostmasterOf(previous.pid, layout.cluster)) return
    if (owner.kind === 'nobody') break
    await delay(pollMs)
  } while (Date.now() < deadlineMs)
  if (owner.kind === 'process') throw inUse(layout.dataDir, owner.pid)
  log.warn('a PostgreSQL whose Tessera was killed still runs, it is replaced')
  await endOrphan(layout)
}

const endOrphan = async ({ cluster, dataDir }: Layout): Promise<void> => {
  const orphan = readPostmasterFile(cluster)
  if (!orphan) return
  if (!isPostmasterOf(orphan.pid, cluster)) {
    throw new OperatorError(
      `a PostgreSQL that this process cannot see, perhaps in another container, still runs on data folder ${dataDir}`,
      'stop it, or set TESSERA_DATA to another folder',
    )
  }
  await shutDown(orphan.pid, () => !isPostmasterOf(orphan.pid, cluster))
}

/** Puts aside what a killed server left behind and a new one would stumble over. */
export const clearTraces = (layout: Layout): void => {
  const dead = readPostmasterFile(layout.cluster)
  if (dead && isPostmasterOf(dead.pid, layout.cluster)) throw inUse(layout.dataDir, undefined)
  disownPostmasterFile(layout.cluster)
  removeSocketFiles(layout)
}
