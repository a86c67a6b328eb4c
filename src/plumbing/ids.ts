import { randomFillSync } from 'node:crypto'

const bytesEach = 12
const pool = Buffer.alloc(bytesEach * 512)
let used = pool.length

/**
 * A request id: the second as 8 hex characters, then 96 random bits as 24. Ids of one time lie together in every index
 * that they are part of, so writing one costs the same on ten million rows as on none. The random bits are drawn from a
 * pool, because asking the system for each costs ten times more.
 */
export const newRequestId = (): string => {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += bytesEach
  return currentSecond() + pool.toString('hex', used - bytesEach, used)
}

let second = 0
let secondHex = ''

const currentSecond = (): string => {
  const now = Math.floor(Date.now() / 1000)
  if (now !== second) {
    second = now
    secondHex = now.toString(16).padStart(8, '0')
  }
  return secondHex
}
