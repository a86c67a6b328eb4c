import { setTimeout as delay } from 'node:timers/promises'

// Fast shutdown (sessions end, nothing to recover), immediate shutdown (recovery at the next start), the end.
const steps = [
  { signal: 'SIGINT', patienceMs: 20_000 },
  { signal: 'SIGQUIT', patienceMs: 5_000 },
  { signal: 'SIGKILL', patienceMs: 5_000 },
] as const

const pollMs = 5

/** Ends a PostgreSQL server, kindly first. `hasEnded` must not be fooled by another process with the same number. */
export const shutDown = async (pid: number, hasEnded: () => boolean): Promise<void> => {
  for (const { signal, patienceMs } of steps) {
    if (hasEnded()) return
    send(pid, signal)
    const deadlineMs = Date.now() + patienceMs
    while (Date.now() < deadlineMs) {
      if (hasEnded()) return
      await delay(pollMs)
    }
  }
}

export const send = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
