// Kills processes of a service that charges, round after round, and holds what callers received against the books:
// npm run storm -- --rounds 1000 --seed 7
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildIfNeeded } from './build.mjs'

const { values } = parseArgs({ options: { rounds: { type: 'string' }, seed: { type: 'string' } } })
const rounds = Number(values.rounds ?? 200)
const seed = Number(values.seed ?? Date.now() % 1_000_000)
if (!Number.isSafeInteger(rounds) || !Number.isSafeInteger(seed) || rounds < 1 || seed < 0) {
  console.error('storm: --rounds and --seed are whole numbers')
  process.exit(1)
}

await buildIfNeeded()
const { startTestDatabase } = await import('../dist/test/database.js')
const { runStorm } = await import('../dist/test/storm.js')
const folder = mkdtempSync(join(tmpdir(), 'tessera-storm-'))
const database = await startTestDatabase(folder)
process.env.TESSERA_TEST_DATABASE = JSON.stringify(database.connection)

const show = ({ number, processes, fault, requests, delivered, inFlight, tookMs, problems }) => {
  const figures = `${requests} requests, ${delivered} delivered, ${inFlight} in flight, ${tookMs} ms`
  console.log(`${number}: one of ${processes} ${fault}: ${figures}`)
  for (const problem of problems) console.log(`  PROBLEM ${problem}`)
}

console.log(`storm: ${rounds} rounds, seed ${seed}`)
try {
  const done = await runStorm({ rounds, seed, onRound: show })
  const sum = (read) => done.reduce((total, round) => total + read(round), 0)
  const kills = done.filter(({ fault }) => fault.startsWith('killed')).length
  const problems = sum((round) => round.problems.length)
  console.log(`\n${done.length} rounds, ${kills} kills, ${done.length - kills} freezes`)
  console.log(`${sum(({ requests }) => requests)} requests, ${sum(({ delivered }) => delivered)} delivered in full`)
  console.log(`${sum(({ inFlight }) => inFlight)} in flight when their process was hit`)
  console.log(problems === 0 ? 'no problems' : `${problems} PROBLEMS; repeat with --rounds ${rounds} --seed ${seed}`)
  process.exitCode = problems === 0 ? 0 : 1
} finally {
  await database.stop()
  rmSync(folder, { recursive: true, force: true })
}
