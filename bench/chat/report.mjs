// Turns slices of the chat scenarios into tables and sentences. Everybody is held against nginx and against a bare proxy
// of the same kind as ours, and what they add is reckoned against asking the upstream directly.
import { createView, median, percent, sayRounds, saySteadiness, sayStrangers, showSpread, table } from '../report.mjs'

const ours = 'tessera'

/** What the columns of all chat scenarios are made of. Figures of those with errors, or held against such, are void. */
export const createFigures = ({ contenders, slices }) => {
  const view = createView(slices)
  const names = contenders.map(({ name }) => name)
  const isVoid = (name) => view.errors(name) > 0
  const canCompare = (name, reference) => [name, reference].every((each) => names.includes(each) && !isVoid(each))
  const compare = (name, reference, show) =>
    canCompare(name, reference) ? (name === reference ? '' : showSpread(...show())) : '-'
  return {
    view,
    names,
    isVoid,
    canCompare,
    typical: (load, figure, digits, unit = 1) => ({
      of: (name) => (view.typical(name, load, figure) / unit).toFixed(digits),
    }),
    share: (load, figure) => ({ of: (name) => percent(view.typical(name, load, figure)) }),
    ratio: (reference, load, figure) => ({
      of: (name) => compare(name, reference, () => [view.ratio(name, reference, load, figure), 2]),
    }),
    added: (load, figure, digits, unit = 1) => ({
      of: (name) =>
        compare(name, 'direct', () => {
          const { median, lowest, highest } = view.added(name, 'direct', load, figure)
          return [{ median: median / unit, lowest: lowest / unit, highest: highest / unit }, digits]
        }),
    }),
  }
}

/** `columns` are pairs of a heading and what fills it. */
export const tableOf = ({ view, names, isVoid }, columns) =>
  table([
    ['', ...columns.map(([heading]) => heading)],
    ...names.map((name) =>
      isVoid(name)
        ? [name, `void: ${view.errors(name)} errors`, ...columns.slice(1).fill('')]
        : [name, ...columns.map(([, column]) => column.of(name))],
    ),
  ])

/** Whether the CPU of ours is within a multiple of nginx's. */
export const judgeCpu = ({ view, canCompare }, { load, what, ratioMax }) => {
  if (!canCompare(ours, 'nginx')) return `Goal: ${what} at most ${ratioMax} times nginx: cannot be judged.`
  const ratio = view.ratio(ours, 'nginx', load, 'cpuUs')
  const verdict = ratio.median <= ratioMax ? 'met' : 'missed'
  return `Goal: ${what} at most ${ratioMax} times nginx: ${showSpread(ratio, 2)}, ${verdict}`
}

const indent = (text) => text.trim().replaceAll('\n', '\n  ')

/** The whole report: tables, how far to trust them, goals. */
export const reportChat = (measured, { title, sections, steady, goals = [] }) => {
  const { figures, slices, leftOut, strangersBusy } = measured
  const busy = slices.filter(({ load }) => load === steady.load).map(({ generatorBusy }) => generatorBusy)
  const lines = [
    sayRounds(title, slices),
    '',
    ...sections.flatMap((section) => [section, '']),
    'CPU and memory are those of the process under test, with its children and threads, without PostgreSQL.',
    'For direct they are those of the upstream itself, which costs the same behind all others.',
    sayStrangers(median(busy), strangersBusy),
    saySteadiness(figures.view, figures.names, steady),
    ...leftOut.map(({ name, reason }) => `Left out: ${name}, ${indent(reason)}`),
    ...(goals.length > 0 ? ['', ...goals] : []),
  ]
  return { text: lines.join('\n'), hasErrors: measured.contenders.some(({ name }) => figures.view.errors(name) > 0) }
}
