/**
 * Says once that work is no longer wanted. An `AbortSignal` is one, and whoever has one may pass it on. Making one for every
 * request costs 15 microseconds, a tenth of what a small request costs; `createStop` makes the part of it that is used.
 */
export type StopSignal = Pick<AbortSignal, 'aborted' | 'reason' | 'throwIfAborted'> & {
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

class Stop implements StopSignal {
  aborted = false
  reason: unknown
  readonly #listeners: (() => void)[] = []

  addEventListener(_type: 'abort', listener: () => void) {
    if (!this.aborted) this.#listeners.push(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void) {
    const place = this.#listeners.indexOf(listener)
    if (place >= 0) this.#listeners.splice(place, 1)
  }

  throwIfAborted() {
    if (this.aborted) throw this.reason
  }

  fire() {
    if (this.aborted) return
    this.aborted = true
    this.reason = new DOMException('This operation was aborted', 'AbortError')
    for (const listener of this.#listeners.splice(0)) listener()
  }
}

/** A signal, and the function that gives it. */
export const createStop = (): { signal: StopSignal; stop(): void } => {
  const stop = new Stop()
  return { signal: stop, stop: () => stop.fire() }
}

/** Never fires. */
export const neverStops: StopSignal = new Stop()

/** For what only takes the real thing. */
export const toAbortSignal = (signal: StopSignal): AbortSignal => {
  if (signal instanceof AbortSignal) return signal
  const controller = new AbortController()
  if (signal.aborted) controller.abort(signal.reason)
  else signal.addEventListener('abort', () => controller.abort(signal.reason), { once: true })
  return controller.signal
}
