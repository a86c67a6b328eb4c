// What streams and the event loop feel while pictures are made.
import { once } from 'node:events'
import { startContenders } from '../chat/contenders.mjs'
import { measureStreams } from '../chat/streams.mjs'
import { askChat } from '../chat/talk.mjs'
import { fetchOnce } from '../contenders.mjs'
import { buildRequest, percentilesUs } from '../load.mjs'
import { readUsage } from '../processes.mjs'
import { createClient } from './service.mjs'

const jobsAtOnce = 4
const streams = { connections: 4, streams: 4, apartMs: 0, limitMs: 60_000 }
const answersMs = 1_500

const startClients = async (stage, message) => {
  const child = stage.fork(new URL('./clients.mjs', import.meta.url))
  const tell = async (order, details) => {
    child.send({ order, ...details })
    const answered = await Promise.race([once(child, 'message'), child.isOver])
    if (!Array.isArray(answered)) throw new Error(`The clients ended:\n${child.said}`)
    const { done, troubles } = answered[0]
    if (troubles.length > 0) throw new Error(`A picture was not made: ${troubles[0]}`)
    return done
  }
  await tell('open', message)
  return tell
}

/** Since it was read last. The runtime looks every 10 ms, and its figures count from one look to the next. */
const lookEveryMs = 10
const readLoopDelayMs = async (origin) => {
  const text = (await fetchOnce({ url: `${origin}/metrics` })).body.toString()
  const figure = (name) =>
    Number(new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)`, 'm').exec(text)?.[1]) * 1000 - lookEveryMs
  return { loopP50Ms: figure('p50'), loopP99Ms: figure('p99'), loopMaxMs: figure('max') }
}

/** Whole answers, one after the other, which are compressed before they leave. */
const measureAnswers = async (client, request) => {
  const latenciesMs = []
  const endMs = performance.now() + answersMs
  while (performance.now() < endMs) {
    const startedMs = performance.now()
    await client.send(request)
    latenciesMs.push(performance.now() - startedMs)
  }
  const { p50Us, p99Us, maxUs } = percentilesUs(latenciesMs)
  return { answerP50Ms: p50Us / 1000, answerP99Ms: p99Us / 1000, answerMaxMs: maxUs / 1000 }
}

export const measureCalm = async (stage, { folder, calmRounds, chunks, say }) => {
  const { contenders } = await startContenders(stage, { isStream: true, only: ['direct', 'tessera'] })
  const [direct, tessera] = contenders
  const { origin } = new URL(tessera.request.url)
  const service = {
    baseUrl: tessera.request.url.replace('/chat/completions', ''),
    headers: { authorization: tessera.request.headers.authorization },
  }
  const tellClients = await startClients(stage, { service, folder })
  const client = createClient(service)
  const whole = askChat({ baseUrl: service.baseUrl, headers: { 'accept-encoding': 'br' }, isStream: false })
  const request = { path: '/chat/completions', headers: whole.headers, body: Buffer.from(whole.body) }
  const pace = { chunks, intervalMs: 15 }
  const streamsOf = async (contender) => {
    const { delayP50Us, delayP99Us, delayMaxUs, errors, busy } = await measureStreams({
      ...contender,
      ...streams,
      pace,
      request: buildRequest(contender.request),
      readUsage: () => readUsage(contender.pid),
    })
    return { p50Ms: delayP50Us / 1000, p99Ms: delayP99Us / 1000, maxMs: delayMaxUs / 1000, errors, busy }
  }
  const slice = async () => {
    await readLoopDelayMs(origin)
    const through = await streamsOf(tessera)
    const loop = await readLoopDelayMs(origin)
    const answers = await measureAnswers(client, request)
    return { ...loop, ...answers, through, direct: await streamsOf(direct) }
  }
  const slices = []
  try {
    // The first is thrown away.
    await slice()
    for (let round = 0; round < calmRounds; round++) {
      slices.push({ round, state: 'quiet', ...(await slice()) })
      const before = await tellClients('begin', { atOnce: jobsAtOnce })
      const figures = await slice()
      const after = await tellClients('end')
      const made = Object.fromEntries(Object.entries(after).map(([name, count]) => [name, count - before[name]]))
      slices.push({ round, state: 'busy', ...figures, made })
      say(`calm: round ${round + 1} of ${calmRounds} done`)
    }
  } finally {
    client.close()
  }
  return slices
}
