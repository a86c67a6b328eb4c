import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { JsonText } from '#engines/nodes/node.js'
import type { Clock } from '#plumbing/clock.js'
import type { Kept } from './keeping.js'

/** When an answer was asked for: it is good for as long as nobody has seen a newer block, and one block time at most. */
export type Asked = { generation: number; untilMs: number }

export type RpcCache = {
  get(key: string, generation: number): JsonText | undefined
  put(key: string, text: JsonText, kept: Exclude<Kept, 'no'>, asked: Asked): void
  /** How much there is. */
  size(): { entries: number; bytes: number }
}

/** What is the same question. Networks and methods have no zero in their names, so no two questions share a key. */
export const questionKey = (network: string, method: string, params: JsonText | undefined): string => {
  const key = `${network}\0${method}\0${params ?? '[]'}`
  return key.length > keyCharactersMax ? hash('sha256', Buffer.from(key, 'latin1'), 'base64') : key
}

const keyCharactersMax = 256
/** What an entry takes beside its texts, roughly. */
const entryBytes = 200
/** So that one answer does not push out all others. */
const largestShare = 16

type Entry = { text: JsonText; generation: number; untilMs: number }

const anyGeneration = -1

/** Answers that are still true, the longest unused given up first where there are too many. */
export const createRpcCache = ({ bytesMax, clock }: { bytesMax: () => number; clock: Clock }): RpcCache => {
  let most = 0
  let entries: LRUCache<string, Entry> | undefined

  /** The operator may change how much is kept. */
  const current = () => {
    const wanted = bytesMax()
    if (wanted !== most) {
      most = wanted
      entries =
        wanted > 0 ? new LRUCache({ maxSize: wanted, maxEntrySize: Math.ceil(wanted / largestShare) }) : undefined
    }
    return entries
  }

  const isGood = (entry: Entry, generation: number) =>
    entry.generation === anyGeneration || (entry.generation === generation && clock.nowMs() < entry.untilMs)

  return {
    get(key, generation) {
      const entry = current()?.get(key)
      if (entry === undefined) return undefined
      if (isGood(entry, generation)) return entry.text
      entries?.delete(key)
      return undefined
    },

    put(key, text, kept, { generation, untilMs }) {
      const entry = { text, generation: kept === 'forever' ? anyGeneration : generation, untilMs }
      current()?.set(key, entry, { size: key.length + text.length + entryBytes })
    },

    size: () => ({ entries: entries?.size ?? 0, bytes: entries?.calculatedSize ?? 0 }),
  }
}
