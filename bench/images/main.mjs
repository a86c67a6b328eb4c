// What editing costs beside sharp alone, and what others feel of it. `npm run bench:images -- --help` says how.
import { writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createStage, machineCpuSeconds, ownCpuSeconds } from '../processes.mjs'
import { measureCalm } from './calm.mjs'
import { drawing, photo, small } from './jobs.mjs'
import { writePicture } from './pictures.mjs'
import { reportCalm, reportSpeed } from './report.mjs'
import { measureSpeed } from './speed.mjs'

const help = `npm run bench:images -- [speed] [calm] [--quick] [--json <file>]

  speed           only edits by sharp alone, by the editor and by the service
  calm            only streams and the event loop while pictures are made
  --quick         fewer rounds, about two minutes
  --json <file>   also write the figures of every slice

Exit code 1 means that something did not work. A missed goal is said, and is no failure.`

const full = { rounds: 9, turns: 3, calmRounds: 5, chunks: 400 }
const quick = { rounds: 3, turns: 1, calmRounds: 1, chunks: 300 }

const parts = {
  async speed(stage, options) {
    const slices = await measureSpeed(stage, options)
    return { slices, text: reportSpeed({ slices, ...options }) }
  },
  async calm(stage, options) {
    const slices = await measureCalm(stage, options)
    return { slices, ...reportCalm(slices) }
  },
}

const strangers = () => machineCpuSeconds() - ownCpuSeconds()

/** Runs the bench and tells the exit code. */
export const main = async (args) => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { quick: { type: 'boolean' }, json: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  })
  if (values.help) {
    console.log(help)
    return 0
  }
  if (process.platform !== 'linux') throw new Error('The bench reads CPU times from /proc and so needs Linux.')
  const wanted = positionals.length === 0 ? Object.keys(parts) : positionals
  const unknown = wanted.find((name) => !(name in parts))
  if (unknown !== undefined)
    throw new Error(`There is no part '${unknown}'; there are: ${Object.keys(parts).join(', ')}.`)

  const machine = `${cpus()[0]?.model.trim() ?? 'unknown CPU'}, ${availableParallelism()} cores, Node ${process.version}`
  console.log(machine)
  const options = { ...(values.quick ? quick : full), say: (text) => console.error(text) }
  let stage
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => Promise.resolve(stage?.stop()).then(() => process.exit(1)))
  const measured = []
  let hasErrors = false
  for (const name of wanted) {
    stage = createStage()
    try {
      const folder = stage.folder()
      for (const picture of [photo, drawing, small]) await writePicture(join(folder, picture.file), picture)
      const before = { strangers: strangers(), ms: Date.now() }
      const result = await parts[name](stage, { ...options, folder })
      const busy = (strangers() - before.strangers) / ((Date.now() - before.ms) / 1000)
      console.log(`\n${result.text}`)
      console.log(`Programs that are not ours took ${(busy * 100).toFixed(0)} % of a core meanwhile.`)
      measured.push(...result.slices.map((slice) => ({ part: name, ...slice })))
      hasErrors ||= result.hasErrors ?? false
    } finally {
      await stage.stop()
    }
  }
  if (values.json !== undefined)
    writeFileSync(values.json, `${JSON.stringify({ machine, slices: measured }, null, 1)}\n`)
  return hasErrors ? 1 : 0
}
