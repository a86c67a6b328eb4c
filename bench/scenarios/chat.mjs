// What a paid answer costs that comes from an upstream: about 1 KB asked, about 1 KB answered.
import { measureCommits } from '../chat/commits.mjs'
import { startContenders } from '../chat/contenders.mjs'
import { createFigures, judgeCpu, reportChat, tableOf } from '../chat/report.mjs'
import { measureAnswers } from '../load.mjs'
import { showSpread, spread } from '../report.mjs'

export const name = 'chat'
export const title = 'POST /chat/completions'

/** Slow contenders do fewer in their time. */
const limitMs = 6_000
const many = { name: 'many', measure: measureAnswers, connections: 32, requests: 2_000, limitMs }
const one = { name: 'one', measure: measureAnswers, connections: 1, requests: 300, limitMs }
export const loads = [many, one]
export const warmUp = { ...many, requests: 12_000 }

const cpuRatioMax = 5
const addedRatioMax = 4
const commit = 'one commit'

export const start = async (stage, options) => {
  const { contenders, leftOut } = await startContenders(stage, { ...options, isStream: false })
  const service = contenders.find(({ name }) => name === 'tessera')
  const commits = service && { ...service, name: commit, loads: [one.name], measure: measureCommits }
  return { contenders: [...contenders, ...(commits ? [commits] : [])], leftOut }
}

export const report = (measured) => {
  const contenders = measured.contenders.filter(({ name }) => name !== commit)
  const figures = createFigures({ ...measured, contenders })
  const { view, typical, ratio, added, share } = figures
  const sections = [
    `${many.connections} connections, keep-alive\n${tableOf(figures, [
      ['CPU / nginx', ratio('nginx', many.name, 'cpuUs')],
      ['CPU / undici', ratio('undici', many.name, 'cpuUs')],
      ['CPU s/1000', typical(many.name, 'cpuUs', 4, 1000)],
      ['PostgreSQL s/1000', typical(many.name, 'databaseCpuUs', 4, 1000)],
      ['requests/s', typical(many.name, 'perSecond', 0)],
      ['added p50 ms', added(many.name, 'p50Us', 2, 1000)],
      ['added p99 ms', added(many.name, 'p99Us', 2, 1000)],
      ['busy', share(many.name, 'busy')],
    ])}`,
    `${one.connections} connection, keep-alive\n${tableOf(figures, [
      ['p50 us', typical(one.name, 'p50Us', 0)],
      ['added p50 us', added(one.name, 'p50Us', 0)],
      ['p99 us', typical(one.name, 'p99Us', 0)],
      ['added p99 us', added(one.name, 'p99Us', 0)],
    ])}`,
  ]
  if (measured.contenders.length > contenders.length)
    sections.push(
      `One durable commit of one row in the same database takes ${typical(one.name, 'p50Us', 0).of(commit)} us (p50), ${typical(one.name, 'p99Us', 0).of(commit)} us (p99).`,
    )
  return reportChat(
    { ...measured, contenders, figures },
    {
      title,
      sections,
      steady: { load: many.name, what: 'CPU per request' },
      goals: [
        judgeCpu(figures, { load: many.name, what: 'CPU of an answer', ratioMax: cpuRatioMax }),
        judgeAdded(figures, view),
      ],
    },
  )
}

/** Of what we add with one connection, all but the commit is held against what nginx adds. */
const judgeAdded = ({ canCompare }, view) => {
  const goal = `Goal: added p50 of one connection at most ${addedRatioMax} times nginx's plus one durable commit`
  if (!canCompare('tessera', 'nginx')) return `${goal}: cannot be judged.`
  const p50sOf = (name) => view.of(name, one.name).map(({ p50Us }) => p50Us)
  const [direct, nginx, commits] = ['direct', 'nginx', commit].map(p50sOf)
  const allowed = spread(nginx.map((p50Us, round) => addedRatioMax * (p50Us - direct[round]) + commits[round]))
  const added = view.added('tessera', 'direct', one.name, 'p50Us')
  const verdict = added.median <= allowed.median ? 'met' : 'missed'
  return `${goal}: ${showSpread(added, 0)} us of ${showSpread(allowed, 0)} us, ${verdict}`
}
