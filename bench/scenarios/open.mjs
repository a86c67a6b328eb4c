// What streams that are open take of memory.
import { startContenders } from '../chat/contenders.mjs'
import { createFigures, reportChat, tableOf } from '../chat/report.mjs'
import { measureOpenStreams, measureStreams, warmUpStreams } from '../chat/streams.mjs'

export const name = 'open'
export const title = 'POST /chat/completions, many open streams'

const load = {
  name: 'open',
  measure: measureOpenStreams,
  connections: 500,
  pace: { intervalMs: 250 },
  limitMs: 30_000,
}
export const loads = [load]
export const warmUp = { name: 'open', measure: measureStreams, ...warmUpStreams }

export const start = (stage, options) => startContenders(stage, { ...options, isStream: true })

export const report = (measured) => {
  const figures = createFigures(measured)
  const { typical, ratio } = figures
  const sections = [
    `${load.connections} streams open at once, one chunk per ${load.pace.intervalMs} ms each\n${tableOf(figures, [
      ['RSS MB', typical(load.name, 'openMegabytes', 0)],
      ['RSS / nginx', ratio('nginx', load.name, 'openMegabytes')],
      ['RSS / undici', ratio('undici', load.name, 'openMegabytes')],
      ['MB before they were opened', typical(load.name, 'beforeMegabytes', 0)],
    ])}`,
  ]
  return reportChat(
    { ...measured, figures },
    { title, sections, steady: { load: load.name, figure: 'openMegabytes', what: 'Memory' } },
  )
}
