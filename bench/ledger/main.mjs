// What a paid request costs: holds and settlements per second, their latency and CPU, beside plain commits in the same
// run; and whether that stays so when accounts and history grow. `npm run bench:ledger -- --help` says how.
import { writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { createLedger } from '../../dist/src/ledger/ledger.js'
import { systemClock } from '../../dist/src/plumbing/clock.js'
import { inTurn } from '../compare.mjs'
import { machineCpuSeconds, ownCpuSeconds } from '../processes.mjs'
import { fillAccounts, fillUsage, settleDown } from './fill.mjs'
import { createCountOf, measureProcessCosts } from './limits.mjs'
import { createCommits, createPairs, models } from './pairs.mjs'
import { reportGrowth, reportLimits, reportLoads } from './report.mjs'
import { proveBooks, startServer } from './server.mjs'

const help = `npm run bench:ledger -- [loads] [growth] [limits] [--quick] [--json <file>]

  loads           only hold and settle pairs with 1 to 256 callers, beside plain commits
  growth          only what a pair costs with more accounts and more history
  limits          only what rate limits cost, in the process and in the database
  --quick         fewer rounds and fewer rows, about two minutes
  --json <file>   also write the figures of every slice

Exit code 1 means that something did not work. A missed goal is said, and is no failure.`

const full = { loadRounds: 9, growthRounds: 7, accounts: [1, 1_000, 1_000_000], usage: [0, 1_000_000, 10_000_000] }
const quick = { loadRounds: 3, growthRounds: 3, accounts: [1, 1_000, 20_000], usage: [0, 50_000, 200_000] }

const loadAccounts = 256
const usageAccounts = 1_000
const growthCallers = 64

const warmUpRounds = 1

/** Slices of all contenders in turn; the first rounds are thrown away. */
const takeTurns = async (contenders, rounds, say) => {
  const slices = []
  for (let round = -warmUpRounds; round < rounds; round++) {
    for (const { name, slice } of inTurn(contenders, round + warmUpRounds)) {
      const figures = await slice()
      if (round >= 0) slices.push({ name, round, ...figures })
    }
    say(round < 0 ? 'warm' : `round ${round + 1} of ${rounds} done`)
  }
  return slices
}

const openLedger = ({ connection }, options = {}) => createLedger({ connection, clock: systemClock, ...options })

/** Pairs with more and more callers, and plain commits. */
const measureLoads = async (server, { loadRounds }, say) => {
  const database = await server.createDatabase('loads')
  await fillAccounts(database, loadAccounts)
  await settleDown(database)
  const ledger = openLedger(database)
  const single = openLedger(database, { batchSizeMax: 1 })
  const pairs = (callers, count) =>
    createPairs({ name: `pairs ${callers}`, server, ledger, accounts: loadAccounts, callers, count })
  const commits = [
    await createCommits({ name: 'commits 1', server, database, callers: 1, count: 1_000 }),
    await createCommits({ name: 'commits 16', server, database, callers: 16, count: 4_000 }),
  ]
  const oneByOne = { name: 'one by one', server, ledger: single, accounts: loadAccounts, callers: 256, count: 1_000 }
  const contenders = [
    ...commits,
    pairs(1, 500),
    pairs(16, 3_000),
    pairs(64, 6_000),
    pairs(256, 12_000),
    createPairs(oneByOne),
  ]
  const slices = await takeTurns(contenders, loadRounds, (text) => say(`loads: ${text}`))
  await Promise.all([ledger, single, ...commits].map((part) => part.stop()))
  await proveBooks(database, 'loads')
  return { slices, text: reportLoads({ slices, accounts: loadAccounts }) }
}

/** The same pairs on databases with more and more in them. */
const measureGrowth = async (server, { growthRounds, accounts, usage }, say) => {
  const shapes = [
    ...accounts.map((number) => ({ kind: 'accounts', number, accounts: number, rows: 0 })),
    ...usage.map((number) => ({ kind: 'usage rows', number, accounts: usageAccounts, rows: number })),
  ]
  const contenders = []
  for (const [at, shape] of shapes.entries()) {
    const database = await server.createDatabase(`growth_${at}`)
    await fillAccounts(database, shape.accounts)
    if (shape.rows > 0) await fillUsage(database, { ...shape, models })
    await settleDown(database)
    const ledger = openLedger(database)
    const name = `${shape.number.toLocaleString('en')} ${shape.kind}`
    const pairs = createPairs({ name, server, ledger, accounts: shape.accounts, callers: growthCallers, count: 5_000 })
    contenders.push({ ...pairs, ...shape, database, ledger })
    say(`growth: ${name} filled in`)
  }
  const slices = await takeTurns(contenders, growthRounds, (text) => say(`growth: ${text}`))
  for (const { ledger, database, name } of contenders) {
    await ledger.stop()
    await proveBooks(database, name)
  }
  return { slices, text: reportGrowth({ slices, contenders, callers: growthCallers }) }
}

/** The same pairs without rate limits, with limits in the process and with limits in the database. */
const measureLimits = async (server, { loadRounds }, say) => {
  const database = await server.createDatabase('limits')
  await fillAccounts(database, loadAccounts)
  await settleDown(database)
  const countOf = createCountOf()
  const here = openLedger(database)
  const together = openLedger(database, { sharesLimits: true })
  const contenders = [1, 64].flatMap((callers) => {
    const load = { server, accounts: loadAccounts, callers, count: callers === 1 ? 500 : 6_000 }
    return [
      createPairs({ ...load, name: `none ${callers}`, ledger: here }),
      createPairs({ ...load, name: `process ${callers}`, ledger: here, countOf }),
      createPairs({ ...load, name: `database ${callers}`, ledger: together, countOf }),
    ]
  })
  const slices = await takeTurns(contenders, loadRounds, (text) => say(`limits: ${text}`))
  await Promise.all([here.stop(), together.stop()])
  await proveBooks(database, 'limits')
  return { slices, text: reportLimits({ slices, processCosts: await measureProcessCosts() }) }
}

const parts = { loads: measureLoads, growth: measureGrowth, limits: measureLimits }

export const main = async (args) => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { quick: { type: 'boolean' }, json: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  })
  if (values.help) return console.log(help)
  if (process.platform !== 'linux') throw new Error('The bench reads CPU times from /proc and so needs Linux.')
  const wanted = positionals.length === 0 ? Object.keys(parts) : positionals
  const unknown = wanted.find((name) => !(name in parts))
  if (unknown !== undefined)
    throw new Error(`There is no part '${unknown}'; there are: ${Object.keys(parts).join(', ')}.`)

  const options = values.quick ? quick : full
  const machine = `${cpus()[0]?.model.trim() ?? 'unknown CPU'}, ${availableParallelism()} cores, Node ${process.version}`
  console.log(machine)
  const server = await startServer()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => server.stop().then(() => process.exit(1)))
  try {
    const strangers = () => machineCpuSeconds() - ownCpuSeconds()
    const measured = []
    for (const name of wanted) {
      const before = { strangers: strangers(), ms: Date.now() }
      const result = await parts[name](server, options, (text) => console.error(text))
      const busy = (strangers() - before.strangers) / ((Date.now() - before.ms) / 1000)
      console.log(`\n${result.text}`)
      console.log(
        `\nPrograms that are not ours took ${(busy * 100).toFixed(0)} % of a core meanwhile. The books add up.`,
      )
      measured.push(...result.slices.map((slice) => ({ part: name, ...slice })))
    }
    if (values.json !== undefined)
      writeFileSync(values.json, `${JSON.stringify({ machine, ...options, slices: measured }, null, 1)}\n`)
  } finally {
    await server.stop()
  }
}
