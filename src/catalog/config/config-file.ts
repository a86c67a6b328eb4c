import { readFileSync, statSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { OperatorError } from '#plumbing/operator-error.js'
import type { Environment } from './config-document.js'
import type { OperatorConfig } from './config-schema.js'
import { type BuiltinNames, parseConfig } from './parse-config.js'

export type { Environment } from './config-document.js'
export { ConfigError } from './config-problems.js'
export type { LimitGroup, OperatorConfig, Rpc, Search, Staking, Upstream, X402 } from './config-schema.js'
export { emptyConfig, parseConfig } from './parse-config.js'
export { redactedConfig } from './redacted-config.js'

/** Reads a config file. A file that is not there is a problem too: whoever names one wants it. */
export const readConfigFile = (path: string, env: Environment, builtin?: BuiltinNames): OperatorConfig => {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    throw new OperatorError(
      missing
        ? `There is no config file ${path}`
        : `The config file ${path} cannot be read: ${(error as Error).message}`,
      missing ? 'Copy tessera.example.yaml there, or unset TESSERA_CONFIG' : 'Give this user the right to read it',
      { cause: error },
    )
  }
  return parseConfig(text, { file: path, env, ...(builtin && { builtin }) })
}

export type WatchOptions = {
  path: string
  env: Environment
  intervalMs: number
  builtin?: BuiltinNames
  /** What the service runs with now. Given this, a change made before the watch began is noticed too. */
  current?: OperatorConfig
  onChange(config: OperatorConfig): void
  /** The file is not usable; whatever was in use stays in use. */
  onRefused(error: OperatorError): void
}

/**
 * Looks at the config file again and again, and reports when it says something new. Polling, because it alone notices
 * in the same way an edit in place, an editor that replaces the file, and a symbolic link that is pointed elsewhere.
 * Returns a function that ends the watch.
 */
export const watchConfigFile = (options: WatchOptions): (() => void) => {
  const { path, env, intervalMs, builtin, onChange, onRefused } = options
  let current = options.current
  let seen = fingerprint(path)
  let handled = current ? '' : seen

  const read = () => {
    try {
      const config = readConfigFile(path, env, builtin)
      // Saved without a change, or a mistake taken back: nothing new to say.
      if (isDeepStrictEqual(config, current)) return
      onChange(config)
      current = config
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      onRefused(error)
    }
  }

  const look = () => {
    const now = fingerprint(path)
    // A file that is still being written may be empty or cut off, and both can be valid: wait until it rests.
    const rests = now === seen
    seen = now
    if (!rests || now === handled) return
    handled = now
    read()
  }

  const timer = setInterval(look, intervalMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** `stat` follows symbolic links, so a link that is pointed elsewhere shows another inode. */
const fingerprint = (path: string): string => {
  try {
    const { dev, ino, size, mtimeNs } = statSync(path, { bigint: true })
    return [dev, ino, size, mtimeNs].join(' ')
  } catch (error) {
    return `not readable: ${(error as NodeJS.ErrnoException).code}`
  }
}
