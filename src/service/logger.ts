import { destination, type Logger, pino, stdTimeFunctions } from 'pino'

/**
 * One JSON line per event on standard output. Lines are gathered and written together, because a write per request
 * costs as much as answering it; `flush` writes what is left, and a timer makes sure nothing waits long.
 */
export const createLogger = (level: string): { log: Logger; flush(): void } => {
  const out = destination({ fd: 1, sync: false, minLength: 8_192 })
  const log = pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: ['authorization', '*.authorization', 'headers.authorization'],
    },
    out,
  )
  const flush = () => {
    try {
      out.flushSync()
    } catch {
      // Not opened yet, or the reader is gone: nothing to save.
    }
  }
  setInterval(() => out.flush(), 200).unref()
  return { log, flush }
}
