// What a chunk costs, and how long it is under way, when streams come at the pace of a model.
import { startContenders } from '../chat/contenders.mjs'
import { createFigures, judgeCpu, reportChat, tableOf } from '../chat/report.mjs'
import { measureStreams, warmUpStreams } from '../chat/streams.mjs'

export const name = 'paced'
export const title = 'POST /chat/completions, paced streams'

const load = {
  name: 'paced',
  measure: measureStreams,
  connections: 60,
  streams: 60,
  pace: { chunks: 100, intervalMs: 15 },
  /** Streams do not begin all at once, so that the time to the first chunk is that of one request and not of a crowd. */
  apartMs: 7,
  limitMs: 10_000,
}
export const loads = [load]
export const warmUp = { name: 'paced', measure: measureStreams, ...warmUpStreams }

const cpuRatioMax = 3.5

export const start = (stage, options) => startContenders(stage, { ...options, isStream: true })

export const report = (measured) => {
  const figures = createFigures(measured)
  const { typical, ratio, added } = figures
  const sections = [
    `${load.streams} streams, one chunk per ${load.pace.intervalMs} ms each, ${load.pace.chunks} chunks a stream\n${tableOf(
      figures,
      [
        ['CPU / nginx', ratio('nginx', load.name, 'cpuUs')],
        ['CPU / undici', ratio('undici', load.name, 'cpuUs')],
        ['CPU us/chunk', typical(load.name, 'cpuUs', 1)],
        ['PostgreSQL us/chunk', typical(load.name, 'databaseCpuUs', 1)],
        ['first p50 us', added(load.name, 'firstP50Us', 0)],
        ['first p99 us', added(load.name, 'firstP99Us', 0)],
        ['delay p50 us', added(load.name, 'delayP50Us', 0)],
        ['delay p99 us', added(load.name, 'delayP99Us', 0)],
      ],
    )}`,
    `First is the time that is added before the first chunk arrives, delay the time that is added under way to each chunk.
The chunks of all streams leave the upstream together, so their delay is that of a crowd.`,
  ]
  return reportChat(
    { ...measured, figures },
    {
      title,
      sections,
      steady: { load: load.name, what: 'CPU per chunk' },
      goals: [judgeCpu(figures, { load: load.name, what: 'CPU of a paced chunk', ratioMax: cpuRatioMax })],
    },
  )
}
