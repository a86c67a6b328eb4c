import { chownSync, closeSync, fstatSync, openSync, readSync, renameSync, statSync } from 'node:fs'
import type { Identity } from '../user/identity.js'

const logBytesMax = 10_000_000
const tailBytesMax = 16_000

/** Opened for appending, and set aside as `.1` when it has grown; `written` is what came after this moment. */
export const openLog = (path: string, { uid, gid }: Identity) => {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > logBytesMax) renameSync(path, `${path}.1`)
  const handle = openSync(path, 'a+', 0o600)
  // A start by root must not leave a log that the folder's owner cannot append to later.
  if (process.getuid!() === 0) chownSync(path, uid, gid)
  const { size: start } = fstatSync(handle)
  return { handle, close: () => closeSync(handle), written: () => readTail(path, start) }
}

const readTail = (path: string, start: number): string => {
  const handle = openSync(path, 'r')
  const { size } = fstatSync(handle)
  const from = Math.max(start, size - tailBytesMax)
  const buffer = Buffer.alloc(size - from)
  readSync(handle, buffer, 0, buffer.length, from)
  closeSync(handle)
  return buffer.toString('utf8')
}
