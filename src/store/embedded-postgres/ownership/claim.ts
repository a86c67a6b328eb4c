import { lstatSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { inUse } from '../failures.js'
import { processFingerprint } from './processes.js'

/**
 * One process at a time works on a data folder. Its claim is a symbolic link that points to no file but says who it
 * is, for a link is made complete or not at all, and only once. Claims are numbered and the highest one counts: to
 * take over from a dead process is to make the next number, so two who find the same dead claim cannot both succeed.
 * A slow one that makes a number long passed finds the one before it gone, or a higher one there, and steps back. That
 * is why a claim is never just removed: the next number, for nobody, replaces it.
 */
export type Claim = { release(): void }

const prefix = 'postgres.owner.'
const pattern = /^postgres\.owner\.(\d+)$/
const nobody = 'nobody'

export const claimFolder = (dataDir: string): Claim => {
  const me = `${process.pid}:${processFingerprint(process.pid)}`
  for (;;) {
    const current = highestClaim(dataDir)
    const owner = current && livingOwner(dataDir, current)
    if (owner) throw inUse(dataDir, owner)
    const mine = current + 1
    if (!make(dataDir, mine, me)) continue
    const isLate = (current > 0 && !exists(dataDir, current)) || highestClaim(dataDir) > mine
    if (isLate) {
      remove(dataDir, mine)
      continue
    }
    removeBelow(dataDir, mine)
    return { release: () => release(dataDir, mine) }
  }
}

const release = (dataDir: string, number: number): void => {
  make(dataDir, number + 1, nobody)
  remove(dataDir, number)
}

const livingOwner = (dataDir: string, number: number): number | undefined => {
  const [pid = '', ...fingerprint] = read(dataDir, number).split(':')
  return processFingerprint(Number(pid)) === fingerprint.join(':') ? Number(pid) : undefined
}

const pathOf = (dataDir: string, number: number) => join(dataDir, `${prefix}${number}`)

const numbers = (dataDir: string) =>
  readdirSync(dataDir)
    .flatMap((name) => pattern.exec(name)?.[1] ?? [])
    .map(Number)

const highestClaim = (dataDir: string) => Math.max(0, ...numbers(dataDir))

const make = (dataDir: string, number: number, owner: string): boolean => {
  try {
    symlinkSync(owner, pathOf(dataDir, number))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

const exists = (dataDir: string, number: number) =>
  lstatSync(pathOf(dataDir, number), { throwIfNoEntry: false }) !== undefined

const read = (dataDir: string, number: number): string => {
  try {
    return readlinkSync(pathOf(dataDir, number))
  } catch (error) {
    // Somebody has moved on to a higher number since we looked; ours will then not be the highest.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return nobody
    throw error
  }
}

const remove = (dataDir: string, number: number) => rmSync(pathOf(dataDir, number), { force: true })

const removeBelow = (dataDir: string, number: number): void => {
  for (const older of numbers(dataDir)) if (older < number) remove(dataDir, older)
}
