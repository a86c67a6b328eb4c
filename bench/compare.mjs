// Measures what each scenario starts, slice by slice in turn, and prints ratios. `npm run bench -- --help` says how.
import { readdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { fetchPortkey } from './chat/portkey.mjs'
import { buildRequest } from './load.mjs'
import { createStage, machineCpuSeconds, ownCpuSeconds, readUsage } from './processes.mjs'
import { profileScenario } from './profile.mjs'

const help = `npm run bench -- [scenario ...] [--quick] [--peers] [--only <names>] [--json <file>]
npm run bench -- [scenario ...] --profile <contender> [--keep <folder>]

  scenario          names from bench/scenarios; all of them when left out
  --quick           one short run, about a minute a scenario
  --peers           also measure gateways of others, which npm fetches into a temporary folder
  --only <names>    of those that a scenario can compare, only these, with commas
  --json <file>     also write the figures of every slice
  --profile <name>  where the CPU of this contender goes, by layer, function and caller
  --keep <folder>   keep the profiles, which developer tools can open

Exit code 1 means that something did not work. A missed goal is said, and is no failure.`

/** A run measures until its time is up, so that a busy machine makes the bench coarser and not longer. */
const full = { runs: 3, runMs: 13_000 }
const quick = { runs: 1, runMs: 9_000 }
/** Whether CPU per request is flat cannot be seen from fewer. */
const roundsMin = 3
const warmUpLimitMs = 120_000

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

/** What a scenario started, each with its request as bytes and a meter. */
const prepare = (contenders) =>
  contenders.map((contender) => ({
    ...contender,
    request: buildRequest(contender.request),
    readUsage: () => readUsage(contender.pid),
  }))

const takesPartIn = (load) => (contender) => contender.loads?.includes(load.name) ?? true

export const slice = (contender, load) => (contender.measure ?? load.measure)({ ...contender, ...load })

const warmUpAll = async (contenders, { warmUp, loads }) => {
  for (const contender of contenders.filter(takesPartIn(warmUp))) {
    const { answers, errors } = await slice(contender, { ...warmUp, limitMs: warmUpLimitMs })
    if (errors > 0) throw new Error(`${contender.name}: ${errors} wrong answers while warming up.`)
    const wanted = warmUp.requests ?? warmUp.streams
    if (answers < wanted) throw new Error(`${contender.name}: only ${answers} answers while warming up.`)
  }
  // The first slice after the warm-up of the others was seen to be dear, so it is thrown away.
  for (const contender of contenders.filter(takesPartIn(loads[0]))) await slice(contender, loads[0])
}

const measureScenario = async (scenario, options, { newStage, say }) => {
  const slices = []
  let started
  let strangersCpuSeconds = 0
  let measuredSeconds = 0
  for (let run = 0; run < options.runs; run++) {
    const stage = newStage()
    try {
      started = await scenario.start(stage, options)
      const contenders = prepare(started.contenders)
      await warmUpAll(contenders, scenario)
      const startedMs = Date.now()
      const strangersBefore = machineCpuSeconds() - ownCpuSeconds()
      const untilMs = startedMs + options.runMs
      for (let round = 0; round < roundsMin || Date.now() < untilMs; round++)
        for (const load of scenario.loads)
          for (const contender of inTurn(contenders.filter(takesPartIn(load)), run + round)) {
            const figures = await slice(contender, load)
            slices.push({ scenario: scenario.name, run, round, load: load.name, contender: contender.name, ...figures })
          }
      strangersCpuSeconds += Math.max(0, machineCpuSeconds() - ownCpuSeconds() - strangersBefore)
      measuredSeconds += (Date.now() - startedMs) / 1000
    } finally {
      await stage.stop()
    }
    say(`${scenario.title}: run ${run + 1} of ${options.runs} done`)
  }
  const strangersBusy = strangersCpuSeconds / measuredSeconds
  return { slices, ...scenario.report({ ...started, slices, strangersBusy }) }
}

const readOptions = (args) =>
  parseArgs({
    args,
    allowPositionals: true,
    options: {
      quick: { type: 'boolean' },
      peers: { type: 'boolean' },
      only: { type: 'string' },
      json: { type: 'string' },
      profile: { type: 'string' },
      keep: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })

/** Runs the bench and tells the exit code. */
export const main = async (args) => {
  const { values, positionals } = readOptions(args)
  if (values.help) {
    console.log(help)
    return 0
  }
  if (process.platform !== 'linux') throw new Error('The bench reads CPU times from /proc and so needs Linux.')

  const stages = new Set()
  let isInterrupted = false
  const newStage = () => {
    if (isInterrupted) throw new Error('Nothing is started any more: the bench is stopping.')
    const stage = createStage()
    stages.add(stage)
    return stage
  }
  const stopAll = () => Promise.all([...stages].map((stage) => stage.stop()))
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ])
    process.on(signal, async () => {
      if (isInterrupted) return
      isInterrupted = true
      console.error('\nStopping what was started ...')
      await stopAll()
      process.exit(code)
    })

  const scenarios = await loadScenarios(positionals)
  const machine = `${cpus()[0]?.model.trim() ?? 'unknown CPU'}, ${availableParallelism()} cores, Node ${process.version}`
  console.log(machine)
  const measured = []
  try {
    const portkey = values.peers ? await fetchPortkey(newStage()) : { leftOut: 'only with --peers' }
    const options = { ...(values.quick ? quick : full), portkey, only: values.only?.split(',') }
    for (const scenario of scenarios) {
      if (values.profile !== undefined) {
        await profileScenario(scenario, { ...options, name: values.profile, keep: values.keep, newStage })
        continue
      }
      const result = await measureScenario(scenario, options, { newStage, say: (text) => console.error(text) })
      console.log(`\n${result.text}`)
      measured.push(result)
    }
    if (values.json !== undefined) {
      const slices = measured.flatMap((result) => result.slices)
      writeFileSync(values.json, `${JSON.stringify({ machine, ...(values.quick ? quick : full), slices }, null, 1)}\n`)
    }
  } catch (error) {
    // What breaks because we are stopping is no news, and the exit code is the signal's.
    if (isInterrupted) return new Promise(() => {})
    throw error
  } finally {
    await stopAll()
  }
  return measured.some(({ hasErrors }) => hasErrors) ? 1 : 0
}
