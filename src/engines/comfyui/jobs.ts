import { randomUUID } from 'node:crypto'
import { neverStops, type StopSignal } from '#plumbing/stop-signal.js'
import { EngineError } from '../engine-error.js'
import type { UpstreamClient } from '../upstream/client.js'
import { parseJson } from '../upstream/trouble.js'
import { createBell, orStop } from './bell.js'
import { fromFinishedWorkflow, fromRefusedWorkflow } from './trouble.js'
import type { Workflow } from './workflow.js'

export type OutputFile = { filename: string; subfolder: string; type: string }

const broken = (what: string) => new EngineError('broken', `the upstream sent ${what}`)
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Whether a message of the server means that a look at its history is worth while. */
const isEnding = (text: string): boolean => {
  const message = parseJson(text)
  if (!isObject(message) || !isObject(message.data)) return false
  const { type, data } = message
  return type === 'executing' ? data.node === null : /^execution_(?:success|error|interrupted)$/.test(String(type))
}

/** What a finished workflow left behind. Previews count only when nothing was saved: they show steps on the way. */
const readOutputs = (entry: Record<string, unknown>): OutputFile[] => {
  const failure = fromFinishedWorkflow(entry.status)
  if (failure) throw failure
  const files = Object.values(isObject(entry.outputs) ? entry.outputs : {}).flatMap((output) =>
    isObject(output) && Array.isArray(output.images) ? output.images.filter(isObject) : [],
  )
  const named = files.map(({ filename, subfolder, type }) => ({
    filename: String(filename),
    subfolder: String(subfolder ?? ''),
    type: String(type ?? 'output'),
  }))
  const saved = named.filter(({ type }) => type === 'output')
  return saved.length > 0 ? saved : named
}

/**
 * Runs workflows in the queue of a server. Its history tells when one is finished; the WebSocket only says when it is time
 * to look, so that nothing is lost when it breaks, or when a proxy does not let it through.
 */
export const createJobs = (client: UpstreamClient, { pollMs }: { pollMs: number }) => {
  const historyOf = async (id: string, signal: StopSignal): Promise<Record<string, unknown> | undefined> => {
    const answer = await client.getForJson(`/history/${encodeURIComponent(id)}`, { signal })
    const entry = isObject(answer) ? answer[id] : undefined
    return isObject(entry) ? entry : undefined
  }

  const placeOf = async (id: string, signal: StopSignal): Promise<'running' | 'pending' | undefined> => {
    const answer = await client.getForJson('/queue', { signal })
    const holds = (list: unknown) => Array.isArray(list) && list.some((item) => Array.isArray(item) && item[1] === id)
    if (!isObject(answer)) throw broken('no queue')
    return holds(answer.queue_running) ? 'running' : holds(answer.queue_pending) ? 'pending' : undefined
  }

  /** Not stopped by a caller who leaves: what is in the queue must be known by name to be taken out again. */
  const submit = async (workflow: Workflow, clientId: string): Promise<string> => {
    const body = JSON.stringify({ prompt: workflow, client_id: clientId })
    const answer = await client.postForJson('/prompt', body, { signal: neverStops, explain: fromRefusedWorkflow })
    const id = isObject(answer) ? answer.prompt_id : undefined
    if (typeof id !== 'string') throw broken('no prompt_id')
    return id
  }

  /** Older servers interrupt whatever is running, so it is made sure that it is this one. */
  const cancel = async (id: string): Promise<void> => {
    await client.tell('/queue', JSON.stringify({ delete: [id] }), { signal: neverStops })
    if ((await placeOf(id, neverStops)) === 'running')
      await client.tell('/interrupt', JSON.stringify({ prompt_id: id }), { signal: neverStops })
  }

  return {
    async run(workflow: Workflow, signal: StopSignal): Promise<OutputFile[]> {
      signal.throwIfAborted()
      const clientId = randomUUID()
      const bell = createBell()
      let isDeaf = false
      const socket = client.openSocket(`/ws?clientId=${clientId}`, {
        // What was told before that was not heard.
        onOpen: bell.ring,
        onText: (text) => isEnding(text) && bell.ring(),
        onClosed() {
          isDeaf = true
          bell.ring()
        },
      })

      const finish = async (id: string): Promise<OutputFile[]> => {
        for (;;) {
          const entry = await historyOf(id, signal)
          if (entry) return readOutputs(entry)
          const isRung = await bell.wait(isDeaf ? pollMs : pollMs * 10, signal)
          if (isRung || (await placeOf(id, signal)) !== undefined) continue
          const last = await historyOf(id, signal)
          if (last) return readOutputs(last)
          throw new EngineError('broken', 'the workflow is no longer in the queue of the upstream')
        }
      }

      const submitted = submit(workflow, clientId)
      try {
        return await finish(await orStop(submitted, signal))
      } catch (error) {
        // Nobody waits for this, and a server that cannot be told has other troubles.
        submitted.then(cancel).catch(() => {})
        throw error
      } finally {
        socket.close()
      }
    },
  }
}
