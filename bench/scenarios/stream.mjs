// What a chunk costs when streams come as fast as they can.
import { startContenders } from '../chat/contenders.mjs'
import { createFigures, reportChat, tableOf } from '../chat/report.mjs'
import { measureStreams, warmUpStreams } from '../chat/streams.mjs'

export const name = 'stream'
export const title = 'POST /chat/completions, streams flat out'

const load = {
  name: 'stream',
  measure: measureStreams,
  connections: 24,
  streams: 240,
  pace: { chunks: 100, intervalMs: 0 },
  limitMs: 10_000,
}
export const loads = [load]
export const warmUp = { name: 'stream', measure: measureStreams, ...warmUpStreams }

export const start = (stage, options) => startContenders(stage, { ...options, isStream: true })

export const report = (measured) => {
  const figures = createFigures(measured)
  const { typical, ratio, added, share } = figures
  const sections = [
    `${load.connections} connections, keep-alive, ${load.pace.chunks} chunks a stream\n${tableOf(figures, [
      ['CPU / nginx', ratio('nginx', load.name, 'cpuUs')],
      ['CPU / undici', ratio('undici', load.name, 'cpuUs')],
      ['CPU us/chunk', typical(load.name, 'cpuUs', 1)],
      ['PostgreSQL us/chunk', typical(load.name, 'databaseCpuUs', 1)],
      ['chunks/s', typical(load.name, 'perSecond', 0)],
      ['added to first chunk p50 ms', added(load.name, 'firstP50Us', 2, 1000)],
      ['busy', share(load.name, 'busy')],
    ])}`,
  ]
  return reportChat({ ...measured, figures }, { title, sections, steady: { load: load.name, what: 'CPU per chunk' } })
}
