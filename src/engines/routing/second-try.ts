import type { EngineError } from '../engine-error.js'

const pauseMs = 100
const retryAfterMsMax = 1_000

/** What sockets say when nobody was there, or went away before an answer. */
const lostConnections = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

/**
 * How long to wait before the only target there is is asked once more; undefined is never. It is asked again only when it
 * has certainly not produced anything: twice the work is worse than an honest error, and a restart or a burst passes soon.
 */
export const secondTryAfterMs = (error: EngineError | undefined, random: () => number): number | undefined => {
  if (error === undefined) return undefined
  if (error.trouble === 'overloaded') {
    const { retryAfterMs } = error
    return retryAfterMs !== undefined && retryAfterMs <= retryAfterMsMax ? retryAfterMs : undefined
  }
  // Spread out, so that those who lost the same upstream together do not come back together.
  return error.trouble === 'unavailable' && wasConnectionLost(error.cause) ? pauseMs * (0.5 + random()) : undefined
}

const wasConnectionLost = (cause: unknown): boolean =>
  typeof cause === 'object' && cause !== null && 'code' in cause && lostConnections.has(String(cause.code))
