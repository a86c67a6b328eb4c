// Turns slices into tables and sentences. Absolute times of a shared machine are noise; the ratio of two slices taken one
// after the other is not, so every ratio is formed within a round and then summed up.
export const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

export const spread = (values) => ({
  median: median(values),
  lowest: Math.min(...values),
  highest: Math.max(...values),
})
export const showSpread = ({ median, lowest, highest }, digits) =>
  `${median.toFixed(digits)} (${lowest.toFixed(digits)}..${highest.toFixed(digits)})`
export const whole = (value) => Math.round(value).toLocaleString('en')

export const table = (rows) => {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)))
  const pad = (text, column) => (column === 0 ? text.padEnd(widths[column]) : text.padStart(widths[column]))
  return rows.map((row) => `  ${row.map(pad).join('   ')}`.trimEnd()).join('\n')
}

/** Slices of one scenario, as questions. */
export const createView = (slices) => {
  const of = (name, load) => slices.filter((slice) => slice.contender === name && slice.load === load)
  const paired = (name, reference, load, combine) =>
    of(name, load).map((slice) => {
      const same = ({ run, round }) => run === slice.run && round === slice.round
      return combine(slice, of(reference, load).find(same))
    })
  return {
    of,
    typical: (name, load, figure) => median(of(name, load).map((slice) => slice[figure])),
    ratio: (name, reference, load, figure) => spread(paired(name, reference, load, (a, b) => a[figure] / b[figure])),
    added: (name, reference, load, figure) => spread(paired(name, reference, load, (a, b) => a[figure] - b[figure])),
    errors: (name) => slices.filter(({ contender }) => contender === name).reduce((sum, { errors }) => sum + errors, 0),
  }
}

/** More than this between the first and the last third of the rounds of a run means it was not warm, or disturbed. */
const driftMax = 0.1

/** How far a figure moved within a run: 0.2 means that the last third had 20 % more than the first. */
const drift = (slices, figure) => {
  const runs = [...new Set(slices.map(({ run }) => run))]
  return median(
    runs.map((run) => {
      const costs = slices.filter((slice) => slice.run === run).map((slice) => slice[figure])
      const third = Math.ceil(costs.length / 3)
      return median(costs.slice(-third)) / median(costs.slice(0, third)) - 1
    }),
  )
}

/** Above this share of a core the figures are those of a shared machine, and another run may differ. */
const strangersBusyMax = 0.2

export const percent = (share) => `${(share * 100).toFixed(0)} %`
const signed = (share) => `${share < 0 ? '-' : '+'}${Math.abs(share * 100).toFixed(0)} %`

export const sayRounds = (title, slices) =>
  `${title}: ${new Set(slices.map(({ run, round }) => `${run} ${round}`)).size} interleaved rounds in ${
    new Set(slices.map(({ run }) => run)).size
  } run(s) with fresh processes.
Ratios are formed within a round: median of all rounds (lowest..highest).`

export const sayStrangers = (generatorBusy, strangersBusy) =>
  `The load generator took ${percent(generatorBusy)} of a core, programs that are not ours ${percent(strangersBusy)}${
    strangersBusy > strangersBusyMax ? ': repeat it on a quiet machine before quoting.' : '.'
  }`

/** Whether the figure stayed the same from slice to slice; `what` names it. */
export const saySteadiness = (view, names, { load, figure = 'cpuUs', what }) => {
  const drifts = names.map((name) => ({ name, moved: drift(view.of(name, load), figure) }))
  const unsteady = drifts.filter(({ moved }) => !(Math.abs(moved) <= driftMax))
  return unsteady.length === 0
    ? `${what} was flat from slice to slice (${drifts.map(({ name, moved }) => `${name} ${signed(moved)}`).join(', ')}).`
    : `${what} was NOT flat (${unsteady.map(({ name, moved }) => `${name} ${signed(moved)} within a run`).join(', ')}): do not quote these ratios.`
}

/** The report of a scenario that asks for whole answers, with one reference. */
export const reportAnswers = ({ title, reference, contenders, loads, slices, strangersBusy }) => {
  const view = createView(slices)
  const [many, one] = loads
  const isVoid = (name) => view.errors(name) > 0
  const isComparable = (name) => !isVoid(name) && !isVoid(reference)
  const names = contenders.map(({ name }) => name)
  const orVoid = (name, cells) =>
    isVoid(name) ? [`void: ${view.errors(name)} errors`, ...cells.slice(1).fill('')] : cells
  const ratioTo = (name, load, figure) =>
    name === reference ? '1' : isComparable(name) ? showSpread(view.ratio(name, reference, load, figure), 2) : '-'

  const databaseCpuSeconds = slices.reduce((sum, { databaseCpuUs, answers }) => sum + databaseCpuUs * answers, 0) / 1e6
  const generatorBusy = median(slices.filter(({ load }) => load === many.name).map((slice) => slice.generatorBusy))
  const lines = [
    sayRounds(title, slices),
    '',
    `${many.connections} connections, keep-alive, ${whole(many.requests)} requests a slice`,
    table([
      ['', 'CPU ratio', 'CPU s/1000', 'requests/s', 'rate ratio', 'p50 ms', 'p99 ms', 'busy'],
      ...names.map((name) => [
        name,
        ...orVoid(name, [
          ratioTo(name, many.name, 'cpuUs'),
          (view.typical(name, many.name, 'cpuUs') / 1000).toFixed(4),
          whole(view.typical(name, many.name, 'perSecond')),
          ratioTo(name, many.name, 'perSecond'),
          (view.typical(name, many.name, 'p50Us') / 1000).toFixed(2),
          (view.typical(name, many.name, 'p99Us') / 1000).toFixed(2),
          percent(view.typical(name, many.name, 'busy')),
        ]),
      ]),
    ]),
    '',
    `${one.connections} connection, keep-alive, ${whole(one.requests)} requests a slice`,
    table([
      ['', 'p50 us', 'added p50 us', 'p99 us'],
      ...names.map((name) => [
        name,
        ...orVoid(name, [
          whole(view.typical(name, one.name, 'p50Us')),
          name === reference || !isComparable(name)
            ? '-'
            : showSpread(view.added(name, reference, one.name, 'p50Us'), 0),
          whole(view.typical(name, one.name, 'p99Us')),
        ]),
      ]),
    ]),
    '',
    'CPU is that of the Node processes under test with all their threads; busy is its share of one core.',
    `The embedded PostgreSQL is not in it: it is idle here and used ${databaseCpuSeconds.toFixed(2)} s in all.`,
    sayStrangers(generatorBusy, strangersBusy),
    saySteadiness(view, names, { load: many.name, what: 'CPU per request' }),
    '',
  ]

  for (const { name, cpuRatioMax } of contenders) {
    if (cpuRatioMax === undefined) continue
    if (!isComparable(name)) {
      lines.push(`${title} ${name}: void, there were errors.`)
      continue
    }
    const ratio = view.ratio(name, reference, many.name, 'cpuUs')
    const verdict = ratio.median <= cpuRatioMax ? 'met' : 'missed'
    lines.push(
      `${title} ${name} costs ${showSpread(ratio, 2)} times the CPU of ${reference}; goal at most ${cpuRatioMax}: ${verdict}`,
    )
  }
  return { text: lines.join('\n'), hasErrors: names.some(isVoid) }
}
