// What calls of blockchain nodes cost: passed on one by one and in batches, and given again from what was kept.
import { measureCommits } from '../chat/commits.mjs'
import { createFigures, reportChat, tableOf } from '../chat/report.mjs'
import { showSpread, table, whole } from '../report.mjs'
import { measureCalls } from '../rpc/calls.mjs'
import { startContenders } from '../rpc/contenders.mjs'
import { newBalances, oldBalances } from '../rpc/questions.mjs'

export const name = 'rpc'
export const title = 'POST /crypto/rpc/{network}'

const batchCalls = 100
/** Slow contenders do fewer in their time. */
const usual = { measure: measureCalls, limitMs: 3_000 }

const newSingle = newBalances(1)
const newBatch = newBalances(batchCalls)
const oldSingle = oldBalances(1)
const oldBatch = oldBalances(batchCalls)

/** So many that requests per second tell what a contender can do, and not how long it waits for its disk. */
const crowd = 128

const onMock = { ...usual, node: 'mock' }
const many = { ...onMock, name: 'many', questionOf: () => newSingle, connections: crowd, requests: 3_000 }
const one = { ...onMock, name: 'one', questionOf: () => newSingle, connections: 1, requests: 200 }
const batch = { ...onMock, name: 'batch', questionOf: () => newBatch, connections: 16, requests: 120 }
const kept = { ...onMock, name: 'kept', questionOf: () => oldSingle, connections: crowd, requests: 3_000 }
const keptBatch = { ...onMock, name: 'kept batch', questionOf: () => oldBatch, connections: 16, requests: 160 }

const onChain = (question, title, requests, connections = crowd) => ({
  ...usual,
  node: 'chain',
  name: `chain ${question}`,
  title,
  questionOf: (questions) => questions[question],
  connections,
  requests,
  limitMs: 1_500,
})
const judged = onChain('multicall', 'eth_call, 20 balances by Multicall3', 1_500)
const chainLoads = [
  onChain('balance', 'eth_getBalance', 1_500),
  onChain('call', 'eth_call, one balance of a token', 1_500),
  judged,
  onChain('logs', 'eth_getLogs over 200 blocks', 1_500),
  onChain('batch', `${batchCalls} times eth_call in a batch`, 60, 4),
]

export const loads = [many, one, batch, kept, keptBatch, ...chainLoads]
export const warmUp = { ...many, requests: 12_000 }

const commit = 'one commit'
const cpuRatioMax = 2
const rateRatioMin = 5

export const start = async (stage, options) => {
  const keptLoads = [kept, keptBatch, ...chainLoads]
  const { contenders, leftOut } = await startContenders(stage, { ...options, kept: keptLoads })
  const names = loads.map(({ name }) => name)
  for (const contender of contenders)
    contender.loads = loads.filter(({ node }) => contender.targets[node] !== undefined).map(({ name }) => name)
  const service = contenders.find(({ name }) => name === 'tessera')
  if (service === undefined) return { contenders, leftOut }
  // The scenario's warm-up is about calls that are not kept; the other ways through the service get as warm.
  for (const load of [batch, kept, keptBatch]) await load.measure({ ...service, ...load, requests: 20 * load.requests })
  const commits = {
    ...service,
    name: commit,
    loads: names.filter((name) => name === one.name),
    measure: measureCommits,
  }
  return { contenders: [...contenders, commits], leftOut }
}

export const report = (measured) => {
  const contenders = measured.contenders.filter(({ name }) => name !== commit)
  const figures = createFigures({ ...measured, contenders })
  const { typical, ratio, added, share } = figures
  const costs = (load) => [
    ['CPU / undici', ratio('undici', load.name, 'cpuUs')],
    ['CPU us/call', typical(load.name, 'cpuUs', 1)],
    ['PostgreSQL us/call', typical(load.name, 'databaseCpuUs', 1)],
    ['requests/s', typical(load.name, 'perSecond', 0)],
    ['calls/s', typical(load.name, 'callsPerSecond', 0)],
    ['added p50 ms', added(load.name, 'p50Us', 2, 1000)],
    ['added p99 ms', added(load.name, 'p99Us', 2, 1000)],
    ['busy', share(load.name, 'busy')],
  ]
  const sections = [
    `A node that answers at once, ${many.connections} connections, every call new\n${tableOf(figures, costs(many))}`,
    `The same, ${one.connections} connection\n${tableOf(figures, [
      ['p50 us', typical(one.name, 'p50Us', 0)],
      ['added p50 us', added(one.name, 'p50Us', 0)],
      ['p99 us', typical(one.name, 'p99Us', 0)],
      ['added p99 us', added(one.name, 'p99Us', 0)],
    ])}`,
    `Batches of ${batchCalls}, ${batch.connections} connections, every call new\n${tableOf(figures, costs(batch))}`,
    `The same call of a final block, which tessera keeps, ${kept.connections} connections\n${tableOf(figures, costs(kept))}`,
    `The same batch of ${batchCalls}, which tessera keeps, ${keptBatch.connections} connections\n${tableOf(figures, costs(keptBatch))}`,
    `A node with a real EVM, calls that tessera keeps\n${chainTable(figures)}`,
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
      steady: { load: many.name, what: 'CPU per call' },
      goals: [judgeCpu(figures), judgeRate(figures)],
    },
  )
}

const chainTable = ({ view, names, isVoid, canCompare }) =>
  table([
    ['', 'direct requests/s', 'tessera requests/s', 'rate / direct', 'direct p50 ms', 'tessera p50 ms'],
    ...chainLoads.map(({ name, title }) => {
      const typical = (who, figure, show) =>
        names.includes(who) && !isVoid(who) ? show(view.typical(who, name, figure)) : '-'
      const rate = (who) => typical(who, 'perSecond', whole)
      const p50 = (who) => typical(who, 'p50Us', (us) => (us / 1000).toFixed(2))
      const ratio = canCompare('tessera', 'direct')
        ? showSpread(view.ratio('tessera', 'direct', name, 'perSecond'), 1)
        : '-'
      return [title, rate('direct'), rate('tessera'), ratio, p50('direct'), p50('tessera')]
    }),
  ])

const judgeCpu = ({ view, canCompare }) => {
  const goal = `Goal: CPU of a call that is passed on at most ${cpuRatioMax} times undici's`
  if (!canCompare('tessera', 'undici')) return `${goal}: cannot be judged.`
  const ratio = view.ratio('tessera', 'undici', many.name, 'cpuUs')
  return `${goal}: ${showSpread(ratio, 2)}, ${ratio.median <= cpuRatioMax ? 'met' : 'missed'}`
}

/** On a call that runs a contract: what a node knows without any work is not what others would keep. */
const judgeRate = ({ view, canCompare }) => {
  const goal = `Goal: kept calls (${judged.title}) at least ${rateRatioMin} times as many a second as the node itself`
  if (!canCompare('tessera', 'direct')) return `${goal}: cannot be judged.`
  const ratio = view.ratio('tessera', 'direct', judged.name, 'perSecond')
  return `${goal}: ${showSpread(ratio, 1)}, ${ratio.median >= rateRatioMin ? 'met' : 'missed'}`
}
