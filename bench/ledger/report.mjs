// Turns slices of the ledger bench into tables and goals. Ratios are formed within a round: absolute times are noise.
import { median, showSpread, spread, table, whole } from '../report.mjs'

const goals = { pairsPerSecond: 5_000, timesCommits: 4, commitsOfLatency: 2, growth: 1.3, limitsUs: 3 }

const verdict = (isMet) => (isMet ? 'met' : 'MISSED')

const createView = (slices) => {
  const of = (name) => slices.filter((slice) => slice.name === name)
  const typical = (name, read) => median(of(name).map(read))
  const ratio = (name, reference, read) =>
    spread(of(name).map((slice) => read(slice) / read(of(reference).find(({ round }) => round === slice.round))))
  return { of, typical, ratio }
}

const figure = (value) => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)
const latency = ({ typical }, name, step) =>
  `${figure(typical(name, (slice) => slice[step].p50Ms))} / ${figure(typical(name, (slice) => slice[step].p99Ms))}`

export const reportLoads = ({ slices, accounts }) => {
  const view = createView(slices)
  const { of, typical, ratio } = view
  const rate = ({ perSecond }) => perSecond
  const middle = ({ whole }) => whole.p50Ms
  const isPairs = ({ hold }) => hold.p50Ms !== undefined
  const names = [...new Set(slices.map(({ name }) => name))].sort(
    (one, other) => order.indexOf(one) - order.indexOf(other),
  )
  const row = (name) => [
    titles[name],
    showSpread(spread(of(name).map(rate)), 0),
    ...(isPairs(of(name)[0]) ? [latency(view, name, 'hold'), latency(view, name, 'settle')] : ['', '']),
    latency(view, name, 'whole'),
    whole(typical(name, ({ nodeCpuUs }) => nodeCpuUs)),
    whole(typical(name, ({ postgresCpuUs }) => postgresCpuUs)),
    isPairs(of(name)[0]) ? figure(typical(name, ({ batch }) => batch)) : '',
  ]
  const pairsRate = spread(of('pairs 256').map(rate))
  const timesCommits = ratio('pairs 256', 'commits 1', rate)
  const timesSingle = ratio('pairs 256', 'one by one', rate)
  const commitsOfLatency = spread(
    of('pairs 1').map((slice) => middle(slice) / middle(of('commits 1').find(({ round }) => round === slice.round))),
  )
  return [
    `Loads: ${of('pairs 1').length} interleaved rounds. A pair is a hold and its settlement, two durable commits, through the`,
    `ledger's own interface with a bill of two lines; callers choose at random among ${accounts} accounts with one key each,`,
    'and among 4 models. Rates: median (lowest..highest); latencies in ms: p50 / p99; CPU in microseconds each.',
    '',
    table([['', 'per second', 'hold', 'settle', 'whole', 'Node CPU', 'PostgreSQL CPU', 'batch'], ...names.map(row)]),
    '',
    `Pairs at 256 callers: ${showSpread(pairsRate, 0)} per second; goal at least ${whole(goals.pairsPerSecond)}: ${verdict(pairsRate.median >= goals.pairsPerSecond)}`,
    `  over the rate of single commits: ${showSpread(timesCommits, 1)}; goal at least ${goals.timesCommits}: ${verdict(timesCommits.median >= goals.timesCommits)}`,
    `  over the same pairs one by one: ${showSpread(timesSingle, 1)}`,
    `A pair with 1 caller takes as long as ${showSpread(commitsOfLatency, 2)} single commits; goal at most ${goals.commitsOfLatency}: ${verdict(commitsOfLatency.median <= goals.commitsOfLatency)}`,
  ].join('\n')
}

const titles = {
  'commits 1': 'commits of one row, 1 connection',
  'commits 16': 'commits of one row, 16 connections',
  'pairs 1': 'pairs, 1 caller',
  'pairs 16': 'pairs, 16 callers',
  'pairs 64': 'pairs, 64 callers',
  'pairs 256': 'pairs, 256 callers',
  'one by one': 'pairs, 256 callers, no batches',
}
const order = Object.keys(titles)

export const reportGrowth = ({ slices, contenders, callers }) => {
  const { of, typical, ratio } = createView(slices)
  const timeUs = ({ perSecond }) => 1e6 / perSecond
  const cpuUs = (slice) => slice.cpuUs
  const smallest = ({ kind }) => contenders.find((contender) => contender.kind === kind).name
  const growth = contenders.map((contender) => ({
    ...contender,
    cpu: ratio(contender.name, smallest(contender), cpuUs),
    time: ratio(contender.name, smallest(contender), timeUs),
  }))
  // One account alone is a special case (its changes are summed up), so the larger ones are also compared with each other.
  const beyondTheFirst = contenders
    .filter((contender, at) => contender.kind === contenders[at - 2]?.kind)
    .map((contender) => {
      const from = contenders[contenders.indexOf(contender) - 1].name
      return {
        name: contender.name,
        from,
        cpu: ratio(contender.name, from, cpuUs),
        time: ratio(contender.name, from, timeUs),
      }
    })
  const said = ({ name, cpu, time, kind }) => {
    if (name === smallest({ kind })) return 'the measure'
    const worst = Math.max(cpu.median, time.median)
    return worst <= goals.growth ? 'flat' : `grows ${worst.toFixed(2)} times`
  }
  return [
    `Growth: ${of(contenders[0].name).length} interleaved rounds of pairs, ${callers} callers who choose at random among all accounts (1,000`,
    'where usage rows are counted). CPU is that of this process and PostgreSQL. Each against the smallest of its kind.',
    '',
    table([
      ['', 'CPU us', 'of that Node', 'time us', 'CPU ratio', 'time ratio', 'verdict'],
      ...growth.map((line) => [
        line.name,
        whole(typical(line.name, cpuUs)),
        whole(typical(line.name, ({ nodeCpuUs }) => nodeCpuUs)),
        whole(typical(line.name, timeUs)),
        showSpread(line.cpu, 2),
        showSpread(line.time, 2),
        said(line),
      ]),
    ]),
    '',
    ...beyondTheFirst.map(
      ({ name, from, time, cpu }) => `${name} over ${from}: CPU ${showSpread(cpu, 2)}, time ${showSpread(time, 2)}`,
    ),
    `Flat growth, within ${goals.growth}: ${verdict(growth.every(({ cpu, time }) => Math.max(cpu.median, time.median) <= goals.growth))}`,
  ].join('\n')
}

export const reportLimits = ({ slices, processCosts }) => {
  const { of, typical, ratio } = createView(slices)
  const ways = { none: 'no limits', process: 'in the process', database: 'in the database' }
  const rows = [1, 64].flatMap((callers) =>
    Object.entries(ways).map(([way, title]) => {
      const name = `${way} ${callers}`
      return [
        `${title}, ${callers} caller${callers === 1 ? '' : 's'}`,
        figure(typical(name, ({ whole }) => whole.p50Ms)),
        whole(typical(name, ({ nodeCpuUs }) => nodeCpuUs)),
        whole(typical(name, ({ postgresCpuUs }) => postgresCpuUs)),
        showSpread(
          ratio(name, `none ${callers}`, ({ whole }) => whole.p50Ms),
          2,
        ),
        showSpread(
          ratio(name, `none ${callers}`, ({ cpuUs }) => cpuUs),
          2,
        ),
      ]
    }),
  )
  const [, plainUs] = processCosts[0]
  return [
    `Limits: ${of('none 1').length} interleaved rounds of pairs as in loads. Latency in ms (p50), CPU in microseconds each; ratios to the same`,
    'pairs without limits: median (lowest..highest). There are two round trips in all of them.',
    '',
    table([['', 'p50', 'Node CPU', 'PostgreSQL CPU', 'p50 / none', 'CPU / none'], ...rows]),
    '',
    ...processCosts.map(
      ([what, us]) => `In the process by themselves, ${what}: ${us.toFixed(2)} microseconds of CPU for each request`,
    ),
    `  goal at most ${goals.limitsUs}: ${verdict(plainUs <= goals.limitsUs)}`,
  ].join('\n')
}
