import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { OperatorError } from '#plumbing/operator-error.js'

/** Everything the environment decides about the service. No other file reads these variables. */
export type Settings = {
  host: string
  port: number
  dataDir: string
  /** The config file, if there is one. */
  configPath: string | undefined
  adminKey: string | undefined
  publicUrl: string
  logLevel: string
  workers: number
  databaseUrl: string | undefined
  /** For `${NAME}` in the config file. */
  env: Record<string, string | undefined>
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

export const readSettings = (
  env: Record<string, string | undefined> = process.env,
  folder = process.cwd(),
): Settings => {
  // An empty variable means the same as none: that is how compose files leave things out.
  const read = (name: string) => env[name]?.trim() || undefined
  const whole = (name: string, fallback: number, min: number, max: number) => {
    const text = read(name)
    if (text === undefined) return fallback
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < min || value > max)
      throw new OperatorError(`${name} is '${text}', but must be a whole number from ${min} to ${max}.`)
    return value
  }

  const host = read('TESSERA_HOST') ?? '127.0.0.1'
  const port = whole('TESSERA_PORT', 8080, 0, 65_535)
  const logLevel = read('TESSERA_LOG_LEVEL') ?? 'info'
  if (!logLevels.includes(logLevel))
    throw new OperatorError(`TESSERA_LOG_LEVEL is '${logLevel}', but must be one of ${logLevels.join(', ')}.`)

  const named = read('TESSERA_CONFIG')
  const usual = resolve(folder, 'tessera.yaml')
  const adminKey = read('TESSERA_ADMIN_KEY')
  if (adminKey !== undefined && !/^[\x20-\x7e]{1,512}$/.test(adminKey))
    throw new OperatorError('TESSERA_ADMIN_KEY cannot be sent in a header.', 'Use up to 512 ASCII characters.')

  return {
    host,
    port,
    dataDir: resolve(folder, read('TESSERA_DATA') ?? 'data'),
    configPath: named ? resolve(folder, named) : existsSync(usual) ? usual : undefined,
    adminKey,
    publicUrl: readPublicUrl(read('TESSERA_PUBLIC_URL')) ?? `http://${urlHost(host)}:${port}`,
    logLevel,
    workers: whole('TESSERA_WORKERS', 1, 1, 64),
    databaseUrl: readDatabaseUrl(read('DATABASE_URL')),
    env,
  }
}

/** An address to paste: nobody can connect to "every interface", and IPv6 needs brackets. */
const urlHost = (host: string) =>
  host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host

const readPublicUrl = (text: string | undefined) => {
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw new OperatorError(`TESSERA_PUBLIC_URL is '${text}', but must be an address such as https://api.example.com.`)
  return url.origin
}

const readDatabaseUrl = (text: string | undefined) => {
  // Never printed as it is: it usually holds a password.
  if (text !== undefined && !/^postgres(ql)?:\/\//.test(text))
    throw new OperatorError('DATABASE_URL must look like postgres://user:password@host:5432/database.')
  return text
}

/** The repository's folder: one above `dist` when built. Data such as migrations and the catalog lie there. */
export const installFolder = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..')

/** When this build was made, as `<YYYYMMDD>.<HHMMSS>`; the value of `x-svc-version`. */
export const readBuildVersion = (): string =>
  (JSON.parse(readFileSync(join(installFolder, 'dist', 'build.json'), 'utf8')) as { version: string }).version
