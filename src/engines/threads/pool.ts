import { Worker } from 'node:worker_threads'
import type { StopSignal } from '#plumbing/stop-signal.js'
import { EngineError } from '../engine-error.js'
import { buffersIn, type Outcome, type Task } from './serve.js'

export type ThreadPool = {
  /**
   * Gives a job to a thread. The buffers in `gives` change hands: they are empty here afterwards. Throws `EngineError`, or
   * the signal's reason at once when it fires.
   */
  run<Input, Output>(job: string, input: Input, options: { signal: StopSignal; gives?: unknown }): Promise<Output>
  close(): Promise<void>
}

export type ThreadPoolNeeds = {
  /** The file of the threads, which calls `serveJobs`: `new URL('./worker.js', import.meta.url)`. */
  file: URL
  /** What the threads do, for messages: 'the upscaler'. */
  name: string
  threadsMax?: number
  /** A thread without work ends after this long and gives its memory back. */
  idleMs?: number
  /** How long a job may take, with its time in the queue; nobody waits for ever. */
  limitMs?: number
  /** Jobs that may wait; who comes then is told to come later. */
  waitingMax?: number
  /** For JavaScript objects; pixels and weights of models live beside it. A thread that needs more is broken. */
  heapMb?: number
  /**
   * How long a job that nobody wants may go on before its thread is ended. Generous, because ending a thread in the middle of
   * native code, such as a run of a network, may end the whole process: only a job that hangs should come to this.
   */
  stopPatienceMs?: number
}

/** A stop should not take longer than the longest run of a network. */
const closePatienceMs = 20_000

type Call = { task: Task; gives: unknown; resolve(outcome: Outcome): void; reject(error: Error): void }
type Thread = { worker: Worker; call: Call | undefined; idleTimer: NodeJS.Timeout | undefined }

/**
 * Threads for work that would hold up the event loop. They start with the first job and end when there is none for a while.
 * A thread that dies fails its job; the next job starts another.
 */
export const createThreadPool = ({
  file,
  name,
  threadsMax = 1,
  idleMs = 60_000,
  limitMs = 600_000,
  waitingMax = 64,
  heapMb = 512,
  stopPatienceMs = 60_000,
}: ThreadPoolNeeds): ThreadPool => {
  const threads = new Set<Thread>()
  const waiting: Call[] = []
  let isClosed = false

  const open = (): Thread => {
    const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: heapMb } })
    const thread: Thread = { worker, call: undefined, idleTimer: undefined }
    worker.on('message', (outcome: Outcome) => {
      thread.call?.resolve(outcome)
      thread.call = undefined
      proceed(thread)
    })
    worker.on('error', (cause) => lose(thread, cause))
    worker.on('exit', () => lose(thread))
    threads.add(thread)
    return thread
  }

  const lose = (thread: Thread, cause?: unknown) => {
    clearTimeout(thread.idleTimer)
    thread.call?.reject(new EngineError('unavailable', `a thread of ${name} ended in the middle`, { cause }))
    thread.call = undefined
    if (threads.delete(thread)) start()
  }

  const give = (thread: Thread, call: Call) => {
    clearTimeout(thread.idleTimer)
    thread.call = call
    thread.worker.ref()
    try {
      thread.worker.postMessage(call.task, buffersIn(call.gives))
    } catch (error) {
      // What cannot travel is the fault of who sent it; the thread is free for others.
      thread.call = undefined
      call.reject(error as Error)
      proceed(thread)
    }
  }

  const proceed = (thread: Thread) => {
    const next = waiting.shift()
    if (next) return give(thread, next)
    // Alone, it neither keeps the process alive nor its memory forever.
    thread.worker.unref()
    thread.idleTimer = setTimeout(() => end(thread), idleMs).unref()
  }

  const end = (thread: Thread) => {
    threads.delete(thread)
    clearTimeout(thread.idleTimer)
    return thread.worker.terminate()
  }

  /** Lets threads that rest, or new ones, take what waits. */
  const start = () => {
    while (waiting.length > 0 && !isClosed) {
      const resting = [...threads].find(({ call }) => call === undefined)
      if (!resting && threads.size >= threadsMax) return
      give(resting ?? open(), waiting.shift() as Call)
    }
  }

  /** Nobody waits for this call any more. */
  const drop = (call: Call) => {
    const place = waiting.indexOf(call)
    if (place >= 0) return void waiting.splice(place, 1)
    Atomics.store(call.task.stop, 0, 1)
    const thread = [...threads].find((one) => one.call === call)
    if (!thread) return
    void ended(call).then(() => {
      // A job that looked at `stop` has ended in time; another one takes its thread with it.
      if (thread.call === call) void thread.worker.terminate()
    })
  }

  /** Resolves when a call is over, which nobody else waits for any more, or when patience is. */
  const ended = (call: Call, patienceMs = stopPatienceMs): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, patienceMs)
      const over = () => {
        clearTimeout(timer)
        resolve()
      }
      call.resolve = over
      call.reject = over
    })

  const closeThread = async ({ call, worker }: Thread) => {
    if (call) {
      call.reject(new EngineError('unavailable', `${name} is closed`))
      Atomics.store(call.task.stop, 0, 1)
      await ended(call, Math.min(stopPatienceMs, closePatienceMs))
    }
    await worker.terminate()
  }

  return {
    async run<Input, Output>(job: string, input: Input, { signal, gives }: { signal: StopSignal; gives?: unknown }) {
      signal.throwIfAborted()
      if (isClosed) throw new EngineError('unavailable', `${name} is closed`)
      const outcome = await new Promise<Outcome>((resolve, reject) => {
        const stop = new Int32Array(new SharedArrayBuffer(4))
        const call: Call = { task: { job, input, stop }, gives, resolve, reject }
        const leave = () => {
          over()
          drop(call)
          reject(signal.reason)
        }
        const late = setTimeout(() => {
          over()
          drop(call)
          reject(new EngineError('timeout', `${name} was not finished after ${limitMs} ms`))
        }, limitMs)
        const over = () => {
          clearTimeout(late)
          signal.removeEventListener('abort', leave)
        }
        call.resolve = (outcome) => {
          over()
          resolve(outcome)
        }
        call.reject = (error) => {
          over()
          reject(error)
        }
        waiting.push(call)
        start()
        if (waiting.length > waitingMax) {
          waiting.pop()
          over()
          return reject(new EngineError('overloaded', `too much waits for ${name}`))
        }
        signal.addEventListener('abort', leave, { once: true })
      })
      if ('output' in outcome) return outcome.output as Output
      const { trouble, message, said, retryAfterMs } = outcome
      throw new EngineError(trouble, `${name}: ${message}`, {
        ...(said !== undefined && { said }),
        ...(retryAfterMs !== undefined && { retryAfterMs }),
      })
    },
    async close() {
      isClosed = true
      for (const { reject } of waiting.splice(0)) reject(new EngineError('unavailable', `${name} is closed`))
      await Promise.all([...threads].map(closeThread))
    },
  }
}
