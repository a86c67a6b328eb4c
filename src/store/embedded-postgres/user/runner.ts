import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { OperatorError } from '#plumbing/operator-error.js'
import type { Layout } from '../layout.js'
import { type Binaries, copyBinaries } from './binaries.js'
import { canExecute, canReach, type Identity } from './identity.js'

/** How programs of PostgreSQL are started: as which user, by which binaries, through which command. */
export type Runner = {
  identity: Identity
  binaries: Binaries
  run(program: string, args: string[], options: SpawnOptions): ChildProcess
}

/**
 * A lesser user often cannot even reach what it should work on: all of it under /root, say. We loosen no folder's
 * permissions for that. Where the system allows, the user gets the one capability to pass folders; otherwise the
 * binaries can move to it, but the data folder has to be reachable.
 */
export const chooseRunner = async (layout: Layout, identity: Identity, binaries: Binaries): Promise<Runner> => {
  if (process.getuid!() === identity.uid) return createRunner(identity, binaries)
  const folders = [layout.dataDir, dirname(layout.socketDirectory)]
  const isDataReachable = folders.every((folder) => canReach(identity, folder))
  const canRunBinaries = canExecute(identity, binaries.postgres)
  if (isDataReachable && canRunBinaries && canReach(identity, binaries.root)) return createRunner(identity, binaries)

  const prefix = findCapabilityPrefix(identity)
  if (prefix && canRunBinaries) return createRunner(identity, binaries, prefix)
  if (prefix || isDataReachable) {
    return createRunner(identity, await copyBinaries(binaries, layout.dataDir, identity), prefix)
  }
  throw new OperatorError(
    `PostgreSQL refuses to run as root, and user ${identity.uid} cannot reach data folder ${layout.dataDir}`,
    'set TESSERA_DATA to a folder such as /var/lib/tessera, or start as a normal user',
  )
}

const createRunner = (identity: Identity, binaries: Binaries, prefix?: string[]): Runner => ({
  identity,
  binaries,
  run(program, args, options) {
    const [command, ...rest] = [...(prefix ?? []), program, ...args]
    // With setpriv it is setpriv that changes the user, after it has secured the capability.
    const user = prefix || process.getuid!() === identity.uid ? {} : identity
    // A bare environment: PGPORT, PGOPTIONS or a locale of ours must not change how the server behaves.
    const env = { PATH: process.env.PATH, LC_ALL: 'C' }
    return spawn(command!, rest, { ...options, ...user, env, cwd: '/' })
  },
})

/** Tried for real, because some systems have a setpriv that knows less, and some forbid capabilities. */
const findCapabilityPrefix = ({ uid, gid }: Identity): string[] | undefined => {
  const capability = findCapability()
  if (!capability) return undefined
  const prefix = [
    ...['setpriv', '--reuid', String(uid), '--regid', String(gid), '--clear-groups'],
    ...[`--inh-caps=+${capability}`, `--ambient-caps=+${capability}`],
    // Without this bit access(2) ignores the capability, and initdb asks access(2) whether it may run the server.
    '--securebits=+no_setuid_fixup',
  ]
  const [command, ...args] = [...prefix, 'true']
  return spawnSync(command!, args, { stdio: 'ignore', cwd: '/' }).status === 0 ? prefix : undefined
}

// Reading and passing is enough; containers often leave only the stronger one.
const capabilityBits = { dac_read_search: 2n, dac_override: 1n }

const findCapability = (): string | undefined => {
  if (process.platform !== 'linux') return undefined
  const effective = BigInt(`0x${/^CapEff:\s*(\w+)/m.exec(readFileSync('/proc/self/status', 'utf8'))![1]}`)
  return Object.entries(capabilityBits).find(([, bit]) => (effective >> bit) & 1n)?.[0]
}
