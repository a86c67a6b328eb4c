// Turns slices of the image bench into tables and goals. Every ratio is formed within a round.
import { median, showSpread, spread, table } from '../report.mjs'
import { jobs } from './jobs.mjs'

const ratioMax = 1.3

const createLookup = (slices, job) => (contender, figure) =>
  slices.filter((slice) => slice.job === job.name && slice.contender === contender).map((slice) => slice[figure])

/** How many times the cost of sharp: of somebody, and of somebody without the look at the result. */
const ratiosOf = (of, contender, figure, { isLookLeftOut = false } = {}) => {
  const [alone, looks] = [of('sharp', figure), of('look', figure)]
  return of(contender, figure).map((cost, round) => (cost - (isLookLeftOut ? looks[round] : 0)) / alone[round])
}

const services = ['service', 'service, safe_mode off']

const rowsOf = (slices, job) => {
  const of = createLookup(slices, job)
  const megapixels = (job.input.width * job.input.height) / 1e6
  const line = (name, contender, options) => [
    `  ${name}`,
    median(of(contender, 'cpuMs')).toFixed(0),
    median(of(contender, 'wallMs')).toFixed(0),
    (megapixels / (median(of(contender, 'wallMs')) / 1000)).toFixed(1),
    contender === 'sharp' ? '1' : showSpread(spread(ratiosOf(of, contender, 'cpuMs', options)), 2),
    contender === 'sharp' ? '1' : showSpread(spread(ratiosOf(of, contender, 'wallMs', options)), 2),
  ]
  const without = (contender) => {
    const ratios = ['cpuMs', 'wallMs'].map((figure) => ratiosOf(of, contender, figure, { isLookLeftOut: true }))
    return ['    without the look', '', '', '', ...ratios.map((values) => showSpread(spread(values), 2))]
  }
  return [
    [job.name, '', '', '', '', ''],
    line('sharp', 'sharp'),
    line('editor', 'editor'),
    ...services.flatMap((name) => [line(name, name), without(name)]),
    line('the look alone', 'look'),
  ]
}

const judge = (slices, what, contender, options) => {
  const worst = (figure) =>
    jobs
      .map((job) => ({ job, ratio: median(ratiosOf(createLookup(slices, job), contender, figure, options)) }))
      .reduce((one, other) => (other.ratio > one.ratio ? other : one))
  const said = ['cpuMs', 'wallMs'].map((figure) => {
    const { job, ratio } = worst(figure)
    const verdict = ratio <= ratioMax ? 'met' : 'missed'
    return `${figure === 'cpuMs' ? 'CPU' : 'wall'} at most ${ratio.toFixed(2)} (${job.name}), ${verdict}`
  })
  return `Goal: ${what} at most ${ratioMax} times sharp alone: ${said.join('; ')}`
}

export const reportSpeed = ({ slices, rounds, turns }) =>
  [
    `Edits: ${rounds} interleaved rounds, ${turns} pictures a slice, one at a time. Ratios are to sharp alone in the same round:`,
    'median (lowest..highest). CPU of the process with all its threads, without PostgreSQL; wall of the fastest picture.',
    '',
    table([
      ['', 'CPU ms', 'wall ms', 'MP/s', 'CPU ratio', 'wall ratio'],
      ...jobs.flatMap((job) => rowsOf(slices, job)),
    ]),
    '',
    'All make the same pixels. The look at the result (is it adult content, is there a child) is no part of an edit: it is',
    'measured by itself and taken off in the lines without it. MP/s counts pixels of the input.',
    '',
    judge(slices, 'the editor', 'editor'),
    ...services.map((name) => judge(slices, `${name}, without the look,`, name, { isLookLeftOut: true })),
  ].join('\n')

const loopP99MaxMs = 20

const calmColumns = [
  ['event loop', 'loop', (slice) => slice],
  ['a chunk through the service', '', (slice) => slice.through],
  ['a chunk past the service', '', (slice) => slice.direct],
  ['a whole answer, compressed', 'answer', (slice) => slice],
]

const figureOf = (prefix, figure) => (prefix === '' ? figure : prefix + figure[0].toUpperCase() + figure.slice(1))

/** Medians of rounds, and the longest of all. */
const calmRow = (slices, state, [name, prefix, part]) => {
  const of = (figure) =>
    slices.filter((slice) => slice.state === state).map((slice) => part(slice)[figureOf(prefix, figure)])
  return [
    `  ${name}`,
    median(of('p50Ms')).toFixed(1),
    showSpread(spread(of('p99Ms')), 1),
    Math.max(...of('maxMs')).toFixed(1),
  ]
}

export const reportCalm = (slices) => {
  const busy = slices.filter(({ state }) => state === 'busy')
  const made = {}
  for (const slice of busy)
    for (const [name, count] of Object.entries(slice.made)) made[name] = (made[name] ?? 0) + count
  const p99 = spread(busy.map(({ loopP99Ms }) => loopP99Ms))
  const longest = Math.max(...busy.map(({ loopMaxMs }) => loopMaxMs))
  const errors = slices.reduce((sum, { through, direct }) => sum + through.errors + direct.errors, 0)
  const lines = [
    `What others feel: ${busy.length} interleaved rounds without pictures and with 4 always being made. Delays in ms: median of`,
    'the rounds (lowest..highest), and the longest of all.',
    '',
    table([
      ['', 'p50', 'p99', 'longest'],
      ...['quiet', 'busy'].flatMap((state) => [
        [state === 'quiet' ? 'without pictures' : 'while pictures are made', '', '', ''],
        ...calmColumns.map((column) => calmRow(slices, state, column)),
      ]),
    ]),
    '',
    `Made meanwhile: ${Object.entries(made)
      .map(([name, count]) => `${count} x ${name}`)
      .join('; ')}.`,
    'The event loop is what the service itself reports at /metrics, less the 10 ms between two looks. A chunk past the service',
    'comes from the upstream to the one who measures: what it is delayed is the machine, and no fault of the service.',
    ...(errors > 0 ? [`${errors} streams were wrong.`] : []),
    '',
    `Goal: p99 of the event loop below ${loopP99MaxMs} ms while pictures are made: ${showSpread(p99, 1)}, longest ${longest.toFixed(1)}, ${
      p99.median < loopP99MaxMs ? 'met' : 'missed'
    }`,
  ]
  return { text: lines.join('\n'), hasErrors: errors > 0 }
}
