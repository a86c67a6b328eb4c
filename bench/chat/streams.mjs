// Measures streams: what a chunk costs, how long it is under way, and what a stream that is open takes of memory.
import { setTimeout as sleep } from 'node:timers/promises'
import { clock, openConnection, percentilesUs, sendAll } from '../load.mjs'

/** The clock that the upstream stamps chunks with. */
const nowUs = () => Number(process.hrtime.bigint() / 1000n)

/**
 * Reads the events of one stream. It is right when as many chunks came as its usage says, and as many as were wanted if
 * that is known, and `[DONE]` was the last.
 */
const createListener = ({ onFirst, onChunk }) => {
  const startedUs = nowUs()
  let rest = ''
  let chunks = 0
  let tokens = -1
  let isDone = false

  const takeChunks = (event, atUs) => {
    // More than one, should somebody put chunks together.
    for (let at = event.indexOf('@'); at >= 0; at = event.indexOf('@', at + 1)) {
      if (chunks++ === 0) onFirst(atUs - startedUs)
      onChunk(atUs - Number.parseInt(event.slice(at + 1, at + 21), 10))
    }
  }
  return {
    take(bytes) {
      const atUs = nowUs()
      const text = rest + bytes.latin1Slice()
      let from = 0
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n', from)) {
        const event = text.slice(from, end)
        from = end + 2
        takeChunks(event, atUs)
        if (event.includes('"total_tokens":')) tokens = Number(/"completion_tokens":(\d+)/.exec(event)?.[1])
        isDone = event === 'data: [DONE]'
      }
      rest = text.slice(from)
    },
    isRight: (status, wanted = chunks) =>
      status === 200 && isDone && rest === '' && tokens === chunks && chunks === wanted,
  }
}

const openForStreams = async (request, told) => {
  let listener
  const connection = await openConnection(request, (bytes) => listener.take(bytes))
  return {
    ...connection,
    ask(onAnswer) {
      listener = createListener(told)
      connection.ask(onAnswer)
    },
    isRight: (status, chunks) => listener.isRight(status, chunks),
  }
}

const openAll = (count, request, told) =>
  Promise.all(Array.from({ length: count }, () => openForStreams(request, told)))

/**
 * Many short streams, so that what happens once a stream gets as warm as what happens once a chunk; as many as whole
 * answers need (scenarios/models.mjs).
 */
export const warmUpStreams = { connections: 24, streams: 12_000, pace: { chunks: 5, intervalMs: 0 } }

/** Short ones, so that every connection, also those of the contender, is there when the clocks start. */
const settlePace = { chunks: 5, intervalMs: 0 }

export const measureStreams = async ({
  request,
  upstream,
  connections,
  streams,
  pace,
  apartMs,
  readUsage,
  limitMs,
}) => {
  const firstMs = []
  const delaysMs = []
  const told = { onFirst: (us) => firstMs.push(us / 1000), onChunk: (us) => delaysMs.push(us / 1000) }
  const opened = await openAll(connections, request, told)
  const send = (count, { chunks }, options) =>
    sendAll(opened, { count, isRight: (connection, status) => connection.isRight(status, chunks), ...options })
  try {
    await upstream.set({ pace: settlePace })
    const settled = await send(connections, settlePace, { limitMs })
    firstMs.length = 0
    delaysMs.length = 0
    await upstream.set({ pace })
    const reachedBefore = await upstream.countReached()
    const { result, seconds, cpu, databaseCpu, ...busy } = await clock(readUsage, () =>
      send(streams, pace, { limitMs, apartMs }),
    )
    const answers = result.latenciesMs.length
    const chunks = delaysMs.length
    const unasked = Math.max(0, answers - ((await upstream.countReached()) - reachedBefore))
    const first = percentilesUs(firstMs)
    const delay = percentilesUs(delaysMs)
    return {
      answers,
      chunks,
      errors: settled.errors + result.errors + unasked,
      seconds,
      perSecond: chunks / seconds,
      cpuUs: (cpu / chunks) * 1e6,
      databaseCpuUs: (databaseCpu / chunks) * 1e6,
      firstP50Us: first.p50Us,
      firstP99Us: first.p99Us,
      delayP50Us: delay.p50Us,
      delayP99Us: delay.p99Us,
      delayMaxUs: delay.maxUs,
      ...busy,
    }
  } finally {
    for (const connection of opened) connection.close()
  }
}

/** More than anybody waits for: such a stream goes on until the pace is changed. */
const endless = 1e9
/** So long they are all open before memory is read. */
const openMs = 1_000

/** Memory with so many streams open at once, each of which has given its first chunk and goes on. */
export const measureOpenStreams = async ({ request, upstream, connections, pace, readUsage, limitMs }) => {
  let begun = 0
  let onAllBegun
  const allBegun = new Promise((resolve) => {
    onAllBegun = resolve
  })
  const onFirst = () => {
    begun++
    if (begun === connections) onAllBegun()
  }
  const before = readUsage()
  const opened = await openAll(connections, request, { onFirst, onChunk: () => {} })
  try {
    await upstream.set({ pace: { ...pace, chunks: endless } })
    const answered = sendAll(opened, {
      count: connections,
      isRight: (connection, status) => connection.isRight(status),
      limitMs,
    })
    const { busy, generatorBusy } = await clock(readUsage, async () => {
      await Promise.race([allBegun, answered, sleep(limitMs, undefined, { ref: false })])
      await sleep(openMs)
    })
    const openBytes = readUsage().residentBytes
    await upstream.set({ pace: { chunks: 0 } })
    const { latenciesMs, errors } = await answered
    return {
      answers: latenciesMs.length,
      errors: errors + (connections - begun),
      beforeMegabytes: before.residentBytes / 2 ** 20,
      openMegabytes: openBytes / 2 ** 20,
      busy,
      generatorBusy,
    }
  } finally {
    for (const connection of opened) connection.close()
  }
}
