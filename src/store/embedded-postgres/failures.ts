import { OperatorError } from '#plumbing/operator-error.js'

const otherFolderHint = 'set TESSERA_DATA to a folder you may write, or start as the user who owns this one'
const diskFullHint = 'free some space, or set TESSERA_DATA to a folder on another disk'

export const inUse = (dataDir: string, pid: number | undefined): OperatorError =>
  new OperatorError(
    `data folder ${dataDir} is in use by another Tessera${pid ? ` (process ${pid})` : ''}`,
    'stop it, or set TESSERA_DATA to another folder',
  )

/** What the operating system says about the data folder, for a person. What it does not know stays an error of ours. */
export const explainFileError = (error: unknown, dataDir: string): unknown => {
  const options = { cause: error }
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException
  // Node says "no such file" when a folder cannot be created on a read-only disk.
  switch (code === 'ENOENT' && syscall === 'mkdir' ? 'EROFS' : code) {
    case 'EACCES':
    case 'EPERM':
      return new OperatorError(
        `data folder ${dataDir} cannot be used by user ${process.getuid?.()}: permission denied`,
        otherFolderHint,
        options,
      )
    case 'EROFS':
      return new OperatorError(`data folder ${dataDir} is on a disk that cannot be written`, otherFolderHint, options)
    case 'ENOSPC':
    case 'EDQUOT':
      return new OperatorError(`the disk of data folder ${dataDir} is full`, diskFullHint, options)
    case 'EEXIST':
    case 'ENOTDIR':
      return new OperatorError(`data folder ${dataDir} is not a folder`, otherFolderHint, options)
    default:
      return error
  }
}

type ProgramFailure = { what: string; output: string; dataDir: string; logFile?: string }

/** Why initdb or postgres ended, from what they printed. */
export const explainProgramFailure = ({ what, output, dataDir, logFile }: ProgramFailure): OperatorError => {
  if (/error while loading shared libraries|Library not loaded/.test(output)) {
    return new OperatorError(
      `the PostgreSQL that ships with Tessera cannot load its libraries: ${meaningfulLines(output)}`,
      'run `npm ci` with install scripts allowed, or set DATABASE_URL to a PostgreSQL of yours',
    )
  }
  if (/No space left on device|Disk quota exceeded/.test(output)) {
    return new OperatorError(`the disk of data folder ${dataDir} is full`, diskFullHint)
  }
  const nameless = /could not look up effective user ID (\d+)/.exec(output)?.[1]
  if (nameless) {
    return new OperatorError(
      `user ${nameless} has no name on this system, and PostgreSQL creates a database only for a user with one`,
      'start as a user listed in /etc/passwd (in a container, one of the image), or set DATABASE_URL',
    )
  }
  const hint = logFile ? `the whole story is in ${logFile}` : undefined
  return new OperatorError(`${what}: ${meaningfulLines(output) || 'it left no message'}`, hint)
}

const linesShownMax = 4
const isRoutine = (line: string) => /^LOG: {2}(starting|listening|database system)|\.\.\. ok$/.test(line)

/** The last lines that say what went wrong, without times and process numbers, as one line. */
const meaningfulLines = (output: string): string => {
  const lines = output
    .split('\n')
    .map((line) => line.replace(/^[\d-]+ [\d:.]+ \w+ \[\d+\] /, '').trim())
    .filter((line) => line !== '' && !isRoutine(line))
  return lines.slice(-linesShownMax).join('; ')
}
