import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'

/**
 * Tells one process from a later one with the same number: when it started, and since which boot. Undefined when no
 * such process runs; a zombie does not run.
 */
export const processFingerprint = (pid: number): string | undefined =>
  process.platform === 'linux' ? linuxFingerprint(pid) : quietly(() => ps(pid, 'lstart')) || undefined

export const isRunning = (pid: number): boolean => processFingerprint(pid) !== undefined

/**
 * Whether this process is the PostgreSQL server of that cluster, and not some other one that got its number later.
 * A server works inside its cluster folder, which stays true when the folder is renamed; where the system does not
 * let us look, its command line must name the folder.
 */
export const isPostmasterOf = (pid: number, cluster: string): boolean => {
  if (!isRunning(pid)) return false
  const words = process.platform === 'linux' ? linuxCommand(pid) : (quietly(() => ps(pid, 'command')) ?? '').split(' -')
  if (basename(words[0] ?? '') !== 'postgres') return false
  // On Linux the folder is an argument of its own; elsewhere we get one line, cut at each option.
  const names = (word: string) => word === cluster || word === `D ${cluster}`
  const worksThere = process.platform === 'linux' ? worksIn(pid, cluster) : undefined
  return worksThere ?? words.some(names)
}

const linuxFingerprint = (pid: number): string | undefined => {
  const stat = quietly(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  // The second field is the program's name in parentheses and may itself hold spaces and parentheses.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (!fields || ['Z', 'X'].includes(fields[0]!)) return undefined
  const startedAtTicks = fields[19]
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${startedAtTicks}`
}

const linuxCommand = (pid: number) => (quietly(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? '').split('\0')

const worksIn = (pid: number, directory: string): boolean | undefined =>
  quietly(() => {
    const [work, wanted] = [statSync(`/proc/${pid}/cwd`), statSync(directory)]
    return work.dev === wanted.dev && work.ino === wanted.ino
  })

const ps = (pid: number, column: string) =>
  execFileSync('ps', ['-ww', '-o', `${column}=`, '-p', String(pid)], { encoding: 'utf8' }).trim()

const quietly = <T>(look: () => T): T | undefined => {
  try {
    return look()
  } catch {
    return undefined
  }
}
