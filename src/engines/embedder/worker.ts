import { setImmediate as nextTurn } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'
import { messageOf } from '#plumbing/message-of.js'
import { type Answer, createJob } from './job.js'
import { loadSentenceModel } from './model.js'

export type Order = { kind: 'embed'; id: number; texts: string[] } | { kind: 'forget'; id: number }

const port = parentPort
if (!port) throw new Error('this file runs in a worker thread')

const say = (answer: Answer): void =>
  'vectors' in answer ? port.postMessage(answer, [answer.vectors.buffer as ArrayBuffer]) : port.postMessage(answer)

/** Calls take turns step by step, so that a short one does not wait for the end of a long one. */
let jobs: ReturnType<typeof createJob>[] = []
let isWorking = false
const loading = loadSentenceModel()

const work = async (): Promise<void> => {
  isWorking = true
  // If this fails the thread ends, and the next call starts another.
  const model = await loading
  for (let job = jobs[0]; job; job = jobs[0]) {
    let answer: Answer | undefined
    try {
      answer = await job.step(model)
    } catch (error) {
      answer = { id: job.id, broken: messageOf(error) }
    }
    // New orders are heard here, also that somebody has left.
    await nextTurn()
    const isWanted = jobs.includes(job)
    jobs = jobs.filter((other) => other !== job)
    if (answer === undefined && isWanted) jobs.push(job)
    if (answer !== undefined && isWanted) say(answer)
  }
  isWorking = false
}

port.on('message', async (order: Order) => {
  if (order.kind === 'forget') jobs = jobs.filter(({ id }) => id !== order.id)
  else {
    jobs.push(createJob(order.id, order.texts))
    if (!isWorking) await work()
  }
})
