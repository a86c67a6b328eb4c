// Starts processes, meters their CPU time, and makes sure that none of them outlives the bench.
import { fork, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { cpus, tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** What may vanish while we look at it: processes end, sockets close. */
const attempt = (read, otherwise) => {
  try {
    return read()
  } catch {
    return otherwise
  }
}

/** The numbers that the kernel keeps about a process, from its state on. */
const statOf = (pid) => {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'latin1'), '')
  // The name stands in brackets and may hold spaces and brackets itself.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** The process and all its descendants. */
const treeOf = (root) => {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), Number(statOf(name)[1])])
  const tree = [root]
  for (const ancestor of tree) for (const [pid, parent] of parents) if (parent === ancestor) tree.push(pid)
  return tree
}

const isPostgres = (pid) => basename(attempt(() => readlinkSync(`/proc/${pid}/exe`), '')) === 'postgres'

/** CPU seconds of these processes with all their threads, from the scheduler's clock, which counts nanoseconds. */
const livingSeconds = (pids) => {
  let nanoseconds = 0
  for (const pid of pids)
    for (const thread of attempt(() => readdirSync(`/proc/${pid}/task`), []))
      nanoseconds += attempt(
        () => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[0]),
        0,
      )
  return nanoseconds / 1e9
}

const ticksPerSecond = 100

/** CPU seconds of children that have ended and were waited for, such as autovacuum's workers. */
const endedSeconds = (pids) => {
  let ticks = 0
  for (const pid of pids) {
    const fields = statOf(pid)
    ticks += Number(fields[13] ?? 0) + Number(fields[14] ?? 0)
  }
  return ticks / ticksPerSecond
}

const residentBytes = (pids) => {
  let kilobytes = 0
  for (const pid of pids)
    kilobytes += Number(
      /VmRSS:\s+(\d+)/.exec(attempt(() => readFileSync(`/proc/${pid}/status`, 'latin1'), ''))?.[1] ?? 0,
    )
  return kilobytes * 1024
}

/**
 * What a process and its descendants have used so far. The embedded PostgreSQL among them is told apart: it is no part of
 * what is compared, and its backends come and go.
 */
export const readUsage = (root) => {
  const tree = treeOf(root)
  const database = tree.filter(isPostgres)
  const service = tree.filter((pid) => !database.includes(pid))
  return {
    cpuSeconds: livingSeconds(service),
    databaseCpuSeconds: livingSeconds(database) + endedSeconds(database),
    residentBytes: residentBytes(service),
  }
}

/** CPU seconds of everything that we started, whether it still runs or not, and of ourselves. */
export const ownCpuSeconds = () => {
  const tree = treeOf(process.pid)
  return livingSeconds(tree) + endedSeconds(tree)
}

/** CPU seconds that the whole machine has spent on programs, ours and others'. */
export const machineCpuSeconds = () =>
  cpus().reduce((sum, { times: { user, nice, sys } }) => sum + user + nice + sys, 0) / 1000

/** Whether this process tree is the one that listens. Otherwise one's CPU would be paired with another's answers. */
export const ownsPort = (root, port) => {
  const address = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const listening = '0A'
  const sockets = new Set()
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6'])
    for (const line of attempt(() => readFileSync(table, 'latin1'), '')
      .split('\n')
      .slice(1)) {
      const columns = line.trim().split(/\s+/)
      if (columns[3] === listening && columns[1].endsWith(address)) sockets.add(`socket:[${columns[9]}]`)
    }
  return treeOf(root).some((pid) =>
    attempt(() => readdirSync(`/proc/${pid}/fd`), []).some((fd) =>
      sockets.has(attempt(() => readlinkSync(`/proc/${pid}/fd/${fd}`), '')),
    ),
  )
}

export const freePort = () =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })

const stopWithinMs = 20_000
const logCharactersMax = 4_000

/** Everything that one run starts, so that it can be stopped together: what was started last goes first. */
export const createStage = () => {
  const children = []
  const folders = []

  let stopping
  const proveOpen = () => {
    if (stopping !== undefined) throw new Error('Nothing is started any more: the bench is stopping.')
  }

  const keep = (child) => {
    child.said = ''
    // Always read: a service whose output nobody takes would come to a halt. Only the end is remembered.
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        child.said = (child.said + text).slice(-logCharactersMax)
      })
    child.isOver = new Promise((resolve) => {
      child.once('exit', resolve)
      child.once('error', (error) => {
        child.said += error.message
        resolve()
      })
    })
    children.push(child)
    return child
  }
  // Apart from our process group, so that Ctrl-C reaches us alone and we stop everything in order.
  const options = { stdio: ['ignore', 'pipe', 'pipe'], detached: true }

  const stopChild = async (child) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    const tree = treeOf(child.pid)
    child.kill('SIGTERM')
    const isGone = await Promise.race([child.isOver.then(() => true), sleep(stopWithinMs, false, { ref: false })])
    if (!isGone) for (const pid of tree) attempt(() => process.kill(pid, 'SIGKILL'))
  }

  return {
    launch(file, args, env) {
      proveOpen()
      return keep(spawn(file, args, { ...options, env: { ...process.env, ...env } }))
    },
    /** A Node module that can be talked to with messages. */
    fork(module, execArgv = []) {
      proveOpen()
      return keep(fork(module, { ...options, execArgv, stdio: [...options.stdio, 'ipc'] }))
    },
    folder() {
      proveOpen()
      folders.push(mkdtempSync(join(tmpdir(), 'tessera-bench-')))
      return folders.at(-1)
    },
    stop() {
      stopping ??= (async () => {
        for (const child of children.toReversed()) await stopChild(child)
        for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
      })()
      return stopping
    },
  }
}
