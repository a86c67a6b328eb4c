import { getPriority, setPriority } from 'node:os'
import { type MessagePort, parentPort } from 'node:worker_threads'
import { messageOf } from '#plumbing/message-of.js'
import { EngineError, type EngineTrouble } from '../engine-error.js'

/** A piece of work as it travels to a thread; `stop` becomes 1 when nobody wants it any more. */
export type Task = { job: string; input: unknown; stop: Int32Array }

/** What comes back. Errors lose their kind between threads, so troubles travel as data. */
export type Outcome =
  | { output: unknown }
  | { trouble: EngineTrouble; message: string; said: string | undefined; retryAfterMs: number | undefined }

export type Stop = {
  isStopped(): boolean
  /** For loops: throws when nobody wants the rest. */
  check(): void
}

export type Job<Input, Output> = (input: Input, stop: Stop) => Promise<Output> | Output

/** Of threads that compute; requests have 0. */
const low = 10

/** Makes the file it is called in the file of a thread: these are the jobs that a pool can give to it. */
export const serveJobs = (jobs: Record<string, Job<never, unknown>>) => {
  const port = parentPort
  if (port === null) throw new Error('this file is made for a thread')
  // Requests go first where cores are few. Only Linux knows priorities of single threads, and nobody may raise his own.
  if (process.platform === 'linux' && getPriority() < low) setPriority(low)
  port.on('message', async ({ job, input, stop }: Task) => {
    const outcome = await attempt(jobs[job] as Job<unknown, unknown>, input, stop)
    giveBack(port, outcome)
  })
}

/** Memory that native code has lent us cannot change hands in newer versions of Node; a copy of it can. */
const giveBack = (port: MessagePort, outcome: Outcome) => {
  try {
    port.postMessage(outcome, buffersIn(outcome))
  } catch {
    const own = inOwnMemory(outcome)
    port.postMessage(own, buffersIn(own))
  }
}

const inOwnMemory = (value: unknown): unknown => {
  if (value instanceof Float32Array) return new Float32Array(value)
  if (value instanceof Uint8ClampedArray) return new Uint8ClampedArray(value)
  if (value instanceof Uint8Array) return new Uint8Array(value)
  if (Array.isArray(value)) return value.map(inOwnMemory)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inOwnMemory(inner)]))
}

const attempt = async (job: Job<unknown, unknown>, input: unknown, stop: Int32Array): Promise<Outcome> => {
  const isStopped = () => Atomics.load(stop, 0) === 1
  const check = () => {
    // Whoever asked has gone, so nobody sees it.
    if (isStopped()) throw new EngineError('unavailable', 'nobody wants this any more')
  }
  try {
    return { output: await job(input, { isStopped, check }) }
  } catch (error) {
    if (!(error instanceof EngineError))
      return { trouble: 'unavailable', message: messageOf(error), said: undefined, retryAfterMs: undefined }
    const { trouble, message, said, retryAfterMs } = error
    return { trouble, message, said, retryAfterMs }
  }
}

/** The memory of large arrays in a value, which can change hands instead of being copied. */
export const buffersIn = (value: unknown): ArrayBuffer[] => {
  if (ArrayBuffer.isView(value)) {
    const { buffer, byteLength } = value
    // Small buffers share their memory with others; giving one away would take the rest with it.
    return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : []
  }
  if (typeof value !== 'object' || value === null) return []
  return [...new Set(Object.values(value).flatMap(buffersIn))]
}
