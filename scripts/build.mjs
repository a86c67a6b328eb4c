// Compiles TypeScript into dist/, and only when something changed. Needs nothing but the installed packages.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = resolve(fileURLToPath(import.meta.url), '../..')
const dist = join(root, 'dist')
const stamp = join(dist, 'build.json')
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')

const newestMs = (path) =>
  !existsSync(path)
    ? 0
    : statSync(path).isDirectory()
      ? Math.max(statSync(path).mtimeMs, ...readdirSync(path).map((name) => newestMs(join(path, name))))
      : statSync(path).mtimeMs

export const isBuilt = () => {
  if (!existsSync(stamp)) return false
  // An installation without the compiler runs what was built elsewhere.
  if (!existsSync(compiler)) return true
  const sources = ['src', 'test', 'catalog', 'tsconfig.json', 'package.json', 'package-lock.json']
  return Math.max(...sources.map((name) => newestMs(join(root, name)))) <= statSync(stamp).mtimeMs
}

/** `<YYYYMMDD>.<HHMMSS>` in UTC, the form of x-svc-version. */
const version = (date = new Date()) => date.toISOString().replace(/[-:]/g, '').replace('T', '.').slice(0, 15)

/** What a build that was killed left behind. */
const removeLeftovers = () => {
  for (const name of readdirSync(root)) {
    const pid = /^dist\.(?:new|old)-(\d+)$/.exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(root, name), { recursive: true, force: true })
  }
}

const isAlive = (pid) => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

export const build = async () => {
  if (!existsSync(compiler)) {
    console.error('tessera: the compiler is not installed, so the sources cannot be built.\n  Run: npm ci')
    process.exit(1)
  }
  const startedAt = new Date()
  removeLeftovers()
  // Built beside and moved into place, so that a process which starts meanwhile never sees half of it.
  const fresh = join(root, `dist.new-${process.pid}`)
  const old = join(root, `dist.old-${process.pid}`)
  const { status } = spawnSync(process.execPath, [compiler, '-p', root, '--outDir', fresh], { stdio: 'inherit' })
  if (status !== 0) {
    rmSync(fresh, { recursive: true, force: true })
    console.error('tessera: the build failed; the compiler says why above.')
    process.exit(1)
  }
  mkdirSync(fresh, { recursive: true })
  writeFileSync(join(fresh, 'build.json'), `${JSON.stringify({ version: version(startedAt) })}\n`)
  if (existsSync(dist)) renameSync(dist, old)
  renameSync(fresh, dist)
  rmSync(old, { recursive: true, force: true })
  // Checked once here instead of at every start.
  const { checkBuiltin } = await import(pathToFileURL(join(dist, 'src/catalog/builtin.js')).href)
  writeFileSync(join(dist, 'catalog.json'), JSON.stringify(checkBuiltin()))
}

export const buildIfNeeded = async () => {
  if (!isBuilt()) await build()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build()
