// The same edits by sharp alone, by the editor and by the whole service, in turn.
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { inTurn } from '../compare.mjs'
import { startService } from '../contenders.mjs'
import { readUsage } from '../processes.mjs'
import { jobs } from './jobs.mjs'
import { createClient, formRequest } from './service.mjs'

/** A process that does what it is told; the answer says how long each turn took. */
const startDoer = async (stage, name, folder) => {
  const child = stage.fork(new URL('./doer.mjs', import.meta.url))
  const ask = async (message) => {
    child.send(message)
    const answered = await Promise.race([once(child, 'message'), child.isOver])
    if (!Array.isArray(answered)) throw new Error(`${name} ended:\n${child.said}`)
    if (answered[0].error !== undefined) throw new Error(`${name}: ${answered[0].error}`)
    return answered[0]
  }
  await ask({ start: name })
  return {
    name,
    pid: child.pid,
    run: async (job, { count, input, output }) => (await ask({ folder, name: job.name, count, input, output })).wallMs,
  }
}

const serviceContender = (service, client, { name, safeMode, folder }) => {
  const requests = new Map(
    jobs.map(({ name: jobName, input, prompt, tier, format }) => [
      jobName,
      formRequest(
        '/image/edit',
        { model: 'picture-editor', prompt, resolution: tier, output_format: format, safe_mode: safeMode },
        { name: input.file, bytes: readFileSync(join(folder, input.file)) },
      ),
    ]),
  )
  return {
    name,
    pid: service.pid,
    async run(job, { count, output }) {
      const wallMs = []
      for (let turn = 0; turn < count; turn++) {
        const startedMs = performance.now()
        const made = await client.send(requests.get(job.name))
        wallMs.push(performance.now() - startedMs)
        if (output !== undefined) writeFileSync(join(folder, output), made)
      }
      return wallMs
    },
  }
}

const pixelsOf = (file) => sharp(file).raw().toBuffer({ resolveWithObject: true })

/** Whoever made another picture did other work, and is not compared. */
const proveSame = async (folder, job, names) => {
  const [reference, ...others] = await Promise.all(names.map((name) => pixelsOf(join(folder, outputOf(name, job)))))
  const { width, height } = reference.info
  if (width !== job.made.width || height !== job.made.height)
    throw new Error(`${job.name}: sharp made ${width}x${height}.`)
  const wrong = others.findIndex(({ data }) => !data.equals(reference.data))
  if (wrong >= 0) throw new Error(`${job.name}: ${names[wrong + 1]} made another picture than sharp.`)
}

const outputOf = (name, { format }) => `${name.replaceAll(/\W+/g, '-')}.${format}`

const slice = async ({ pid, run }, job, how) => {
  const before = readUsage(pid).cpuSeconds
  const wallMs = await run(job, how)
  const cpuMs = ((readUsage(pid).cpuSeconds - before) * 1000) / how.count
  // A stranger can only make a turn longer, so the shortest says most about the work.
  return { cpuMs, wallMs: Math.min(...wallMs) }
}

const config = 'limits: { tiers: { paid: { image: { rpm: 100000000 } } } }\n'

export const measureSpeed = async (stage, { folder, rounds, turns, say }) => {
  const configFile = join(folder, 'tessera.yaml')
  writeFileSync(configFile, config)
  const service = await startService(stage, { env: { TESSERA_CONFIG: configFile } })
  const client = createClient(service)
  const makers = [
    await startDoer(stage, 'sharp', folder),
    await startDoer(stage, 'editor', folder),
    serviceContender(service, client, { name: 'service', safeMode: true, folder }),
    serviceContender(service, client, { name: 'service, safe_mode off', safeMode: false, folder }),
  ]
  const look = await startDoer(stage, 'look', folder)
  const slices = []
  try {
    for (const job of jobs) {
      for (const maker of makers) await maker.run(job, { count: 2, output: outputOf(maker.name, job) })
      await proveSame(
        folder,
        job,
        makers.map(({ name }) => name),
      )
      const seen = outputOf('sharp', job)
      await look.run(job, { count: 2, input: seen })
      for (let round = 0; round < rounds; round++)
        for (const contender of inTurn([...makers, look], round)) {
          const how = { count: turns, ...(contender === look && { input: seen }) }
          slices.push({ job: job.name, round, contender: contender.name, ...(await slice(contender, job, how)) })
        }
      say(`speed: ${job.name} done`)
    }
  } finally {
    client.close()
  }
  return slices
}
