import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { neverStops } from '#plumbing/stop-signal.js'
import { EngineError } from '../engine-error.js'
import type { UpstreamClient } from '../upstream/client.js'

type Progress = { active?: unknown; queued?: unknown; completed?: unknown }

/** A request that was just sent may not have reached the queue yet. */
const unknownMax = 3

/** Names the tasks of a server, and stops those whose caller has left. */
export const createTasks = (client: UpstreamClient, pollMs: number) => {
  const progressOf = async (id_task: string): Promise<Progress> => {
    const body = JSON.stringify({ id_task, id_live_preview: -1, live_preview: false })
    const answer = await client.postForJson('/internal/progress', body, { signal: neverStops })
    return typeof answer === 'object' && answer !== null ? answer : {}
  }

  /**
   * The server goes on when a connection is closed, and its interrupt stops whatever is running, which may be the picture
   * of somebody else. So it is asked first whether the running task is this one; a task that waits is waited for, for the
   * queue cannot be left. Where the server does not say (`--nowebui`), the task is left to finish.
   */
  const stop = async (taskId: string): Promise<void> => {
    const untilMs = performance.now() + client.totalMs
    for (let unknown = 0; unknown < unknownMax && performance.now() < untilMs; ) {
      const { active, queued, completed } = await progressOf(taskId)
      if (active === true) return client.tell('/sdapi/v1/interrupt', '{}', { signal: neverStops })
      if (completed === true) return
      if (queued !== true) unknown += 1
      await pause(pollMs, undefined, { ref: false })
    }
  }

  return {
    /** Runs work that has a name at the server. When it ends before the server does, the server is told to stop. */
    async run<T>(work: (taskId: string) => Promise<T>, isLeft: () => boolean): Promise<T> {
      const taskId = `task(tessera-${randomUUID()})`
      try {
        return await work(taskId)
      } catch (error) {
        const isLate = error instanceof EngineError && error.trouble === 'timeout'
        // Nobody waits for this, and a server that cannot be told has other troubles.
        if (isLeft() || isLate) stop(taskId).catch(() => {})
        throw error
      }
    },
  }
}
