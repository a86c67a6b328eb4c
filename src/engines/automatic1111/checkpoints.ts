import type { StopSignal } from '#plumbing/stop-signal.js'
import { EngineError } from '../engine-error.js'
import type { UpstreamClient } from '../upstream/client.js'

type Checkpoint = { title?: unknown; model_name?: unknown; hash?: unknown; sha256?: unknown }

/** The server takes any part of a title for the name, and so do we. */
const isNamed = ({ title, model_name, hash, sha256 }: Checkpoint, name: string): boolean =>
  [model_name, hash, sha256].includes(name) || (typeof title === 'string' && title.includes(name))

/**
 * The server draws with whatever is loaded when it does not have the checkpoint that it is asked for, and says nothing. So
 * it is asked for its list first, once for each model that is found there.
 */
export const createCheckpoints = (client: UpstreamClient) => {
  const found = new Set<string>()
  return {
    async check(name: string, signal: StopSignal): Promise<void> {
      if (found.has(name)) return
      const answer = await client.getForJson('/sdapi/v1/sd-models', { signal }).catch(nothingSaid)
      signal.throwIfAborted()
      // Servers that only speak a part of the API have no list; then it is taken on trust.
      if (!Array.isArray(answer)) return
      const list: unknown[] = answer
      const isThere = list.some((item) => typeof item === 'object' && item !== null && isNamed(item, name))
      if (!isThere) throw new EngineError('unavailable', `the upstream has no checkpoint '${name}'`)
      found.add(name)
    },
  }
}

const nothingSaid = (error: unknown) => {
  if (error instanceof EngineError) return undefined
  throw error
}
