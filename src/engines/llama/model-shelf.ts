import type { Clock } from '#plumbing/clock.js'
import { EngineError } from '../engine-error.js'
import type { OnTrouble } from './native.js'

/** Calls back after some time, unless it is cancelled. Does not keep a process alive. */
export type Schedule = (work: () => void, delayMs: number) => () => void

export const systemSchedule: Schedule = (work, delayMs) => {
  const timer = setTimeout(work, delayMs)
  timer.unref()
  return () => clearTimeout(timer)
}

type Needs<Model> = {
  load(name: string): Promise<Model>
  loadedMax: number
  idleMs: number
  clock: Clock
  schedule: Schedule
  onTrouble: OnTrouble
}

type Entry<Model> = {
  model: Promise<Model>
  users: number
  usedAtMs: number
  cancelUnload: () => void
}

/**
 * Keeps the models that are in use in memory: loaded once on the first request, unloaded when nobody asked for a while,
 * or, the least recently used first, when another one needs the room.
 */
export const createModelShelf = <Model extends { dispose(): Promise<void> }>(needs: Needs<Model>) => {
  const { load, loadedMax, idleMs, clock, schedule, onTrouble } = needs
  const entries = new Map<string, Entry<Model>>()
  const leaving = new Set<Promise<void>>()
  let isClosed = false

  const unload = (name: string, entry: Entry<Model>): Promise<void> => {
    entries.delete(name)
    entry.cancelUnload()
    const done = entry.model
      .then((model) => model.dispose())
      .catch((cause) => onTrouble(`the model ${name} could not be unloaded`, cause))
      .finally(() => leaving.delete(done))
    leaving.add(done)
    return done
  }

  const makeRoom = async (): Promise<void> => {
    const idle = [...entries].filter(([, { users }]) => users === 0).sort(([, a], [, b]) => a.usedAtMs - b.usedAtMs)
    const [oldest] = idle
    if (entries.size < loadedMax) return
    if (oldest === undefined) throw new EngineError('overloaded', 'all models that fit into memory are busy')
    await unload(...oldest)
  }

  const start = (name: string): Entry<Model> => {
    const room = makeRoom()
    const model = room
      .then(() => Promise.all(leaving))
      .then(() => load(name))
      .catch((error) => {
        // The next request tries again.
        if (entries.get(name) === entry) entries.delete(name)
        throw error
      })
    const entry: Entry<Model> = { model, users: 0, usedAtMs: clock.nowMs(), cancelUnload: () => {} }
    entries.set(name, entry)
    return entry
  }

  return {
    /** Who takes a model must give it back. */
    async take(name: string): Promise<{ model: Model; giveBack(): void }> {
      if (isClosed) throw new EngineError('unavailable', 'the engine is closed')
      const entry = entries.get(name) ?? start(name)
      entry.users++
      entry.cancelUnload()
      let isBack = false
      const giveBack = () => {
        if (isBack) return
        isBack = true
        entry.users--
        entry.usedAtMs = clock.nowMs()
        if (entry.users === 0 && entries.get(name) === entry)
          entry.cancelUnload = schedule(() => void unload(name, entry), idleMs)
      }
      try {
        return { model: await entry.model, giveBack }
      } catch (error) {
        giveBack()
        throw error
      }
    },
    loaded: (): string[] => [...entries.keys()],
    async close(): Promise<void> {
      isClosed = true
      for (const [name, entry] of entries) void unload(name, entry)
      await Promise.all(leaving)
    },
  }
}
