// A load generator on raw sockets: one request built beforehand, and a small reader of HTTP/1.1 answers. It costs a
// fraction of a real client, so that on a small machine it takes little from the server that is measured.
import { connect } from 'node:net'
import { performance } from 'node:perf_hooks'

/** The bytes of one request, and where to send them. */
export const buildRequest = ({ url, method = 'GET', headers = {}, body = '' }) => {
  const { host, hostname, port, pathname, search } = new URL(url)
  const length = Buffer.byteLength(body)
  const all = { host, accept: 'application/json', ...(length > 0 && { 'content-length': length }), ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `${method} ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`
  return { hostname, port: Number(port), bytes: Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)]) }
}

const states = { head: 0, body: 1, chunkSize: 2, chunk: 3, chunkEnd: 4, trailer: 5 }

/**
 * Cuts the bytes of a connection into answers and reports each one's status and length. Nothing is decoded; who wants the
 * bytes of bodies gets them as they arrive, without their framing.
 */
const createReader = (onAnswer, onBody) => {
  let state = states.head
  let status = 0
  let left = 0
  let length = 0
  let kept

  const finish = () => {
    state = states.head
    onAnswer(status, length)
  }
  const readHead = (head) => {
    status = Number(head.slice(9, 12))
    length = 0
    const announced = /\r\ncontent-length: *(\d+)/i.exec(head)
    left = announced ? Number(announced[1]) : 0
    state = announced ? states.body : states.chunkSize
    if (announced && left === 0) finish()
  }
  /** How many bytes were used, or -1 when more must arrive first. */
  const step = (bytes, at) => {
    if (state === states.body || state === states.chunk) {
      const taken = Math.min(left, bytes.length - at)
      left -= taken
      length += taken
      onBody?.(bytes.subarray(at, at + taken))
      if (left === 0 && state === states.body) finish()
      else if (left === 0) state = states.chunkEnd
      return taken
    }
    const end = state === states.head ? '\r\n\r\n' : '\r\n'
    const found = bytes.indexOf(end, at, 'latin1')
    if (found < 0) return -1
    const line = bytes.latin1Slice(at, found)
    if (state === states.head) readHead(line)
    else if (state === states.chunkEnd) state = states.chunkSize
    else if (state === states.trailer) line === '' && finish()
    else {
      left = Number.parseInt(line, 16)
      state = left === 0 ? states.trailer : states.chunk
    }
    return found - at + end.length
  }

  return (arrived) => {
    const bytes = kept ? Buffer.concat([kept, arrived]) : arrived
    kept = undefined
    let at = 0
    while (at < bytes.length) {
      const used = step(bytes, at)
      if (used < 0) {
        kept = bytes.subarray(at)
        return
      }
      at += used
    }
  }
}

/**
 * A connection that is kept open. `ask` calls back with the status and length, or with status 0 if it broke. `onBody`, if
 * given, takes the bytes of bodies.
 */
export const openConnection = ({ hostname, port, bytes }, onBody) =>
  new Promise((resolve, reject) => {
    let answer
    const socket = connect(port, hostname)
    const settle = (status, length) => {
      const waiting = answer
      answer = undefined
      waiting?.(status, length)
    }
    socket.setNoDelay(true)
    socket.on('data', createReader(settle, onBody))
    socket.once('error', reject)
    socket.on('close', () => settle(0, 0))
    socket.once('connect', () =>
      resolve({
        isOpen: () => !socket.destroyed,
        ask(onAnswer) {
          answer = onAnswer
          socket.write(bytes)
        },
        close: () => socket.destroy(),
      }),
    )
  })

/**
 * Sends `count` requests over the connections, each as soon as the former was answered, and resolves when all are.
 * `isRight` judges each answer; `apartMs` lets the connections begin one after the other. At the time limit nothing new is sent, and what is under way is awaited: otherwise a slow
 * server would be charged for work whose answers are not counted.
 */
export const sendAll = (connections, { count, isRight, limitMs, apartMs = 0 }) =>
  new Promise((resolve) => {
    const latenciesMs = []
    let limit = count
    let sent = 0
    let answered = 0
    let errors = 0
    let idle = connections.length
    const finish = () => {
      clearTimeout(timer)
      resolve({ latenciesMs, errors: errors + (sent - answered) })
    }
    let timer = setTimeout(() => {
      limit = sent
      timer = setTimeout(finish, limitMs)
    }, limitMs)

    const next = (connection) => {
      if (sent >= limit || !connection.isOpen()) return
      sent++
      const startedMs = performance.now()
      connection.ask((status, length) => {
        latenciesMs.push(performance.now() - startedMs)
        answered++
        if (!isRight(connection, status, length)) errors++
        next(connection)
        if (answered === sent && idle === 0) finish()
      })
    }
    const begin = (connection) => {
      idle--
      next(connection)
    }
    connections.forEach((connection, at) => {
      if (apartMs === 0) begin(connection)
      else setTimeout(begin, at * apartMs, connection)
    })
  })

export const percentilesUs = (valuesMs) => {
  const sorted = Float64Array.from(valuesMs).sort()
  const at = (share) => (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN) * 1000
  return { p50Us: at(0.5), p99Us: at(0.99), maxUs: at(1) }
}

/** Runs the work between two looks at the clocks. */
export const clock = async (readUsage, work) => {
  const before = readUsage()
  const ownBefore = process.cpuUsage()
  const startedMs = performance.now()
  const result = await work()
  const seconds = (performance.now() - startedMs) / 1000
  const own = process.cpuUsage(ownBefore)
  const after = readUsage()
  const cpu = after.cpuSeconds - before.cpuSeconds
  return {
    result,
    seconds,
    cpu,
    databaseCpu: after.databaseCpuSeconds - before.databaseCpuSeconds,
    /** Shares of one core. A server well below 1 waited for the load generator, so it could do more per second. */
    busy: cpu / seconds,
    generatorBusy: (own.user + own.system) / 1e6 / seconds,
  }
}

/** Enough to open every connection and come up to speed, outside the clocks. */
const settleRequests = 10

/**
 * One measurement of whole answers. They are right with the expected status and length; or, where the length may differ,
 * when each of the texts in `contains` is in them.
 */
export const measureAnswers = async ({
  request,
  expected,
  connections,
  requests,
  readUsage,
  countReached,
  limitMs = 20_000,
}) => {
  const opened = await Promise.all(Array.from({ length: connections }, () => openForAnswers(request, expected)))
  const isRight = (connection, status, length) => connection.isRight(status, length)
  try {
    const settled = await sendAll(opened, { count: settleRequests * connections, isRight, limitMs })
    const reachedBefore = await countReached?.()
    const { result, seconds, cpu, databaseCpu, ...busy } = await clock(readUsage, () =>
      sendAll(opened, { count: requests, isRight, limitMs }),
    )
    const { latenciesMs } = result
    const answers = latenciesMs.length
    // An answer that never came from behind the server is no answer.
    const unasked = countReached ? Math.max(0, answers - ((await countReached()) - reachedBefore)) : 0
    return {
      answers,
      errors: result.errors + settled.errors + unasked,
      seconds,
      perSecond: answers / seconds,
      cpuUs: (cpu / answers) * 1e6,
      databaseCpuUs: (databaseCpu / answers) * 1e6,
      ...percentilesUs(latenciesMs),
      ...busy,
    }
  } finally {
    for (const connection of opened) connection.close()
  }
}

const openForAnswers = async (request, { status: rightStatus, length: rightLength, contains }) => {
  if (contains === undefined) {
    const connection = await openConnection(request)
    return { ...connection, isRight: (status, length) => status === rightStatus && length === rightLength }
  }
  let parts = []
  const connection = await openConnection(request, (bytes) => parts.push(bytes))
  return {
    ...connection,
    isRight(status) {
      const body = parts.length === 1 ? parts[0] : Buffer.concat(parts)
      parts = []
      return status === rightStatus && contains.every((text) => body.includes(text))
    },
  }
}
