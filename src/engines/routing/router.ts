import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '#plumbing/clock.js'
import { type StopSignal, toAbortSignal } from '#plumbing/stop-signal.js'
import { EngineError } from '../engine-error.js'
import type { TextAnswer, TextCall, TextEngine, TextPiece } from '../text.js'
import { type Breaker, type BreakerSettings, createBreaker, type Pass, usualBreaker } from './breaker.js'
import { closeQuietly, openStream } from './open-stream.js'
import { inOrder } from './order.js'
import { RoutingFailure, summarise } from './routing-failure.js'
import { secondTryAfterMs } from './second-try.js'
import { keyOf, type Target } from './target.js'

type Needs = {
  /** Monotonic, for pauses must not jump with the time of day. */
  clock?: Clock
  random?: () => number
  breaker?: BreakerSettings
  /** Waits before a second try, at most until the signal fires. */
  pause?: (ms: number, signal: StopSignal) => Promise<unknown>
  /** Told each time that a target fails by its own fault, also when another one then answers. */
  onTrouble(targetName: string, error: EngineError): void
}

/** What a target gave, its name for `x-svc-model-router`, and for `x-retry-count` how many tries followed the first one. */
export type Routed<Answer> = { target: string; retries: number; answer: Answer }
export type RoutedStream = { target: string; retries: number; pieces: AsyncIterable<TextPiece[]> }

type RoutedCall = Omit<TextCall, 'model'>

const triesMax = 3
const monotonicClock: Clock = { nowMs: () => performance.now() }
const sleepUntilAborted = (ms: number, signal: StopSignal) =>
  sleep(ms, undefined, { signal: toAbortSignal(signal) }).catch(() => undefined)

/**
 * Chooses who does a request when several can, and asks the next one when that fails. There is one router per process,
 * so that what one request learns about the health of a target serves all others.
 *
 * Everything it throws is a `RoutingFailure`, or the reason of the signal once that has fired, or a bug.
 */
export const createRouter = ({
  clock = monotonicClock,
  random = Math.random,
  breaker: settings = usualBreaker,
  pause = sleepUntilAborted,
  onTrouble,
}: Needs) => {
  /** One per target of the configuration, so it does not grow with the traffic. */
  const breakers = new Map<string, Breaker>()
  const breakerOf = (target: Target<unknown>): Breaker => {
    const key = keyOf(target)
    const known = breakers.get(key)
    if (known) return known
    const breaker = createBreaker({ clock, settings })
    breakers.set(key, breaker)
    return breaker
  }

  /** Only what is the target's own fault counts against it; once the signal has fired nobody can tell whose fault it is. */
  const noteFailure = ({ name, isLocal }: Target<unknown>, pass: Pass, error: unknown, signal: StopSignal) => {
    const isItsFault = error instanceof EngineError && error.mayRetry && !signal.aborted
    if (isItsFault) onTrouble(name, error)
    // One caller's strange picture must not keep an engine of ours from all others.
    if (isItsFault && !isLocal) pass.failed(error)
    else pass.released()
  }

  /** Everybody who could do it is left alone at the moment; the first to come back says when. */
  const allPaused = (targets: readonly Target<unknown>[]): EngineError => {
    const [first] = targets.map(breakerOf).sort((one, other) => one.waitMs() - other.waitMs())
    if (first === undefined) return new EngineError('unavailable', 'there is no target')
    return new EngineError(first.isOverloaded() ? 'overloaded' : 'unavailable', 'every target failed a moment ago', {
      retryAfterMs: Math.ceil(first.waitMs()),
    })
  }

  const run = async <Engine, Answer>(
    targets: readonly Target<Engine>[],
    cacheKey: string | undefined,
    work: (target: Target<Engine>) => Promise<Answer>,
    signal: StopSignal,
  ): Promise<Routed<Answer> & { pass: Pass; by: Target<Engine> }> => {
    const errors: EngineError[] = []
    const queue = inOrder(targets, cacheKey, random)
    for (let target = queue.shift(); target !== undefined && errors.length < triesMax; target = queue.shift()) {
      signal.throwIfAborted()
      const pass = breakerOf(target).admit()
      if (pass === undefined) continue
      try {
        return { target: target.name, retries: errors.length, answer: await work(target), pass, by: target }
      } catch (error) {
        noteFailure(target, pass, error, signal)
        signal.throwIfAborted()
        if (!(error instanceof EngineError)) throw error
        // Another target may have what this one lacks; what one refuses for its content, all would.
        if (!error.mayRetry && error.trouble !== 'unsupported') throw new RoutingFailure(error, errors.length)
        errors.push(error)
      }
      const isAlone = !target.isLocal && errors.length === 1 && queue.every((other) => breakerOf(other).waitMs() > 0)
      const pauseMs = isAlone ? secondTryAfterMs(errors[0], random) : undefined
      if (pauseMs !== undefined && breakerOf(target).waitMs() === 0) {
        await pause(pauseMs, signal)
        queue.unshift(target)
      }
    }
    throw errors.length > 0 ? summarise(errors) : new RoutingFailure(allPaused(targets), 0)
  }

  /** Asks one target after the other until one of them answers. `cacheKey`: see `TextCall`. */
  const attempt = async <Engine, Answer>(
    targets: readonly Target<Engine>[],
    cacheKey: string | undefined,
    work: (target: Target<Engine>) => Promise<Answer>,
    signal: StopSignal,
  ): Promise<Routed<Answer>> => {
    const { pass, by, ...routed } = await run(targets, cacheKey, work, signal)
    pass.succeeded()
    return routed
  }

  const answer = (targets: readonly Target<TextEngine>[], call: RoutedCall): Promise<Routed<TextAnswer>> =>
    attempt(targets, call.cacheKey, ({ engine, model }) => engine.answer({ ...call, model }), call.signal)

  /**
   * Resolves when a target has said something. Until then another one may begin anew; after that, whatever happens is
   * thrown while reading the pieces. They are the engine's own, unchanged, those held back so far first.
   * They must be read or left (`return`), or the target works on until the signal fires.
   */
  const stream = async (targets: readonly Target<TextEngine>[], call: RoutedCall): Promise<RoutedStream> => {
    const { target, retries, answer, pass, by } = await run(
      targets,
      call.cacheKey,
      ({ engine, model }) => openStream(engine.stream({ ...call, model })),
      call.signal,
    )
    pass.began()
    const { held, rest } = answer
    let isOver = false
    // Not a generator: one that was never started does not close what it reads when it is left.
    const pieces: AsyncIterableIterator<TextPiece[]> = {
      [Symbol.asyncIterator]: () => pieces,
      async next() {
        const value = held.shift()
        if (value !== undefined) return { done: false, value }
        if (isOver) return { done: true, value: undefined }
        try {
          const next = await rest.next()
          if (next.done) {
            isOver = true
            pass.succeeded()
          }
          return next
        } catch (error) {
          isOver = true
          noteFailure(by, pass, error, call.signal)
          await closeQuietly(rest)
          call.signal.throwIfAborted()
          throw error
        }
      },
      async return() {
        held.length = 0
        isOver = true
        pass.released()
        await rest.return?.()
        return { done: true, value: undefined }
      },
    }
    return { target, retries, pieces }
  }

  return { attempt, answer, stream }
}

export type Router = ReturnType<typeof createRouter>
