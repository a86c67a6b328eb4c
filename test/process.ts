import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installFolder } from '../src/config.js'
import { createClient } from './client.js'

type Ends = { after(work: () => void | Promise<void>): void }
type Env = Record<string, string>

const program = join(installFolder, 'bin', 'tessera.mjs')

/** Nothing of the machine's own settings reaches a test. */
const cleanEnv = (env: Env) => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  TESSERA_HOST: '127.0.0.1',
  TESSERA_PORT: '0',
  ...env,
})

/** A folder that goes away with the test, with everything that was started in it. */
export const createFolder = (test: Ends): string => {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-test-'))
  test.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const collect = (child: ChildProcess) => {
  const seen = { stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk) => {
    seen.stdout += chunk
  })
  child.stderr?.on('data', (chunk) => {
    seen.stderr += chunk
  })
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.on('close', (code, signal) => resolve({ code, signal })),
  )
  return { seen, ended }
}

/** Runs a command of the operator to its end. */
export const runTessera = async (args: string[], { cwd, env = {} }: { cwd: string; env?: Env }) => {
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: cleanEnv(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { seen, ended } = collect(child)
  const { code } = await ended
  return { code, ...seen }
}

/** Starts the service as an operator would, in its own process group, and waits until it says that it is ready. */
export const startTessera = async (
  test: Ends,
  { cwd, env = {}, installation = installFolder }: { cwd: string; env?: Env; installation?: string },
) => {
  const child = spawn(process.execPath, [join(installation, 'bin', 'tessera.mjs'), 'serve'], {
    cwd,
    env: cleanEnv(env),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const { seen, ended } = collect(child)
  const signalGroup = (signal: NodeJS.Signals) => {
    try {
      process.kill(-(child.pid ?? 0), signal)
    } catch {
      // It is gone already.
    }
  }
  test.after(async () => {
    child.kill('SIGTERM')
    const timer = setTimeout(() => signalGroup('SIGKILL'), 10_000)
    await ended
    clearTimeout(timer)
  })
  const origin = await new Promise<string>((resolve, reject) => {
    const look = () => {
      const url = /Base URL +(\S+)\/api\/v1/.exec(seen.stdout)?.[1]
      if (url) resolve(url)
    }
    child.stdout.on('data', look)
    void ended.then(({ code }) =>
      reject(new Error(`ended with ${code} before it was ready: ${seen.stderr}${seen.stdout}`)),
    )
  })
  return {
    child,
    seen,
    ended,
    signalGroup,
    origin,
    api: createClient(`${origin}/api/v1`),
    outside: createClient(origin),
  }
}

/** The processes whose command line or working folder mentions a folder. */
export const processesIn = (folder: string): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
        return line.includes(folder) ? [`${pid} ${line}`] : []
      } catch {
        return []
      }
    })
