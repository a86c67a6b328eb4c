import { createEventReader, type ServerSentEvent } from '#plumbing/event-stream.js'
import { EngineError } from '../engine-error.js'
import type { Exchange } from './exchange.js'

/** More than this is not read ahead of a slow reader, beside what the socket itself keeps. */
const readAheadCharacters = 64 * 1024

type Listener = { onData(bytes: Buffer): void; onEnd(): void; onFailure(error: unknown): void }

type Needs = {
  /** Called when the first event is wanted. */
  start(listener: Listener): Exchange
  /** Says which event is the last one of a complete answer. */
  isLast(event: ServerSentEvent): boolean
}

/** The events of one answer, as many at a time as have come. */
export const createEvents = ({ start, isLast }: Needs): AsyncIterable<ServerSentEvent[]> => ({
  [Symbol.asyncIterator]() {
    let waiting: ServerSentEvent[] = []
    let waitingCharacters = 0
    let isPaused = false
    let isComplete = false
    let isOver = false
    let failure: { error: unknown } | undefined
    let wake: (() => void) | undefined
    let exchange: Exchange | undefined

    const finish = (error?: { error: unknown }) => {
      isOver = true
      failure = error
      wake?.()
    }

    const reader = createEventReader({
      onEvent(event) {
        if (isComplete) return
        waiting.push(event)
        waitingCharacters += event.data.length
        isComplete = isLast(event)
      },
    })

    const listener: Listener = {
      onData(bytes) {
        try {
          reader.push(bytes)
        } catch (error) {
          return exchange?.fail(new EngineError('broken', `the upstream sent nonsense: ${(error as Error).message}`))
        }
        if (isComplete) {
          exchange?.linger()
          return finish()
        }
        if (waitingCharacters > readAheadCharacters && !isPaused) {
          isPaused = true
          exchange?.pause()
        }
        // One read may come in many pieces; whoever is woken runs after the last of them and takes all.
        if (waiting.length > 0) wake?.()
      },
      onEnd: () => finish({ error: new EngineError('broken', 'the upstream ended before its last event') }),
      onFailure: (error) => finish({ error }),
    }

    const next = async (): Promise<IteratorResult<ServerSentEvent[], undefined>> => {
      exchange ??= start(listener)
      while (waiting.length === 0 && !isOver)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      if (waiting.length > 0) {
        const events = waiting
        waiting = []
        waitingCharacters = 0
        if (isPaused) {
          isPaused = false
          exchange.resume()
        }
        return { done: false, value: events }
      }
      const thrown = failure
      failure = undefined
      if (thrown) throw thrown.error
      return { done: true, value: undefined }
    }

    return {
      next,
      async return() {
        waiting = []
        exchange?.fail(undefined)
        failure = undefined
        return { done: true, value: undefined }
      },
    }
  },
})
