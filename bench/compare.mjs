// Measures what each scenario starts, slice by slice in turn, and prints ratios. `npm run bench -- --help` says how.
import { readdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { buildRequest, measure } from './load.mjs'
import { cpuSeconds, createStage, machineCpuSeconds, splitTree } from './processes.mjs'
import { report } from './report.mjs'

const help = `npm run bench -- [scenario ...] [--quick] [--json <file>]

  scenario        names from bench/scenarios; all of them when left out
  --quick         one short run, about 20 seconds
  --json <file>   also write the figures of every slice

Exit code 1 means that something did not work. A missed goal is said, and is no failure.`

/** A server that has answered fewer still gets cheaper from slice to slice: 5,000 were seen to be too few for Node. */
const warmUpRequests = 12_000
const warmUpLimitMs = 30_000

/** A run measures until its time is up, so that a busy machine makes the bench coarser and not longer. */
const full = {
  runs: 3,
  runMs: 13_000,
  loads: [
    { name: 'many', connections: 32, requests: 4_000 },
    { name: 'one', connections: 1, requests: 400 },
  ],
}
const quick = { ...full, runs: 1, runMs: 9_000 }
/** Whether CPU per request is flat cannot be seen from fewer. */
const roundsMin = 3

const loadScenarios = async (wanted) => {
  const files = readdirSync(new URL('./scenarios/', import.meta.url)).filter((file) => file.endsWith('.mjs'))
  const scenarios = await Promise.all(files.sort().map((file) => import(`./scenarios/${file}`)))
  const unknown = wanted.find((name) => !scenarios.some((scenario) => scenario.name === name))
  if (unknown !== undefined)
    throw new Error(`There is no scenario '${unknown}'; there are: ${scenarios.map(({ name }) => name).join(', ')}.`)
  return wanted.length === 0 ? scenarios : scenarios.filter(({ name }) => wanted.includes(name))
}

/** Nobody is always first, nor always after the same one. */
export const inTurn = (contenders, turn) => {
  const start = turn % contenders.length
  const order = [...contenders.slice(start), ...contenders.slice(0, start)]
  return turn % 2 === 0 ? order : order.reverse()
}

const measureScenario = async (scenario, options, { setStage, say }) => {
  const slices = []
  let contenders = []
  let databaseCpuSeconds = 0
  let strangersCpuSeconds = 0
  let measuredSeconds = 0
  for (let run = 0; run < options.runs; run++) {
    const stage = createStage()
    setStage(stage)
    try {
      contenders = (await scenario.start(stage)).map((contender) => {
        const { node, other } = splitTree(contender.pid)
        return { ...contender, bytes: buildRequest(contender.request), readCpu: () => cpuSeconds(node), node, other }
      })
      const databases = [...new Set(contenders.flatMap(({ other }) => other))]
      const ours = [process.pid, ...databases, ...new Set(contenders.flatMap(({ node }) => node))]
      const slice = ({ bytes, expected, readCpu }, load) => measure({ request: bytes, expected, readCpu, ...load })

      const warmUp = { ...options.loads[0], requests: warmUpRequests, limitMs: warmUpLimitMs }
      for (const contender of contenders) {
        const { answers, errors } = await slice(contender, warmUp)
        if (errors > 0) throw new Error(`${contender.name}: ${errors} wrong answers while warming up.`)
        if (answers < warmUpRequests) throw new Error(`${contender.name}: only ${answers} answers while warming up.`)
      }
      // The first slice after the warm-up of the others was seen to be dear, so it is thrown away.
      for (const contender of contenders) await slice(contender, options.loads[0])
      const startedMs = Date.now()
      const databaseBefore = cpuSeconds(databases)
      const strangersBefore = machineCpuSeconds() - cpuSeconds(ours)
      const untilMs = startedMs + options.runMs
      for (let round = 0; round < roundsMin || Date.now() < untilMs; round++)
        for (const load of options.loads)
          for (const contender of inTurn(contenders, run + round)) {
            const figures = await slice(contender, load)
            slices.push({ scenario: scenario.name, run, round, load: load.name, contender: contender.name, ...figures })
          }
      databaseCpuSeconds += cpuSeconds(databases) - databaseBefore
      strangersCpuSeconds += Math.max(0, machineCpuSeconds() - cpuSeconds(ours) - strangersBefore)
      measuredSeconds += (Date.now() - startedMs) / 1000
    } finally {
      await stage.stop()
    }
    say(`${scenario.title}: run ${run + 1} of ${options.runs} done`)
  }
  const strangersBusy = strangersCpuSeconds / measuredSeconds
  return { slices, ...report({ ...scenario, ...options, contenders, slices, databaseCpuSeconds, strangersBusy }) }
}

const readOptions = (args) =>
  parseArgs({
    args,
    allowPositionals: true,
    options: { quick: { type: 'boolean' }, json: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  })

/** Runs the bench and tells the exit code. */
export const main = async (args) => {
  const { values, positionals } = readOptions(args)
  if (values.help) {
    console.log(help)
    return 0
  }
  if (process.platform !== 'linux') throw new Error('The bench reads CPU times from /proc and so needs Linux.')

  let stage
  let isInterrupted = false
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ])
    process.on(signal, async () => {
      if (isInterrupted) return
      isInterrupted = true
      console.error('\nStopping what was started ...')
      await stage?.stop()
      process.exit(code)
    })

  const options = values.quick ? quick : full
  const scenarios = await loadScenarios(positionals)
  const machine = `${cpus()[0]?.model.trim() ?? 'unknown CPU'}, ${availableParallelism()} cores, Node ${process.version}`
  console.log(machine)
  const measured = []
  try {
    for (const scenario of scenarios) {
      const result = await measureScenario(scenario, options, {
        setStage: (current) => {
          stage = current
        },
        say: (text) => console.error(text),
      })
      console.log(`\n${result.text}`)
      measured.push(result)
    }
  } catch (error) {
    // What breaks because we are stopping is no news, and the exit code is the signal's.
    if (isInterrupted) return new Promise(() => {})
    throw error
  }
  if (values.json !== undefined) {
    const slices = measured.flatMap((result) => result.slices)
    writeFileSync(values.json, `${JSON.stringify({ machine, ...options, warmUpRequests, slices }, null, 1)}\n`)
  }
  return measured.some(({ hasErrors }) => hasErrors) ? 1 : 0
}
