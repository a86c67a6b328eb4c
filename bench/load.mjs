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

/** Cuts the bytes of a connection into answers and reports each one's status and length. Nothing is decoded. */
const createReader = (onAnswer) => {
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

/** A connection that is kept open. `ask` calls back with the status and length, or with status 0 if it broke. */
const openConnection = ({ hostname, port, bytes }) =>
  new Promise((resolve, reject) => {
    let answer
    const socket = connect(port, hostname)
    const settle = (status, length) => {
      const waiting = answer
      answer = undefined
      waiting?.(status, length)
    }
    socket.setNoDelay(true)
    socket.on('data', createReader(settle))
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
 * At the time limit nothing new is sent, and what is under way is awaited: otherwise a slow server would be charged for
 * work whose answers are not counted.
 */
const sendAll = (connections, { count, expected, limitMs }) =>
  new Promise((resolve) => {
    const latenciesMs = []
    let limit = count
    let sent = 0
    let answered = 0
    let errors = 0
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
        if (status !== expected.status || length !== expected.length) errors++
        next(connection)
        if (answered === sent) finish()
      })
    }
    connections.forEach(next)
  })

/** Enough to open every connection and come up to speed, outside the clocks. */
const settleRequests = 10

const percentile = (sorted, share) =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN

/** One measurement: `readCpu` tells the CPU seconds that the server has used so far. */
export const measure = async ({ request, expected, connections, requests, readCpu, limitMs = 20_000 }) => {
  const opened = await Promise.all(Array.from({ length: connections }, () => openConnection(request)))
  try {
    const settled = await sendAll(opened, { count: settleRequests * connections, expected, limitMs })
    const cpuBefore = readCpu()
    const ownBefore = process.cpuUsage()
    const startedMs = performance.now()
    const { latenciesMs, errors } = await sendAll(opened, { count: requests, expected, limitMs })
    const seconds = (performance.now() - startedMs) / 1000
    const own = process.cpuUsage(ownBefore)
    const cpu = readCpu() - cpuBefore
    const answers = latenciesMs.length
    const sorted = Float64Array.from(latenciesMs).sort()
    return {
      answers,
      errors: errors + settled.errors,
      seconds,
      perSecond: answers / seconds,
      cpuUs: (cpu / answers) * 1e6,
      p50Us: percentile(sorted, 0.5) * 1000,
      p99Us: percentile(sorted, 0.99) * 1000,
      /** Shares of one core. A server well below 1 waited for the load generator, so it could do more per second. */
      busy: cpu / seconds,
      generatorBusy: (own.user + own.system) / 1e6 / seconds,
    }
  } finally {
    for (const connection of opened) connection.close()
  }
}
