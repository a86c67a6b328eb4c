import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a running server writes about itself into `postmaster.pid`; after a crash, what the dead one wrote. */
export type PostmasterFile = { pid: number; socketDirectory: string; isReady: boolean }

const fileIn = (cluster: string) => join(cluster, 'postmaster.pid')

/** Undefined where there is none, or where the server has only begun to write it. */
export const readPostmasterFile = (cluster: string): PostmasterFile | undefined => {
  const lines = readLines(cluster)
  const pid = Math.abs(Number.parseInt(lines?.[0] ?? '', 10))
  if (!lines || !pid) return undefined
  return { pid, socketDirectory: lines[4] ?? '', isReady: lines[7]?.trim() === 'ready' }
}

/**
 * Lets PostgreSQL start although the number in a dead server's file exists: somebody else has it now, or the dead one
 * is a zombie because its container has nobody who reaps. Removing the file would also remove its protection against
 * processes of the dead server that still write, which PostgreSQL finds by the shared memory named further down. So
 * only the number becomes ours: PostgreSQL never takes its own parent for another server. A file without a number,
 * cut short by a crash, protects nothing and would stop every start.
 */
export const disownPostmasterFile = (cluster: string): void => {
  const [pid = '', ...rest] = readLines(cluster) ?? []
  if (Number.parseInt(pid, 10)) writeFileSync(fileIn(cluster), [process.pid, ...rest].join('\n'))
  else rmSync(fileIn(cluster), { force: true })
}

const readLines = (cluster: string): string[] | undefined => {
  try {
    return readFileSync(fileIn(cluster), 'utf8').split('\n')
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}
