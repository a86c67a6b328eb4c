import { createBatcher } from '#plumbing/batcher.js'
import type { Sql } from '#store/sql.js'
import { adoptEarlier, type Counted, countUse, type Earlier, withEarlier } from './count-use.js'
import { stepMs, type Tally, type Use } from './tally.js'
import { readUse, removeOldUse, writeUse } from './written-use.js'

export type LastingTally = Tally & {
  /** Writes down what was counted, instead of waiting for the next round. */
  flush(): Promise<void>
  stop(): Promise<void>
}

type Subject = Counted & {
  name: string
  /** Among those that are not written yet. */
  isChanged: boolean
  /** What it used before we began is counted, too. Before that it must not be written. */
  isComplete: boolean
  reading: Promise<Earlier> | undefined
}

type Needs = {
  sql: Sql
  /** What was counted could not be written; told once until it can be. */
  onWriteFailed?: (error: unknown) => void
  /** So long a count may be in memory only; so much is lost when the process is killed. */
  pauseMs?: number
  /** Beyond so many, those who are quiet are forgotten: what they used is written. */
  subjectsMax?: number
}

const quietMs = 3_600_000

/** So many are read or written with one statement, so that many of them do not hold up everything else. */
const readMax = 100
const writeMax = 500

/**
 * Counts in this process, exactly as long as no other one shares the limits, and writes it down a little later: so
 * counting costs no round trip, and a restart forgets nothing. What a caller used before is read when they first appear.
 */
export const createLastingTally = ({
  sql,
  onWriteFailed = () => {},
  pauseMs = 5_000,
  subjectsMax = 10_000,
}: Needs): LastingTally => {
  const subjects = new Map<string, Subject>()
  let forgetAt = subjectsMax
  /** Not written yet, and being written right now. */
  const changed = new Set<Subject>()
  let writing = new Set<Subject>()
  let timer: NodeJS.Timeout | undefined
  let flushing = Promise.resolve()
  let isStopped = false
  let isFailing = false
  let removedMs = Number.NEGATIVE_INFINITY

  const forgetQuiet = (nowMs: number) => {
    for (const subject of subjects.values())
      if (nowMs - subject.minuteStartMs > quietMs && !subject.isChanged && !writing.has(subject))
        subjects.delete(subject.name)
    // Looking through all of them pays only when there are many new ones.
    forgetAt = Math.max(subjectsMax, subjects.size * 2)
  }

  const meet = (name: string, nowMs: number): Subject => {
    if (subjects.size >= forgetAt) forgetQuiet(nowMs)
    // Written out: of an object that is put together from another one, counting takes twice as long.
    const subject: Subject = {
      minuteStartMs: 0,
      requests: 0,
      credits: 0,
      steps: [],
      name,
      isChanged: false,
      isComplete: false,
      reading: undefined,
    }
    subjects.set(name, subject)
    return subject
  }

  const readTogether = createBatcher<{ name: string; nowMs: number }, Earlier>({
    run: (asked) =>
      readUse(
        sql,
        asked.map(({ name }) => name),
        Math.max(...asked.map(({ nowMs }) => nowMs)),
      ),
    sizeMax: readMax,
  })

  const readOnce = async (subject: Subject, nowMs: number): Promise<Earlier> => {
    try {
      const earlier = await readTogether({ name: subject.name, nowMs })
      adoptEarlier(subject, earlier)
      subject.isComplete = true
      return earlier
    } finally {
      subject.reading = undefined
    }
  }

  /** All who come before it is known wait for the same reading. */
  const read = (subject: Subject, nowMs: number): Promise<Earlier> => {
    subject.reading ??= readOnce(subject, nowMs)
    return subject.reading
  }

  const addEarlier = async (subject: Subject, used: Use, nowMs: number): Promise<Use> =>
    withEarlier(used, await read(subject, nowMs), nowMs)

  const noteChange = (subject: Subject) => {
    subject.isChanged = true
    changed.add(subject)
    if (timer === undefined) writeLater()
  }

  /** Who has changed and can be written, from now on counted as written. Who could not be read stays for another round. */
  const takeChanged = (): Subject[] => {
    const taken = [...changed].filter(({ isComplete }) => isComplete)
    for (const subject of taken) {
      subject.isChanged = false
      changed.delete(subject)
    }
    return taken
  }

  const write = async () => {
    const incomplete = [...changed].filter(({ isComplete }) => !isComplete)
    await Promise.allSettled(incomplete.map((subject) => read(subject, subject.minuteStartMs)))
    const taken = takeChanged()
    if (taken.length === 0) return
    writing = new Set(taken)
    try {
      for (let start = 0; start < taken.length; start += writeMax) {
        const batch = taken.slice(start, start + writeMax)
        await writeUse(sql, batch)
        for (const subject of batch) writing.delete(subject)
      }
      const latestMs = taken.reduce((latest, { minuteStartMs }) => Math.max(latest, minuteStartMs), 0)
      if (latestMs - removedMs >= stepMs) {
        await removeOldUse(sql, latestMs)
        removedMs = latestMs
      }
      isFailing = false
    } catch (error) {
      if (!isFailing) onWriteFailed(error)
      isFailing = true
    }
    for (const subject of writing) noteChange(subject)
    writing.clear()
  }

  const flush = () => {
    flushing = flushing.then(write)
    return flushing
  }

  const writeLater = () => {
    if (isStopped) return
    const round = async () => {
      await flush()
      timer = undefined
      if (changed.size > 0) writeLater()
    }
    timer = setTimeout(round, pauseMs).unref()
  }

  return {
    add(name, use, nowMs) {
      const subject = subjects.get(name) ?? meet(name, nowMs)
      const used = countUse(subject, use, nowMs)
      if (!subject.isChanged) noteChange(subject)
      return subject.isComplete ? used : addEarlier(subject, used, nowMs)
    },
    flush,
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await flush()
    },
  }
}
