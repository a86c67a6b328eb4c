import { destination, type Logger, pino, stdTimeFunctions } from 'pino'

/**
 * JSON lines on standard output. They are gathered and written together, because a write per request costs as much as
 * answering it; `flush` writes what is left, and a timer makes sure nothing waits long.
 */
export type Log = {
  log: Logger
  /** For lines that are made elsewhere, one per request; undefined when the level leaves them out. */
  writeLine: ((line: string) => void) | undefined
  flush(): void
}

/** Lines of requests are joined until there is this much of them; handing over each one costs ten times more. */
const gatherCharacters = 32_768

export const createLogger = (level: string): Log => {
  const out = destination({ fd: 1, sync: false, minLength: 4_096 })
  let gathered = ''
  const handOver = () => {
    if (gathered === '') return
    out.write(gathered)
    gathered = ''
  }
  const log = pino(
    { level, base: null, timestamp: stdTimeFunctions.isoTime, formatters: { level: (label) => ({ level: label }) } },
    out,
  )
  setInterval(() => {
    handOver()
    out.flush()
  }, 200).unref()
  const writeLine = (line: string) => {
    gathered += line
    if (gathered.length >= gatherCharacters) handOver()
  }
  return {
    log,
    writeLine: log.isLevelEnabled('info') ? writeLine : undefined,
    flush() {
      handOver()
      try {
        out.flushSync()
      } catch {
        // Not opened yet, or the reader is gone: nothing to save.
      }
    },
  }
}
