import type { StopSignal } from '#plumbing/stop-signal.js'

/** The result of work that goes on by itself, or the reason of the signal as soon as it fires. */
export const orStop = <T>(work: Promise<T>, signal: StopSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })

/** Wakes whoever waits. A ring that nobody waited for is heard by the next who does. */
export const createBell = () => {
  let isRung = false
  let wake = () => {}
  return {
    ring() {
      isRung = true
      wake()
    },
    /** True when it rang, false when the time was up. */
    async wait(timeMs: number, signal: StopSignal): Promise<boolean> {
      let timer: NodeJS.Timeout | undefined
      const rang = new Promise<void>((resolve) => {
        wake = resolve
        timer = setTimeout(resolve, timeMs)
        if (isRung) resolve()
      })
      try {
        await orStop(rang, signal)
      } finally {
        clearTimeout(timer)
      }
      const wasRung = isRung
      isRung = false
      return wasRung
    },
  }
}
