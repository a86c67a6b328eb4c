import type { LlamaContextSequence, Token } from 'node-llama-cpp'
import type { StopSignal } from '#plumbing/stop-signal.js'
import { EngineError } from '../engine-error.js'

export type Lease = { sequence: LlamaContextSequence; release(): void }
type Wish = { tokens: Token[]; cacheKey: string | undefined; signal: StopSignal }
type Place = { sequence: LlamaContextSequence; cacheKey: string | undefined; usedAt: number }

/**
 * The places of one model at which requests are worked on side by side. Who finds none waits in line, first come first
 * served. Each place still remembers the tokens of its last request, so the one that shares the longest beginning with
 * the new prompt is chosen; but no long memory is thrown away for a short beginning.
 */
export const createSequencePool = (sequences: LlamaContextSequence[], waitingMax = 256) => {
  let uses = 0
  const free: Place[] = sequences.map((sequence) => ({ sequence, cacheKey: undefined, usedAt: 0 }))
  const line: { wish: Wish; start(lease: Lease): void }[] = []

  const lend = (wish: Wish): Lease => {
    const [best] = free
      .map((place) => ({ place, shared: sharedBeginning(place.sequence, wish.tokens) }))
      .sort(
        (a, b) =>
          b.shared - a.shared ||
          Number(isSameKey(b.place, wish)) - Number(isSameKey(a.place, wish)) ||
          a.place.usedAt - b.place.usedAt,
      )
    const place = (best as { place: Place }).place
    free.splice(free.indexOf(place), 1)
    let isReleased = false
    const release = () => {
      if (isReleased) return
      isReleased = true
      free.push({ sequence: place.sequence, cacheKey: wish.cacheKey, usedAt: ++uses })
      const next = line.shift()
      if (next !== undefined) next.start(lend(next.wish))
    }
    return { sequence: place.sequence, release }
  }

  /** Rejects with the reason of the signal as soon as it fires. */
  const take = (wish: Wish): Promise<Lease> => {
    wish.signal.throwIfAborted()
    if (free.length > 0) return Promise.resolve(lend(wish))
    if (line.length >= waitingMax) throw new EngineError('overloaded', 'too many requests wait for the model')
    return new Promise((resolve, reject) => {
      const leave = () => {
        line.splice(line.indexOf(waiting), 1)
        reject(wish.signal.reason)
      }
      const waiting = {
        wish,
        start: (lease: Lease) => {
          wish.signal.removeEventListener('abort', leave)
          resolve(lease)
        },
      }
      line.push(waiting)
      wish.signal.addEventListener('abort', leave, { once: true })
    })
  }

  return { take, waiting: () => line.length }
}

/** 0 when more would be forgotten than reused. */
const sharedBeginning = (sequence: LlamaContextSequence, tokens: Token[]): number => {
  const shared = sequence.compareContextTokens(tokens).firstDifferentIndex
  return shared * 2 >= sequence.nextTokenIndex ? shared : 0
}

const isSameKey = (place: Place, wish: Wish): boolean => wish.cacheKey !== undefined && place.cacheKey === wish.cacheKey
